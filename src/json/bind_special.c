/* SPDX-License-Identifier: Apache-2.0 */
#include "json/bind_special.h"

#include "base/str.h"
#include "model/net.h"
#include "model/settings.h"

#include <errno.h>

static int read_rule(struct bind *b, const struct node *node, struct rule *ret)
{
	struct rule_keys keys = {.to.v = "host", .approval.v = true};
	int r = bind_object(b, rule_fields, &keys, node);

	if (r < 0)
		return r;
	if (!keys.pattern.at.source)
		return bind_fail(b, node->line, node->column, "a rule needs a pattern");
	*ret = (struct rule){
		.pattern = keys.pattern.v,
		.to = keys.to.v,
		.approval = keys.approval.v,
		.ttl = keys.ttl.v,
		.at = bind_where(b, node->line, node->column),
	};
	return 0;
}

static int read_rules(struct bind *b, const struct node *node, const void **ret)
{
	struct rules *rules = arena_alloc(b->arena, sizeof *rules);
	struct rule *items;
	int r;

	if (node->type != NODE_ARRAY)
		return bind_wrong_type(b, node, "a list of rules");
	r = bind_count(b, node);
	if (r < 0)
		return r;
	items = arena_array(b->arena, node->count, sizeof *items);
	for (uint32_t i = 0; i < node->count && r == 0; i++)
		r = read_rule(b, &node->items[i], &items[i]);
	*rules = (struct rules){items, node->count};
	*ret = rules;
	return r;
}

static bool is_budget_name(const char *text)
{
	char host[NET_HOST_MAX];
	struct netaddr addr;

	return str_eq(text, "*") || net_host_canonical(text, host, NULL) == 0 ||
	       netaddr_parse(text, &addr, NULL) == 0;
}

static int read_budget(struct bind *b, const struct node *node, const void **ret)
{
	struct budgets *budgets = arena_alloc(b->arena, sizeof *budgets);
	struct budget *items;
	int r;

	if (node->type != NODE_OBJECT)
		return bind_wrong_type(b, node, "an object: name to {up, down}");
	r = bind_count(b, node);
	if (r < 0)
		return r;
	items = arena_array(b->arena, node->count, sizeof *items);
	for (uint32_t i = 0; i < node->count && r == 0; i++) {
		const struct member *m = &node->members[i];

		bind_enter(b, m->key);
		items[i].name = m->key;
		items[i].at = bind_where(b, m->line, m->column);
		if (!is_budget_name(m->key))
			r = bind_fail(b, m->line, m->column,
				"neither a name of a host, nor an address, nor *");
		else
			r = bind_object(b, budget_fields, &items[i], &m->value);
		bind_leave(b);
	}
	*budgets = (struct budgets){items, node->count};
	*ret = budgets;
	return r;
}

static int read_caches(struct bind *b, const struct node *node, const void **ret)
{
	static const struct field names = {.type = FIELD_LIST};
	struct caches *caches = arena_alloc(b->arena, sizeof *caches);
	int r = 0;

	if (node->type == NODE_BOOL)
		caches->all = node->boolean;
	else if (node->type == NODE_ARRAY)
		r = bind_list(b, &names, node, &caches->names);
	else
		r = bind_wrong_type(b, node, "true, false or a list of names");
	*ret = caches;
	return r;
}

static const struct {
	const char *name;
	int (*read)(struct bind *b, const struct node *node, const void **ret);
} readers[] = {
	{"rules", read_rules},
	{"budget", read_budget},
	{"persistCaches", read_caches},
};

int bind_special(
	struct bind *b, const struct field *f, const struct node *node, struct opt_special *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (str_eq(readers[i].name, f->name))
			return readers[i].read(b, node, &ret->v);
	return -EINVAL;
}
