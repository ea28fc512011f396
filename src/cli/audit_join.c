/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The two lines of a request become one row. Begun requests wait here for their end; of those whose
 * end never came (the machine lost power) there may be any number, so the oldest are given on
 * without it when they take too much memory.
 */

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/audit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define OPEN_BYTES ((size_t)16 << 20) /* of lines that wait */

struct open_row {
	uint64_t seq;
	struct auditrow_line *line; /* NULL: it has ended */
};

struct join {
	const struct audit_filter *filter; /* of its `since`: what was written before is not read */
	void (*row)(void *ctx, struct auditrow *row);
	void *ctx;
	struct open_row *open;
	size_t count, capacity, dead;
	size_t bytes;        /* that they take */
	uint64_t skipped;    /* the last line that was not read */
	uint64_t unreadable; /* lines */
};

static void give(struct join *j, struct auditrow_line *first, struct auditrow_line *end)
{
	struct auditrow row = {first, end};

	if (audit_filter_matches(j->filter, &row))
		j->row(j->ctx, &row);
	auditrow_free(&row);
}

/* They are in the order of their numbers. */
static struct open_row *find(struct join *j, uint64_t seq)
{
	size_t low = 0, high = j->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (j->open[middle].seq < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low < j->count && j->open[low].seq == seq && j->open[low].line ? &j->open[low]
									      : NULL;
}

static struct auditrow_line *take_open(struct join *j, struct open_row *o)
{
	j->bytes -= o->line->len;
	j->dead++;
	return take_ptr(o->line);
}

static void sweep(struct join *j)
{
	size_t to = 0;

	for (size_t i = 0; i < j->count; i++)
		if (j->open[i].line)
			j->open[to++] = j->open[i];
	j->count = to;
	j->dead = 0;
}

/* A number that is not behind the last one comes of a damaged log: it waits for nothing. */
static void add_open(struct join *j, struct auditrow_line *line)
{
	if (j->count > 0 && j->open[j->count - 1].seq >= line->seq) {
		give(j, line, NULL);
		return;
	}
	if (j->dead > 64 && j->dead > j->count / 2)
		sweep(j);
	if (j->count == j->capacity) {
		j->capacity = j->capacity ? 2 * j->capacity : 64;
		j->open = mem_realloc(j->open, j->capacity, sizeof *j->open);
	}
	j->open[j->count++] = (struct open_row){line->seq, line};
	j->bytes += line->len;
	for (size_t i = 0; i < j->count && j->bytes > OPEN_BYTES; i++)
		if (j->open[i].line)
			give(j, take_open(j, &j->open[i]), NULL);
}

static int join_line(void *ctx, const char *text, size_t len)
{
	struct join *j = ctx;
	struct auditrow_line *line = NULL;
	struct open_row *open;

	if (!text || auditrow_line_time(text, len) < j->filter->since) {
		uint8_t prev[SHA256_SIZE];

		if (!text || !auditlog_read_prefix(text, len, &j->skipped, prev))
			j->unreadable++;
		return 0;
	}
	if (auditrow_line_read(text, len, &line, NULL) < 0) {
		j->unreadable++;
		return 0;
	}
	if (str_eq(line->event, "begin")) {
		add_open(j, line);
		return 0;
	}
	if (!str_eq(line->event, "end")) {
		give(j, line, NULL);
		return 0;
	}
	open = find(j, line->begin);
	if (open)
		give(j, take_open(j, open), line);
	else if (line->begin > j->skipped)
		give(j, NULL, line);
	else
		auditrow_line_free(&line);
	return 0;
}

static void join_end(struct join *j)
{
	for (size_t i = 0; i < j->count; i++)
		if (j->open[i].line)
			give(j, take_open(j, &j->open[i]), NULL);
	free(take_ptr(j->open));
	j->count = j->capacity = 0;
}

void audit_warn(uint64_t unreadable)
{
	char text[200];
	int n = snprintf(text, sizeof text,
		"ward: %llu lines of the audit log cannot be read; 'ward audit verify' says "
		"where\n",
		(unsigned long long)unreadable);

	if (unreadable && write(STDERR_FILENO, text, (size_t)n) < 0)
		return;
}

int audit_rows_of(const struct auditlog_view *v, const struct audit_filter *f,
	void (*row)(void *ctx, struct auditrow *row), void *ctx)
{
	struct join j = {.filter = f, .row = row, .ctx = ctx};
	int r = auditlog_view_all(v, join_line, &j);

	join_end(&j);
	audit_warn(j.unreadable);
	return r;
}

int audit_rows(struct call *c, const struct audit_filter *f,
	void (*row)(void *ctx, struct auditrow *row), void *ctx, struct err *e)
{
	auto_(auditlog_view_close) struct auditlog_view v = {0};
	int r = audit_open(c, &v, e);

	if (r < 0)
		return r;
	r = audit_rows_of(&v, f, row, ctx);
	return r < 0 ? err_sys(e, r, "read the audit log") : 0;
}
