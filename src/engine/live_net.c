/* SPDX-License-Identifier: Apache-2.0 */

/* Requests about the network of a sandbox that lives: what holds, what was reached, other rules. */

#include "base/macro.h"
#include "engine/guarding.h"
#include "engine/live.h"

#include <stdio.h>

/* A page of rows. */
struct page {
	struct live_line *line;
	int32_t first, at, sent;
};

static bool is_on_page(struct page *p)
{
	bool on = p->at >= p->first && p->sent < POST_NET_PAGE;

	p->at++;
	p->sent += on;
	return on;
}

static void send_rule(
	struct page *p, enum post_rule_kind kind, const struct netrule *rule, bool changed)
{
	struct post *m;

	if (!is_on_page(p))
		return;
	m = post_new(POST_NET_RULE, 0);
	m->rule.kind = kind;
	m->rule.changed = changed;
	netrule_text(rule, m->rule.text);
	live_line_answer(p->line, m);
}

static void send_mode(struct page *p, const struct netlive *n)
{
	const char *mode = !n                    ? net_mode_names[NET_NONE]
			   : n->policy.has_allow ? "list"
						 : net_mode_names[n->policy.mode];
	struct post *m;

	if (!is_on_page(p))
		return;
	m = post_new(POST_NET_RULE, 0);
	m->rule.kind = POST_RULE_MODE;
	snprintf(m->rule.text, sizeof m->rule.text, "%s", mode);
	live_line_answer(p->line, m);
}

static void send_flow(void *ctx, const struct result_flow *f, bool open)
{
	struct page *p = ctx;
	struct post *m;

	if (!is_on_page(p))
		return;
	m = post_new(POST_NET_FLOW, open);
	m->flow = *f;
	live_line_answer(p->line, m);
}

static void send_page(struct live *v, struct live_line *l, int32_t first)
{
	const struct netlive *n = guarding_rules(v->stage);
	struct page p = {.line = l, .first = first};

	send_mode(&p, n);
	for (int kind = 0; n && kind < (int)ARRAY_LEN(n->lists); kind++)
		for (size_t i = 0; i < n->lists[kind].count; i++)
			send_rule(&p, (enum post_rule_kind)kind, &n->lists[kind].rules[i],
				i >= n->lists[kind].configured);
	guarding_look(v->stage, send_flow, &p);
	live_line_answer(l, post_new(POST_DONE, p.sent));
}

static void change(struct live *v, struct live_line *l, const struct post_rule *rule)
{
	char text[NETRULE_TEXT];
	struct err e = {.code = 0};
	int r;

	snprintf(text, sizeof text, "%.*s", (int)sizeof rule->text - 1, rule->text);
	r = guarding_change(v->stage, rule->kind == POST_RULE_DENY, rule->now, text, &e);
	if (r < 0)
		live_line_fail(v, l, -r, e.text);
	else
		live_line_answer(l, post_new(POST_DONE, r));
}

bool live_net_request(struct live *v, struct live_line *l, const struct post *m)
{
	if (m->kind == POST_NET)
		send_page(v, l, m->number);
	else if (m->kind == POST_NET_CHANGE && m->rule.kind < POST_RULE_MODE)
		change(v, l, &m->rule);
	else
		return false;
	return true;
}
