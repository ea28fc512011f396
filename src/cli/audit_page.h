/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The page of `ward audit report`: its numbers, its pictures and its looks. Every text that comes
 * from the log is foreign: it is escaped first as for a terminal, then for HTML. */

#include "cli/audit.h"

/* cli/audit_sum.c: rows added up. Bounded, however many different names a log has. */
#define AUDIT_SLOTS 48
#define AUDIT_NAMES 1024
#define AUDIT_SLOW 10

enum audit_series {
	SERIES_SUCCEEDED,
	SERIES_FAILED,
	SERIES_REFUSED,
	SERIES_REFUSED_FLOWS,
	SERIES_CPU,    /* ms */
	SERIES_MEMORY, /* bytes: the most of one command */
	SERIES_RECEIVED,
	SERIES_SENT,
	SERIES_COUNT
};

struct audit_name {
	const char *text; /* escaped, cut */
	uint64_t count;
};

struct audit_names {
	struct audit_name rows[AUDIT_NAMES];
	size_t count;
	uint64_t others; /* of names that found no row */
};

struct audit_slow {
	uint64_t seq;
	int64_t time_us;
	double ms;
	const char *session, *what, *outcome;
};

struct audit_sum {
	struct call *call;
	int64_t from, to; /* us since 1970 */
	double slots[SERIES_COUNT][AUDIT_SLOTS];
	double total[SERIES_COUNT]; /* of memory: the most */
	uint64_t requests, unfinished, on_host, timeouts, asked, given;
	struct audit_names hosts, tools, reasons, sessions, ends;
	struct audit_slow slow[AUDIT_SLOW]; /* the slowest first */
	size_t slow_count;
	struct audit_last last;
};

void audit_sum_add(void *ctx, struct auditrow *row); /* keeps the lines */
/* By how often, most first. */
void audit_sum_order(struct audit_names *n);

/* cli/audit_plot.c: one or two series over time, stacked, as SVG. */
struct audit_plot {
	const char *title, *unit;
	void (*show)(struct buf *out, double v); /* a value, for people */
	double base;                             /* of round numbers: 10, 1024, or 60 for times */
	struct {
		const char *name;
		enum audit_series series;
		const char *style; /* class */
	} parts[2];
	size_t parts_count;
};
void audit_plot(struct buf *out, const struct audit_plot *p, const struct audit_sum *s);
void audit_show_count(struct buf *out, double v);
void audit_show_bytes(struct buf *out, double v);
void audit_show_time(struct buf *out, double ms);
/* Text for HTML, which is escaped for terminals already; and one that is not. */
void audit_html(struct buf *out, const char *text);
void audit_html_foreign(struct buf *out, const char *text);

/* cli/audit_style.c */
extern const char audit_style[];
