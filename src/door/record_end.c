/* SPDX-License-Identifier: Apache-2.0 */
#include "door/record_end.h"

#include "json/result_write.h"

#include <string.h>

/* Rows that find no room are counted. */
#define REFUSED_ROOM (3u << 10)
#define NETWORK_ROOM (6u << 10)
#define HOST_ROOM 400
#define WHY_ROOM 300

static void put_usage(struct line *l, const struct result_usage *u)
{
	struct result_amount rows[RESULT_AMOUNTS];

	line_key(l, "usage");
	buf_putc(&l->out, '{');
	result_amounts(u, rows);
	for (size_t i = 0; i < RESULT_AMOUNTS; i++)
		line_number(l, rows[i].name, rows[i].v);
	buf_putc(&l->out, '}');
}

static void put_hits(struct line *l, const struct result *r)
{
	line_key(l, "limitsHit");
	buf_putc(&l->out, '{');
	for (int i = 0; i < HIT_COUNT; i++)
		if (r->hits[i])
			line_number(l, limit_hit_names[i], r->hits[i]);
	buf_putc(&l->out, '}');
}

static void put_denied_row(struct line *l, const char *call, uint32_t count)
{
	line_key(l, NULL);
	buf_putc(&l->out, '{');
	line_plain(l, "call", call);
	line_number(l, "count", count);
	buf_putc(&l->out, '}');
}

static void put_denied(struct line *l, const struct result_report *p)
{
	char room[16];

	line_key(l, "deniedCalls");
	buf_putc(&l->out, '[');
	for (size_t i = 0; i < RESULT_DENIED && p->denied[i].count; i++)
		put_denied_row(l, result_call_name(p->denied[i].number, room), p->denied[i].count);
	if (p->denied_more)
		put_denied_row(l, "others", p->denied_more);
	buf_putc(&l->out, ']');
}

static void put_refused(struct line *l, const struct result_report *p)
{
	size_t end = l->out.len + REFUSED_ROOM;
	uint64_t more = p->refused_more;

	line_key(l, "refused");
	buf_putc(&l->out, '[');
	for (size_t i = 0; i < RESULT_REFUSED && p->refused[i].count; i++) {
		if (l->out.len >= end) {
			more += p->refused[i].count;
			continue;
		}
		line_key(l, NULL);
		buf_putc(&l->out, '{');
		line_text(l, "path", p->refused[i].path, HOST_ROOM);
		line_number(l, "count", p->refused[i].count);
		buf_putc(&l->out, '}');
	}
	buf_putc(&l->out, ']');
	if (more)
		line_number(l, "refusedMore", more);
}

static void put_flow(struct line *l, const struct result_flow *f)
{
	line_key(l, NULL);
	buf_putc(&l->out, '{');
	line_text(l, "host", f->host, HOST_ROOM);
	line_number(l, "port", f->port);
	line_key(l, "allowed");
	buf_puts(&l->out, f->allowed ? "true" : "false");
	if (f->shared) {
		line_key(l, "shared");
		buf_puts(&l->out, "true");
	}
	line_number(l, "count", f->count);
	line_number(l, "sentBytes", f->up);
	line_number(l, "receivedBytes", f->down);
	if (f->why[0])
		line_text(l, "why", f->why, WHY_ROOM);
	buf_putc(&l->out, '}');
}

static void put_network(struct line *l, const struct result_network *n)
{
	size_t end = l->out.len + NETWORK_ROOM;
	uint64_t more = n->more;

	line_key(l, "network");
	buf_putc(&l->out, '[');
	for (size_t i = 0; i < RESULT_FLOWS && n->flows[i].count; i++)
		if (l->out.len < end)
			put_flow(l, &n->flows[i]);
		else
			more += n->flows[i].count;
	buf_putc(&l->out, ']');
	if (more)
		line_number(l, "networkMore", more);
}

/* What ended it, as a number or null. */
static void put_code(struct line *l, const char *key, bool known, int v)
{
	line_key(l, key);
	if (known)
		buf_printf(&l->out, "%d", v);
	else
		buf_puts(&l->out, "null");
}

void record_end_put(struct line *l, const struct result *r)
{
	line_plain(l, "reason", end_reason_names[r->reason]);
	put_code(l, "exitCode", r->exit_code >= 0, r->exit_code);
	put_code(l, "signal", true, r->signal);
	if (r->start_error)
		line_text(l, "error", strerror(r->start_error), WHY_ROOM);
	line_key(l, "durationMs");
	buf_printf(&l->out, "%llu.%03llu", (unsigned long long)r->usage.wall_us / 1000,
		(unsigned long long)r->usage.wall_us % 1000);
	put_usage(l, &r->usage);
	put_hits(l, r);
	put_denied(l, &r->report);
	put_refused(l, &r->report);
	put_network(l, &r->network);
}
