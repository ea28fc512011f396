/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the commands of `ward audit` share: which log is read, which of its rows are wanted, and the
 * two lines of a request made one. All of them only read. */

#include "cli/cli.h"
#include "json/auditrow.h"
#include "state/auditlog_view.h"

struct audit_options {
	struct opt_text folder, config;
	struct opt_list set;
	struct opt_text session, agent, tool, verdict, reason, event, text, host, since, until;
	struct opt_number lines, limit;
	struct opt_bool follow, json;
	struct opt_text anchor, head, output;
	struct opt_enum format;
};

/* cli/audit_open.c: the folder of the log, from options and configuration. */
int audit_folder(struct call *c, const char **ret, struct err *e);
int audit_open(struct call *c, struct auditlog_view *ret, struct err *e);
/* Where a command writes what may be too long to be kept: a file that was made for it, or standard
 * output. The name counts once audit_output_end() says so. */
struct audit_output {
	int fd;
	const char *path; /* NULL: standard output */
	char *temporary;
	struct buf buf;
	int failed; /* a negative errno */
};
int audit_output_begin(struct audit_output *o, const char *path, struct err *e);
void audit_output_flush(struct audit_output *o, size_t above);
int audit_output_end(struct audit_output *o, struct err *e);

/* Which rows; texts are patterns with * and ?. */
struct audit_filter {
	const struct audit_options *options;
	int64_t since, until; /* us since 1970; INT64_MIN, INT64_MAX: any */
};
int audit_filter_begin(struct call *c, struct audit_filter *ret, struct err *e);
bool audit_filter_matches(const struct audit_filter *f, const struct auditrow *row);

/* cli/audit_join.c: lines to rows, all that are wanted. A row is given on when its end has come, or
 * at the end of the log; whoever keeps its lines sets them to NULL. -errno. */
int audit_rows_of(const struct auditlog_view *v, const struct audit_filter *f,
	void (*row)(void *ctx, struct auditrow *row), void *ctx);
/* Of the log that the command is for. */
int audit_rows(struct call *c, const struct audit_filter *f,
	void (*row)(void *ctx, struct auditrow *row), void *ctx, struct err *e);
/* What was damaged, for people: on standard error. */
void audit_warn(uint64_t unreadable);

/* The rows that began last, within bounds of number and memory: a heap, the oldest on top. */
struct audit_last {
	struct auditrow *rows;
	size_t room, count;
	size_t bytes;
	uint64_t left_out;
};
void audit_last_begin(struct audit_last *l, struct call *c, size_t room);
void audit_last_add(struct audit_last *l, struct auditrow *row); /* takes its lines */
/* In order of their numbers. */
void audit_last_sort(struct audit_last *l);
void audit_last_free(struct audit_last *l);

/* The commands, one file each. */
int audit_tail(struct call *c, struct err *e); /* cli/audit_show.c */
int audit_query(struct call *c, struct err *e);
int audit_verify(struct call *c, struct err *e); /* cli/audit_verify.c */
int audit_anchor(struct call *c, struct err *e);
int audit_export(struct call *c, struct err *e); /* cli/audit_export.c */
int audit_report(struct call *c, struct err *e); /* cli/audit_report.c */
/* A duration as people read it: 1.2 ms, 3.4 s, 5 min. */
void audit_duration(struct buf *out, double ms);

enum audit_format { AUDIT_JSONL, AUDIT_CSV, AUDIT_OCSF };
/* cli/audit_ocsf.c: a row as events of the Open Cybersecurity Schema Framework, one a line. */
void audit_ocsf(struct buf *out, const struct auditrow *row);
