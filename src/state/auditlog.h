/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The record of what happened: lines of JSON in a folder of the caller's own, each with its number
 * and the hash of the line before it. Many processes write at the same time; the file `head` is
 * their lock, and says how far the log is known to be good, so that a cut tail is found. A file
 * that has grown large is put aside, and the chain goes on in the next one.
 *
 * Should: survive the death of a writer at any moment; say clearly when a line could not be
 * written. Mustn't: lose a line that was acknowledged, write half a line, or interleave two.
 */

#include "base/err.h"
#include "base/sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUDITLOG_LINE (48u << 10) /* bytes of the longest one */
#define AUDITLOG_TAIL (16u << 10) /* room that is kept for the end of what has begun */
#define AUDITLOG_PREFIX 256       /* what a line begins with, at most */

/* When lines must have reached the disk: before they are acknowledged; once in a second; whenever
 * the kernel likes. In the order of audit.fsync. */
enum auditlog_sync { AUDITLOG_ALWAYS, AUDITLOG_BATCH, AUDITLOG_NEVER };

struct auditlog_call {
	const char *folder;
	uint64_t rotate; /* bytes of a file, from which on it is put aside; 0: never */
	uint64_t keep;   /* files that were put aside; 0: all */
	enum auditlog_sync sync;
};

struct auditlog {
	struct auditlog_call call;
	int folder, head, file;
};

/* BEGIN reserves the room for its END, so that a disk which fills meanwhile does not lose it. */
enum auditlog_kind { AUDITLOG_EVENT, AUDITLOG_BEGIN, AUDITLOG_END };

/* The folder's text is kept. */
int auditlog_open(struct auditlog *l, const struct auditlog_call *call, struct err *e);
void auditlog_close(struct auditlog *l);
/* members: `"key":value,...` of one object, without line breaks. The number of the line. */
int auditlog_add(struct auditlog *l, enum auditlog_kind kind, const char *members, size_t len,
	uint64_t *ret_seq, struct err *e);

/* What is wrong with a log; the first fault only, since nothing behind it can be believed. */
enum auditlog_fault {
	AUDITLOG_GOOD,
	AUDITLOG_NO_LINE, /* not one that this wrote */
	AUDITLOG_NUMBER,  /* out of order, or missing */
	AUDITLOG_CHAIN,   /* the line before it is another than it was */
	AUDITLOG_CUT,     /* lines at the end are missing */
	AUDITLOG_AHEAD,   /* there are more than the head knows of: it is lost, or an older one */
	AUDITLOG_GONE,    /* whole files at the beginning are */
	AUDITLOG_ANCHOR,  /* what was noted elsewhere is not in it */
	AUDITLOG_FAULTS
};
extern const char *const auditlog_fault_texts[]; /* sentences */

struct auditlog_anchor {
	uint64_t seq;
	uint8_t hash[SHA256_SIZE];
};

#define AUDITLOG_FILE sizeof "log.00000000000000000000" /* the longest name of one */

struct auditlog_state {
	enum auditlog_fault fault;
	uint64_t seq;   /* of the line with the fault, or of the last one */
	uint64_t first; /* of the first line that is there */
	uint64_t lines, files;
	uint8_t hash[SHA256_SIZE]; /* of the last good line */
	char file[AUDITLOG_FILE];  /* which the line with the fault lies in; "": none */
};
