/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/audit_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 200
#define WHAT_BYTES 400

/* shown: escaped already. */
static void count_shown(
	struct audit_sum *s, struct audit_names *n, const char *shown, uint64_t count)
{
	for (size_t i = 0; i < n->count; i++)
		if (str_eq(n->rows[i].text, shown)) {
			n->rows[i].count += count;
			return;
		}
	if (n->count == AUDIT_NAMES) {
		n->others += count;
		return;
	}
	n->rows[n->count++] = (struct audit_name){arena_printf(s->call->arena, "%s", shown), count};
}

static void count_name(struct audit_sum *s, struct audit_names *n, const char *text, uint64_t count)
{
	auto_(buf_free) struct buf name = BUF(NAME_BYTES);

	escape_text(&name, text);
	count_shown(s, n, buf_text(&name), count);
}

static int by_count(const void *a, const void *b)
{
	const struct audit_name *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->text, y->text);
}

void audit_sum_order(struct audit_names *n)
{
	if (n->count > 0)
		qsort(n->rows, n->count, sizeof n->rows[0], by_count);
}

static size_t slot_of(const struct audit_sum *s, int64_t us)
{
	int64_t span = s->to - s->from;
	int64_t at = us <= s->from || span <= 0 ? 0 : us - s->from;

	if (span <= 0 || at >= span)
		return at >= span && span > 0 ? AUDIT_SLOTS - 1 : 0;
	return (size_t)((double)at / (double)span * AUDIT_SLOTS);
}

static void add(struct audit_sum *s, enum audit_series series, size_t slot, double v)
{
	if (series == SERIES_MEMORY) {
		double *most[] = {&s->slots[series][slot], &s->total[series]};

		for (size_t i = 0; i < ARRAY_LEN(most); i++)
			*most[i] = v > *most[i] ? v : *most[i];
		return;
	}
	s->slots[series][slot] += v;
	s->total[series] += v;
}

static void add_flows(struct audit_sum *s, const struct auditrow *row, size_t slot)
{
	struct auditrow_flow f;

	for (size_t i = 0; auditrow_flow(row, i, &f); i++) {
		uint64_t count = f.count ? f.count : 1;
		char host[300];

		if (f.allowed)
			continue;
		snprintf(host, sizeof host, "%s:%llu", f.host, (unsigned long long)f.port);
		count_name(s, &s->hosts, host, count);
		add(s, SERIES_REFUSED_FLOWS, slot, (double)count);
	}
}

/* The last reason is the one that decided. */
static void add_reason(struct audit_sum *s, const struct auditrow *row)
{
	const struct node *list = auditrow_get(row, "reasons"), *code = NULL;

	if (list && list->type == NODE_ARRAY && list->count > 0)
		code = tree_get(&list->items[list->count - 1], "code");
	count_name(s, &s->reasons,
		code && code->type == NODE_TEXT ? code->text : auditrow_text(row, "why"), 1);
}

static const char *kept(struct audit_sum *s, const struct buf *text)
{
	return arena_printf(s->call->arena, "%s%s", buf_text(text), text->dropped ? "..." : "");
}

static void add_slow(struct audit_sum *s, const struct auditrow *row)
{
	auto_(buf_free) struct buf what = BUF(WHAT_BYTES), session = BUF(NAME_BYTES),
				   outcome = BUF(NAME_BYTES);
	double ms = auditrow_amount(row, "durationMs");
	size_t at = s->slow_count;

	while (at > 0 && s->slow[at - 1].ms < ms)
		at--;
	if (at == AUDIT_SLOW || !row->first)
		return;
	s->slow_count += s->slow_count < AUDIT_SLOW;
	memmove(&s->slow[at + 1], &s->slow[at], (s->slow_count - at - 1) * sizeof s->slow[0]);
	auditrow_what(&what, row);
	escape_text(&session, auditrow_text(row, "session"));
	auditrow_outcome(&outcome, row);
	s->slow[at] = (struct audit_slow){auditrow_seq(row), auditrow_time(row), ms,
		kept(s, &session), kept(s, &what), kept(s, &outcome)};
}

static void add_end(struct audit_sum *s, const struct auditrow *row, size_t slot)
{
	auto_(buf_free) struct buf outcome = BUF(NAME_BYTES);
	struct auditrow end = {.end = row->end};
	const char *reason = auditrow_text(&end, "reason");

	add(s, auditrow_is_failed(row) ? SERIES_FAILED : SERIES_SUCCEEDED, slot, 1);
	add(s, SERIES_CPU, slot,
		auditrow_amount(row, "usage.userMs") + auditrow_amount(row, "usage.systemMs"));
	add(s, SERIES_MEMORY, slot, auditrow_amount(row, "usage.memoryPeak"));
	add(s, SERIES_SENT, slot, auditrow_amount(row, "usage.sentBytes"));
	add(s, SERIES_RECEIVED, slot, auditrow_amount(row, "usage.receivedBytes"));
	s->timeouts += str_eq(reason, "timeout") || str_eq(reason, "idle");
	auditrow_outcome(&outcome, row);
	count_shown(s, &s->ends, buf_text(&outcome), 1);
	add_flows(s, row, slot);
	add_slow(s, row);
}

static void add_event(struct audit_sum *s, const struct auditrow *row)
{
	const char *action = auditrow_text(row, "action");

	if (!str_eq(auditrow_text(row, "event"), "approval"))
		return;
	s->asked += str_eq(action, "asked");
	s->given += str_eq(action, "given");
}

void audit_sum_add(void *ctx, struct auditrow *row)
{
	struct audit_sum *s = ctx;
	size_t slot = slot_of(s, auditrow_time(row));

	if (!auditrow_is_request(row)) {
		add_event(s, row);
		return;
	}
	s->requests++;
	s->on_host += str_eq(auditrow_text(row, "place"), "host") && !auditrow_is_denied(row);
	count_name(s, &s->tools, auditrow_text(row, "tool"), 1);
	count_name(s, &s->sessions, auditrow_text(row, "session"), 1);
	if (auditrow_is_denied(row)) {
		add(s, SERIES_REFUSED, slot, 1);
		add_reason(s, row);
	} else if (row->end) {
		add_end(s, row, slot);
	} else {
		s->unfinished++;
	}
	audit_last_add(&s->last, row);
}
