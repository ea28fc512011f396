/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Lines of the audit log as values, and the two lines of a request as one row. What stands in them
 * was chosen by whoever asked: nothing of it is believed to have any form but that of JSON, and
 * what is shown is escaped. A line owns its tree; a row owns its lines.
 */

#include "base/buf.h"
#include "base/err.h"
#include "json/tree.h"

struct auditrow_line {
	struct arena arena;
	const char *text; /* as it was written */
	size_t len;
	struct node root; /* an object */
	uint64_t seq;
	uint64_t begin;  /* of an end: the number of its beginning; 0 */
	int64_t time_us; /* since 1970; 0: it says none */
	const char *event;
};

/* -EBADMSG: not JSON, or without number or event. */
int auditrow_line_read(const char *text, size_t len, struct auditrow_line **ret, struct err *e);
void auditrow_line_free(struct auditrow_line **l);
/* The time that it begins with, without reading the rest; 0: it says none. */
int64_t auditrow_line_time(const char *text, size_t len);

/* As it was written, but harmless to show: what could act on a terminal is escaped, as JSON does.
 */
void auditrow_line_json(struct buf *out, const struct auditrow_line *l);

struct auditrow {
	struct auditrow_line *first; /* begin, deny or another event; NULL: only the end is there */
	struct auditrow_line *end;   /* NULL: there is none (yet) */
};
void auditrow_free(struct auditrow *row);

/* By key, from the first line or else the last; dots lead into objects. NULL: it says none. */
const struct node *auditrow_get(const struct auditrow *row, const char *key);
const char *auditrow_text(const struct auditrow *row, const char *key); /* "": none, or no text */
/* Of the end. false: it says none. Never negative, and 0 where it is. */
bool auditrow_number(const struct auditrow *row, const char *key, double *ret);
double auditrow_amount(const struct auditrow *row, const char *key); /* 0: none */
uint64_t auditrow_seq(const struct auditrow *row);
int64_t auditrow_time(const struct auditrow *row);
/* A request that was let in, or refused; not an event of another kind. */
bool auditrow_is_request(const struct auditrow *row);
/* Of a request: was it refused by the policy, or by a person? */
bool auditrow_is_denied(const struct auditrow *row);
/* It ended otherwise than by leaving with status 0, or by doing what was asked. */
bool auditrow_is_failed(const struct auditrow *row);

/* Any value, as it is meant: what was cut ends in "..."; escaped, on one line. */
void auditrow_show(struct buf *out, const struct node *value);
/* What was asked for: the words of a command, a path, or what an event says. Escaped. */
void auditrow_what(struct buf *out, const struct auditrow *row);
/* How it ended in a word: "exited 0", "signal 9", "timeout"; "" while it runs. */
void auditrow_outcome(struct buf *out, const struct auditrow *row);

struct auditrow_flow {
	const char *host, *why;
	uint64_t port, count, sent, received;
	bool allowed;
};
/* One destination after the other; false: there are no more. */
bool auditrow_flow(const struct auditrow *row, size_t i, struct auditrow_flow *ret);
