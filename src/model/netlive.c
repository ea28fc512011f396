/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netlive.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The policy's own fields, for whoever decides by them. */
static void show(struct netlive *n)
{
	n->policy.allow = n->lists[0].rules;
	n->policy.allow_count = n->lists[0].count;
	n->policy.deny = n->lists[1].rules;
	n->policy.deny_count = n->lists[1].count;
}

static void copy(struct netlive_list *to, const struct netrule *rules, size_t count)
{
	to->rules = mem_alloc((count + NETLIVE_MORE) * sizeof *to->rules);
	if (count > 0)
		memcpy(to->rules, rules, count * sizeof *rules);
	to->count = to->configured = count;
}

void netlive_init(struct netlive *n, const struct net_policy *configured)
{
	*n = (struct netlive){.policy = *configured};
	copy(&n->lists[0], configured->allow, configured->allow_count);
	copy(&n->lists[1], configured->deny, configured->deny_count);
	show(n);
}

void netlive_free(struct netlive *n)
{
	free(n->lists[0].rules);
	free(n->lists[1].rules);
	arena_free(&n->arena);
	*n = (struct netlive){.changes = 0};
}

static size_t find(const struct netlive_list *l, const struct netrule *rule, size_t from)
{
	char wanted[NETRULE_TEXT], text[NETRULE_TEXT];
	size_t i;

	netrule_text(rule, wanted);
	for (i = from; i < l->count; i++) {
		netrule_text(&l->rules[i], text);
		if (str_eq(text, wanted))
			break;
	}
	return i;
}

static void take_back(struct netlive_list *l, const struct netrule *rule)
{
	size_t at = find(l, rule, l->configured);

	if (at == l->count)
		return;
	l->count--;
	memmove(&l->rules[at], &l->rules[at + 1], (l->count - at) * sizeof *l->rules);
}

int netlive_change(struct netlive *n, bool deny, const char *text, struct err *e)
{
	struct netlive_list *to = &n->lists[deny];
	auto_(arena_free) struct arena scratch = {0};
	struct netrule rule;
	int r = deny ? netrule_check(text, e) : netrule_check_allow(text, e);

	if (r == 0)
		r = netrule_parse(&scratch, text, &rule, e);
	if (r < 0)
		return r;
	take_back(&n->lists[!deny], &rule);
	show(n);
	if (find(to, &rule, 0) < to->count)
		return 0;
	if (to->count == to->configured + NETLIVE_MORE || n->changes == NETLIVE_CHANGES)
		return err_set(e, ENOSPC,
			"too many rules were added since it was started; put them into the "
			"configuration, and 'ward recreate' it");
	r = netrule_parse(&n->arena, text, &rule, e);
	if (r < 0)
		return r;
	n->changes++;
	to->rules[to->count++] = rule;
	show(n);
	return 0;
}
