/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tighten.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/show.h"
#include "base/str.h"
#include "model/catalogue.h"
#include "model/merge.h"
#include "model/netpolicy.h"
#include "model/order.h"
#include "model/resolve.h"

#include <errno.h>
#include <string.h>

#define TIGHTEST_PROFILE "untrusted"

static const void *same_place(const void *value, const void *from, const void *to)
{
	return (const char *)to + ((const char *)value - (const char *)from);
}

/* What `outer` would be if it were overridden by the network keys of `inner`, against `outer`
 * itself. */
static bool network_within(const struct tighten *t)
{
	struct settings candidate = *t->outer,
			keys = {.sandbox.network = t->inner->sandbox.network};
	struct net_policy inner, outer = resolve_network(t->arena, &t->outer->sandbox.network);

	merge_settings(t->arena, &candidate, &keys);
	inner = resolve_network(t->arena, &candidate.sandbox.network);
	return net_policy_within(&inner, &outer);
}

struct names {
	const struct item *items;
	size_t count;
};

static struct names tool_profile(const struct config *c, struct arena *a, const char *name)
{
	struct names n = {0};

	n.items = config_tool_profile(c, a, name, &n.count);
	return n;
}

static bool names_match(const struct names *n, const struct opt_map *groups, const char *tool)
{
	for (size_t i = 0; i < n->count; i++)
		if (toolpolicy_item_matches(groups, n->items[i].text, tool))
			return true;
	return false;
}

/* Every tool that the inner profile gives was given before, by profile or allow. */
static bool tool_profile_within(
	const struct config *c, struct arena *a, const char *inner_name, const struct tools *outer)
{
	struct names inner = tool_profile(c, a, inner_name);
	struct names had = tool_profile(c, a, outer->profile.v);
	struct names allowed = {outer->allow.items, outer->allow.count};

	for (const struct tool *tool = catalogue_tools; tool->name; tool++)
		if (names_match(&inner, &outer->groups, tool->name) &&
			!names_match(&had, &outer->groups, tool->name) &&
			!names_match(&allowed, &outer->groups, tool->name))
			return false;
	/* Names and globs beyond the catalogue: only those that stand there to the letter. */
	for (size_t i = 0; i < inner.count; i++) {
		struct opt_list letters = {.items = had.items, .count = had.count};
		const char *text = inner.items[i].text;

		if (!catalogue_find(catalogue_resolve(text)) && !str_starts(text, "group:") &&
			!merge_list_has(&letters, text) && !merge_list_has(&outer->allow, text))
			return false;
	}
	return true;
}

static bool rule_within(const struct rule *r, const struct rules *outer)
{
	for (size_t i = 0; i < outer->count; i++) {
		const struct rule *o = &outer->items[i];

		if (str_eq(r->pattern, o->pattern) && str_eq(r->to, o->to) &&
			r->approval >= o->approval && r->ttl <= o->ttl)
			return true;
	}
	return false;
}

static bool rules_within(const struct rules *inner, const struct rules *outer)
{
	for (size_t i = 0; i < inner->count; i++)
		if (!rule_within(&inner->items[i], outer))
			return false;
	return true;
}

static bool special_within(const struct tighten *t, const char *path)
{
	if (str_starts(path, "sandbox.network."))
		return network_within(t);
	if (str_eq(path, "sandbox.profile"))
		return str_eq(t->inner->sandbox.profile.v, t->outer->sandbox.profile.v) ||
		       str_eq(t->inner->sandbox.profile.v, TIGHTEST_PROFILE);
	if (str_eq(path, "tools.profile"))
		return tool_profile_within(
			t->config, t->arena, t->inner->tools.profile.v, &t->outer->tools);
	if (str_eq(path, "tools.elevated.rules"))
		return rules_within(
			t->inner->tools.elevated.rules.v, t->outer->tools.elevated.rules.v);
	return false;
}

/* Locks compare whole results, where a list may have been replaced; the workspace's lists only add.
 */
static bool more_within(
	const struct tighten *t, const struct opt_list *inner, const struct opt_list *outer)
{
	if (!t->only)
		return inner->count > 0;
	for (size_t i = 0; i < outer->count; i++)
		if (!merge_list_has(inner, outer->items[i].text))
			return false;
	return true;
}

static bool value_within(const struct tighten *t, const char *path, const struct field *f,
	const void *inner, const void *outer)
{
	if (f->order == ORDER_SPECIAL)
		return special_within(t, path);
	if (f->order == ORDER_MORE)
		return more_within(t, inner, outer);
	return order_within(f, inner, outer);
}

static int refuse(const struct tighten *t, const char *path, const struct field *f,
	const void *inner, const void *outer, struct err *e)
{
	auto_(buf_free) struct buf got = BUF(80), had = BUF(80);
	char at[WHERE_TEXT], before[WHERE_TEXT];
	bool defaults = str_eq(t->prefix, "agents.defaults") && str_starts(path, "tools.");

	show_value(&got, f, inner);
	where_text(inner, at);
	if (((const struct where *)outer)->source) {
		show_value(&had, f, outer);
		where_text(outer, before);
	} else {
		buf_puts(&had, "nothing");
		where_text(&(struct where){.source = &builtin_source}, before);
	}
	return err_set(e, EPERM, "%s: '%s%s%s' is loosened to %s%s (%s gives %s): %s", at,
		defaults ? "" : t->prefix, defaults ? "" : ".", path, buf_text(&got),
		got.dropped ? "..." : "", before, buf_text(&had), t->because);
}

struct visit {
	const struct tighten *t;
	struct err *e;
};

static bool covered_by(const char *path, const char *only)
{
	size_t len = strlen(only);

	return strncmp(path, only, len) == 0 && (path[len] == '\0' || path[len] == '.');
}

static int check_value(const char *path, const struct field *f, void *base, void *ctx)
{
	const struct visit *v = ctx;
	const struct tighten *t = v->t;
	const void *inner = field_at(f, base);
	const void *outer = same_place(inner, t->inner, t->outer);

	if (!((const struct where *)inner)->source || (t->only && !covered_by(path, t->only)))
		return 0;
	if (value_within(t, path, f, inner, outer))
		return 0;
	return refuse(t, path, f, inner, outer, v->e);
}

int tighten_check(const struct tighten *t, struct err *e)
{
	struct visit v = {t, e};
	struct settings inner = *t->inner;
	struct tighten local = *t;

	local.inner = &inner;
	v.t = &local;
	return field_each(settings_fields, &inner, check_value, &v);
}

static void keep_common(struct arena *a, const struct field *f, struct opt_list *target,
	const struct opt_list *wanted)
{
	struct item *items = arena_array(a, wanted->count, sizeof *items);
	size_t n = 0;

	for (size_t i = 0; i < wanted->count; i++)
		if (order_item_within(f, wanted->items[i].text, target))
			items[n++] = wanted->items[i];
	*target = (struct opt_list){.at = wanted->at, .items = items, .count = n};
}

static void tighten_table(
	struct arena *a, const struct field *table, void *target, const void *workspace)
{
	for (const struct field *f = table; f->name; f++) {
		void *dst = field_at(f, target);
		const void *src = field_at(f, workspace);

		if (f->type == FIELD_OBJECT)
			tighten_table(a, f->fields, dst, src);
		else if (!field_where(f, workspace)->source || f->order == ORDER_SPECIAL)
			continue;
		else if (f->order == ORDER_MORE)
			*(struct opt_list *)dst = merge_lists(a, dst, src);
		else if (f->order == ORDER_FEWER)
			keep_common(a, f, dst, src);
		else if (order_within(f, src, dst))
			memcpy(dst, src, field_value_size(f->type));
	}
}

/* Rules of the workspace's allow list that the target's policy reaches anyway. */
static void tighten_network(
	struct arena *a, struct network *target, const struct network *workspace)
{
	struct net_policy outer = resolve_network(a, target);
	struct net_policy wanted = resolve_network(a, workspace);
	struct item *items = arena_array(a, workspace->allow.count, sizeof *items);
	size_t n = 0;

	if (workspace->mode.at.source && workspace->mode.v < target->mode.v)
		target->mode = workspace->mode;
	/* "none" means none, also where the target has a list. */
	if (workspace->mode.at.source && workspace->mode.v == NET_NONE &&
		!workspace->allow.at.source)
		target->allow = (struct opt_list){.at = workspace->mode.at};
	if (!workspace->allow.at.source)
		return;
	for (size_t i = 0; i < wanted.allow_count; i++) {
		struct net_policy one = outer;

		one.mode = NET_NONE;
		one.has_allow = true;
		one.allow = &wanted.allow[i];
		one.allow_count = 1;
		if (net_policy_within(&one, &outer))
			items[n++] = workspace->allow.items[i];
	}
	target->allow = (struct opt_list){.at = workspace->allow.at, .items = items, .count = n};
}

/* When the target has another, not wider profile: what is not in both is denied. */
static void tighten_tool_profile(const struct config *c, struct arena *a, struct tools *target,
	const struct opt_text *profile)
{
	struct names wanted = tool_profile(c, a, profile->v);
	struct item *items;
	struct opt_list denied = {.at = profile->at};

	if (tool_profile_within(c, a, profile->v, target)) {
		target->profile = *profile;
		return;
	}
	items = arena_array(a, 64, sizeof *items);
	for (const struct tool *t = catalogue_tools; t->name && denied.count < 64; t++)
		if (!names_match(&wanted, &target->groups, t->name))
			items[denied.count++] = (struct item){t->name, profile->at};
	denied.items = items;
	target->deny = merge_lists(a, &target->deny, &denied);
}

static void tighten_rules(
	struct arena *a, struct opt_special *target, const struct opt_special *workspace)
{
	const struct rules *wanted = workspace->v;
	struct rules *kept = arena_alloc(a, sizeof *kept);
	struct rule *items = arena_array(a, wanted->count, sizeof *items);

	for (size_t i = 0; i < wanted->count; i++)
		if (rule_within(&wanted->items[i], target->v))
			items[kept->count++] = wanted->items[i];
	kept->items = items;
	*target = (struct opt_special){.at = workspace->at, .v = kept};
}

void tighten_apply(const struct config *c, struct arena *a, struct settings *target,
	const struct settings *workspace)
{
	const struct opt_text *profile = &workspace->sandbox.profile;

	if (profile->at.source && str_eq(profile->v, TIGHTEST_PROFILE) &&
		!str_eq(target->sandbox.profile.v, TIGHTEST_PROFILE)) {
		tighten_apply(c, a, target, builtin_profile(TIGHTEST_PROFILE));
		target->sandbox.profile = *profile;
	}
	tighten_table(a, settings_fields, target, workspace);
	tighten_network(a, &target->sandbox.network, &workspace->sandbox.network);
	if (workspace->tools.profile.at.source)
		tighten_tool_profile(c, a, &target->tools, &workspace->tools.profile);
	if (workspace->tools.elevated.rules.at.source)
		tighten_rules(a, &target->tools.elevated.rules, &workspace->tools.elevated.rules);
}
