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

static bool written(const void *value)
{
	return ((const struct where *)value)->source != NULL;
}

/* The caller may go beyond the workspace's file: what the caller wrote is left alone, unless the
 * list only adds. */
static bool by_caller(const struct where *at)
{
	return at->source && at->source->level == LEVEL_CALLER;
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

/* Names, globs and own groups may give tools that no table knows: only those count as given before
 * that stand there to the letter. */
static bool goes_beyond_catalogue(const char *item)
{
	const char *group = catalogue_group_of(item);

	if (group)
		return !catalogue_group(group);
	return !catalogue_find(catalogue_resolve(item));
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
	for (size_t i = 0; i < inner.count; i++) {
		struct opt_list letters = {.items = had.items, .count = had.count};
		const char *text = inner.items[i].text;

		if (goes_beyond_catalogue(text) && !merge_list_has(&letters, text) &&
			!merge_list_has(&outer->allow, text))
			return false;
	}
	return true;
}

/* Of two rules for the same command: does the first give at most what the second gives? */
static bool rule_within(const struct rule *inner, const struct rule *outer)
{
	return str_eq(inner->to, outer->to) && inner->approval >= outer->approval &&
	       inner->ttl <= outer->ttl;
}

/* The first rule that matches counts. So a rule that is gone leaves its commands to those behind
 * it, which must not give more. */
static bool gone_within(
	const struct rule *kept, const struct rules *rules, const bool *gone, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (gone[i] && !rule_within(kept, &rules->items[i]))
			return false;
	return true;
}

/* The same rules in the same order, some of them stricter, some of them left out. */
static bool rules_within(struct arena *a, const struct rules *inner, const struct rules *outer)
{
	bool *gone = arena_array(a, outer->count + 1, sizeof *gone);
	size_t next = 0;

	for (size_t i = 0; i < inner->count; i++, next++) {
		const struct rule *r = &inner->items[i];

		while (next < outer->count && !(str_eq(r->pattern, outer->items[next].pattern) &&
						      rule_within(r, &outer->items[next])))
			gone[next++] = true;
		if (next == outer->count || !gone_within(r, outer, gone, next))
			return false;
	}
	return true;
}

/* Rules and patterns are one list. */
static bool elevated_within(const struct tighten *t)
{
	struct settings candidate = *t->outer, keys = {.tools.elevated = t->inner->tools.elevated};
	struct rules inner, outer = resolve_rules(t->arena, &t->outer->tools.elevated);

	merge_settings(t->arena, &candidate, &keys);
	inner = resolve_rules(t->arena, &candidate.tools.elevated);
	return rules_within(t->arena, &inner, &outer);
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
		return elevated_within(t);
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

/* Of whole results also what is gone: a network without a list may be wider than one with it. */
static bool is_compared(const struct tighten *t, const void *inner, const void *outer)
{
	return written(inner) || (t->only && written(outer));
}

/* Some keys are judged together; the one to name is the one that somebody changed. */
static const char *culprit(const struct tighten *t, const char *path)
{
	static const char *const together[][4] = {
		{"sandbox.network.allow", "sandbox.network.mode", NULL},
		{"tools.elevated.rules", "tools.elevated.patterns",
			"tools.elevated.requireApproval", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(together); i++) {
		for (size_t k = 0; together[i][k] && str_in(path, together[i]); k++) {
			const void *base = t->inner;
			const struct field *f =
				field_find_path(settings_fields, together[i][k], &base);
			const void *inner = field_at(f, base);
			const void *outer = same_place(inner, t->inner, t->outer);

			if (is_compared(t, inner, outer) && !order_equal(f, inner, outer))
				return together[i][k];
		}
	}
	return path;
}

static int refuse(const struct tighten *t, const char *path, struct err *e)
{
	auto_(buf_free) struct buf got = BUF(80), had = BUF(80);
	char at[WHERE_TEXT], before[WHERE_TEXT];
	bool defaults = str_eq(t->prefix, "agents.defaults") && str_starts(path, "tools.");
	const void *base = t->inner;
	const struct field *f = field_find_path(settings_fields, path, &base);
	const void *inner = field_at(f, base);
	const void *outer = same_place(inner, t->inner, t->outer);

	if (written(inner)) {
		show_value(&got, f, inner);
		where_text(inner, at);
	} else {
		buf_puts(&got, "no list");
		where_text(&t->inner->sandbox.network.mode.at, at);
	}
	if (written(outer)) {
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

static int check_value(const char *path, const struct field *f, const void *base, void *ctx)
{
	const struct visit *v = ctx;
	const struct tighten *t = v->t;
	const void *inner = field_at(f, base);
	const void *outer = same_place(inner, t->inner, t->outer);

	if (t->only && !covered_by(path, t->only))
		return 0;
	if (!is_compared(t, inner, outer) || value_within(t, path, f, inner, outer))
		return 0;
	return refuse(t, culprit(t, path), v->e);
}

int tighten_check(const struct tighten *t, struct err *e)
{
	struct visit v = {t, e};

	return field_each(settings_fields, t->inner, check_value, &v);
}

/* What both lists give, and what the caller wrote. */
static void keep_common(struct arena *a, const struct field *f, struct opt_list *target,
	const struct opt_list *wanted)
{
	struct item *items = arena_array(a, wanted->count + target->count, sizeof *items);
	struct opt_list out = {.at = wanted->at, .items = items};

	for (size_t i = 0; i < wanted->count; i++)
		if (order_item_within(f, wanted->items[i].text, target))
			items[out.count++] = wanted->items[i];
	for (size_t i = 0; i < target->count; i++) {
		const struct item *item = &target->items[i];

		if (!merge_list_has(&out, item->text) &&
			(by_caller(&item->at) || order_item_within(f, item->text, wanted)))
			items[out.count++] = *item;
	}
	*target = out;
}

static void tighten_table(
	struct arena *a, const struct field *table, void *target, const void *workspace)
{
	for (const struct field *f = table; f->name; f++) {
		void *dst = field_at(f, target);
		const void *src = field_at(f, workspace);

		if (f->type == FIELD_OBJECT)
			tighten_table(a, f->fields, dst, src);
		else if (!written(src) || f->order == ORDER_SPECIAL)
			continue;
		else if (f->order == ORDER_MORE)
			*(struct opt_list *)dst = merge_lists(a, dst, src);
		else if (by_caller(dst) && !f->append)
			continue;
		else if (f->order == ORDER_FEWER)
			keep_common(a, f, dst, src);
		else if (order_within(f, src, dst))
			memcpy(dst, src, field_value_size(f->type));
	}
}

/* Those rules of a list that the policy would let through as well. */
static void keep_reachable(const struct net_policy *policy, const struct netrule *rules,
	const struct opt_list *list, struct opt_list *io, struct item *items)
{
	for (size_t i = 0; i < list->count; i++) {
		struct net_policy one = *policy;

		one.mode = NET_NONE;
		one.has_allow = true;
		one.allow = &rules[i];
		one.allow_count = 1;
		if (net_policy_within(&one, policy) && !merge_list_has(io, list->items[i].text))
			items[io->count++] = list->items[i];
	}
}

/* What both let through: where there is a list, its part that the other allows too. */
static void tighten_network(
	struct arena *a, struct network *target, const struct network *workspace)
{
	struct net_policy outer = resolve_network(a, target);
	struct net_policy wanted = resolve_network(a, workspace);
	size_t most = workspace->allow.count + target->allow.count;
	struct item *items = arena_array(a, most, sizeof *items);
	struct opt_list common = {.items = items};

	if (by_caller(&target->mode.at) || by_caller(&target->allow.at) ||
		!(written(&workspace->mode) || wanted.has_allow))
		return;
	if (outer.has_allow || wanted.has_allow) {
		common.at = wanted.has_allow ? workspace->allow.at : workspace->mode.at;
		keep_reachable(&outer, wanted.allow, &workspace->allow, &common, items);
		keep_reachable(&wanted, outer.allow, &target->allow, &common, items);
		target->allow = common;
	}
	if (written(&workspace->mode) && workspace->mode.v < target->mode.v)
		target->mode = workspace->mode;
}

/* What the profile of the target gives beyond the one that is wanted. */
static struct opt_list tools_beyond(const struct config *c, struct arena *a,
	const struct tools *target, const struct opt_text *profile)
{
	struct names wanted = tool_profile(c, a, profile->v);
	struct names had = tool_profile(c, a, target->profile.v);
	struct opt_list letters = {.items = wanted.items, .count = wanted.count};
	struct item *items = arena_array(a, had.count + catalogue_count(), sizeof *items);
	struct opt_list out = {.at = profile->at, .items = items};

	for (const struct tool *t = catalogue_tools; t->name; t++)
		if (!names_match(&wanted, &target->groups, t->name))
			items[out.count++] = (struct item){t->name, profile->at};
	for (size_t i = 0; i < had.count; i++)
		if (goes_beyond_catalogue(had.items[i].text) &&
			strspn(had.items[i].text, "*?") != strlen(had.items[i].text) &&
			!merge_list_has(&letters, had.items[i].text))
			items[out.count++] = (struct item){had.items[i].text, profile->at};
	return out;
}

/* When the target has another, not wider profile: what is not in both is denied. */
static void tighten_tool_profile(const struct config *c, struct arena *a, struct tools *target,
	const struct opt_text *profile)
{
	struct opt_list beyond;

	if (by_caller(&target->profile.at))
		return;
	if (tool_profile_within(c, a, profile->v, target)) {
		target->profile = *profile;
		return;
	}
	beyond = tools_beyond(c, a, target, profile);
	target->deny = merge_lists(a, &target->deny, &beyond);
}

static const struct rule *find_rule(const struct rules *rules, const struct rule *like)
{
	for (size_t i = 0; i < rules->count; i++)
		if (str_eq(rules->items[i].pattern, like->pattern) &&
			str_eq(rules->items[i].to, like->to))
			return &rules->items[i];
	return NULL;
}

/* The stricter of both. */
static struct rule common_rule(const struct rule *a, const struct rule *b)
{
	struct rule r = *a;

	r.approval |= b->approval;
	r.ttl = b->ttl < a->ttl ? b->ttl : a->ttl;
	return r;
}

/* Of the target's rules those that the workspace has too, and of what stands behind one that goes
 * only what is not laxer. */
static void tighten_rules(
	struct arena *a, struct elevated *target, const struct opt_special *workspace)
{
	const struct rules had = resolve_rules(a, target);
	size_t written_rules = had.count - target->patterns.count;
	bool *gone = arena_array(a, had.count + 1, sizeof *gone);
	struct rule *rules = arena_array(a, had.count, sizeof *rules);
	struct item *patterns = arena_array(a, had.count, sizeof *patterns);
	struct rules *kept = arena_alloc(a, sizeof *kept);
	struct opt_list left = {.at = target->patterns.at, .items = patterns};

	for (size_t i = 0; i < had.count; i++) {
		bool short_form = i >= written_rules;
		const struct rule *like =
			short_form ? &had.items[i] : find_rule(workspace->v, &had.items[i]);
		struct rule r = like ? common_rule(like, &had.items[i]) : had.items[i];

		gone[i] = !like || !gone_within(&r, &had, gone, i);
		if (gone[i])
			continue;
		if (short_form)
			patterns[left.count++] = target->patterns.items[i - written_rules];
		else
			rules[kept->count++] = r;
	}
	kept->items = rules;
	target->rules = (struct opt_special){.at = workspace->at, .v = kept};
	target->patterns = left;
}

/* The tightest profile, whole. */
static void tighten_profile(const struct config *c, struct arena *a, struct settings *target,
	const struct opt_text *profile)
{
	if (!written(profile) || !str_eq(profile->v, TIGHTEST_PROFILE) ||
		str_eq(target->sandbox.profile.v, TIGHTEST_PROFILE) ||
		by_caller(&target->sandbox.profile.at))
		return;
	tighten_apply(c, a, target, builtin_profile(TIGHTEST_PROFILE));
	target->sandbox.profile = *profile;
}

void tighten_apply(const struct config *c, struct arena *a, struct settings *target,
	const struct settings *workspace)
{
	struct where required = target->sandbox.require.at;

	tighten_profile(c, a, target, &workspace->sandbox.profile);
	tighten_table(a, settings_fields, target, workspace);
	/* Who asks for one more layer has not written the list: limits are still added to it. */
	target->sandbox.require.at = required;
	tighten_network(a, &target->sandbox.network, &workspace->sandbox.network);
	if (written(&workspace->tools.profile))
		tighten_tool_profile(c, a, &target->tools, &workspace->tools.profile);
	if (written(&workspace->tools.elevated.rules) &&
		!by_caller(&target->tools.elevated.rules.at))
		tighten_rules(a, &target->tools.elevated, &workspace->tools.elevated.rules);
}
