/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the writer of the audit log and its reader share. */

#include "base/mem.h"
#include "state/auditlog.h"

#include <sys/types.h>

#define AUDITLOG_NAME "log"
#define AUDITLOG_HEAD "head"
#define AUDITLOG_MAGIC 0x57410001u
#define AUDITLOG_STEP (64u << 10)

/* How far the log is known to be good; written whole, under its lock. */
struct auditlog_head {
	uint32_t magic;
	uint32_t reserved; /* of the file, in steps of AUDITLOG_STEP: room for ends of what is open
			    */
	uint64_t seq;      /* of the last line */
	uint64_t size;     /* of the file, with it */
	uint64_t first;    /* of that file */
	uint64_t kept;     /* of the oldest file that was not removed */
	uint64_t open;     /* begun and not ended */
	uint64_t synced;   /* s, since the machine's start: when the file was last on the disk */
	uint8_t hash[SHA256_SIZE]; /* of the last line; nothing before the first */
	uint8_t sum[SHA256_SIZE];  /* of all above */
};

/* A file that was put aside. */
#define AUDITLOG_OLD "log.%020llu"
#define AUDITLOG_OLD_NAME AUDITLOG_FILE

/* The numbers and the hash that a line begins with; false: it is none. */
bool auditlog_read_prefix(
	const char *line, size_t len, uint64_t *ret_seq, uint8_t ret_prev[SHA256_SIZE]);
/* The numbers that the files which were put aside begin with, in order. */
int auditlog_list_old(const struct auditlog *l, struct arena *a, uint64_t **ret, size_t *ret_count);
int auditlog_lock(const struct auditlog *l, bool write);
void auditlog_unlock(const struct auditlog *l);
/* All zero where there is none yet. -EBADMSG: it is damaged. */
int auditlog_read_head(const struct auditlog *l, struct auditlog_head *ret);
