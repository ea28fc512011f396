/* SPDX-License-Identifier: Apache-2.0 */
#include "model/toolpolicy.h"

#include "base/glob.h"
#include "base/str.h"
#include "model/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *const tool_key_names[] = {
	[TOOL_KEY_PROFILE] = "tools.profile",
	[TOOL_KEY_ALLOW] = "tools.allow",
	[TOOL_KEY_DENY] = "tools.deny",
	[TOOL_KEY_SANDBOX_ALLOW] = "tools.sandbox.allow",
	[TOOL_KEY_SANDBOX_DENY] = "tools.sandbox.deny",
};

_Static_assert(ARRAY_LEN(tool_key_names) == TOOL_KEY_COUNT, "a name for each key");

/* The index of an own group; -1 when there is none. Groups are few (TOOLPOLICY_MAX_GROUPS): a mask
 * marks them. */
static int own_group(const struct opt_map *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strcmp(groups->entries[i].key, name) == 0)
			return (int)i;
	return -1;
}

/* Does an item match this tool? */
struct question {
	const struct opt_map *groups;
	const char *tool;
	bool denies; /* the item stands in a list that forbids */
	uint64_t seen;
};

static bool item_matches(struct question *q, const char *item);

/* Each own group is looked into at most once a question, so that nesting costs nothing extra. */
static bool group_matches(struct question *q, const char *name)
{
	const char *const *builtin = catalogue_group(name);
	int own = own_group(q->groups, name);
	const struct opt_list *list;

	if (builtin)
		return str_in(q->tool, builtin);
	if (own < 0 || own >= TOOLPOLICY_MAX_GROUPS || (q->seen & (UINT64_C(1) << own)))
		return false;
	q->seen |= UINT64_C(1) << own;
	list = &q->groups->entries[own].list;
	for (size_t i = 0; i < list->count; i++)
		if (item_matches(q, list->items[i].text))
			return true;
	return false;
}

/*
 * Where it grants, a bare * means every tool of the catalogue, never a name that ward does not
 * know: an unknown name counts only where a rule spells out at least a part of it. Where it
 * forbids, it means every name. Aliases count too: who denies bash* means exec.
 */
static bool glob_matches(const struct question *q, const char *pattern)
{
	const char *alias;

	if (!q->denies && strspn(pattern, "*?") == strlen(pattern) && !catalogue_find(q->tool))
		return false;
	if (glob_word(pattern, q->tool))
		return true;
	for (size_t i = 0; (alias = catalogue_alias(q->tool, i)) != NULL; i++)
		if (glob_word(pattern, alias))
			return true;
	return false;
}

static bool item_matches(struct question *q, const char *item)
{
	const char *group = catalogue_group_of(item);

	if (group)
		return group_matches(q, group);
	if (glob_has_magic(item))
		return glob_matches(q, item);
	return strcmp(catalogue_resolve(item), q->tool) == 0;
}

bool toolpolicy_item_matches(const struct opt_map *groups, const char *item, const char *tool)
{
	struct question q = {.groups = groups, .tool = tool};

	return item_matches(&q, item);
}

static const struct item *find_denial(
	const struct toolpolicy *p, const struct opt_list *list, const char *tool)
{
	for (size_t i = 0; i < list->count; i++) {
		struct question q = {.groups = &p->tools->groups, .tool = tool, .denies = true};

		if (item_matches(&q, list->items[i].text))
			return &list->items[i];
	}
	return NULL;
}

static const struct item *find_match(
	const struct toolpolicy *p, const struct item *items, size_t count, const char *tool)
{
	for (size_t i = 0; i < count; i++)
		if (toolpolicy_item_matches(&p->tools->groups, items[i].text, tool))
			return &items[i];
	return NULL;
}

static const struct item *in_list(
	const struct toolpolicy *p, const struct opt_list *list, const char *tool)
{
	return find_match(p, list->items, list->count, tool);
}

bool toolpolicy_bypasses(const struct toolpolicy *p, const char *tool, const struct item **ret_item)
{
	const struct item *item = in_list(p, &p->tools->bypass, tool);

	if (item && ret_item)
		*ret_item = item;
	return item != NULL;
}

static struct tool_answer ask_sandboxed(
	const struct toolpolicy *p, const char *tool, struct tool_answer outside)
{
	const struct item *item = find_denial(p, &p->tools->sandbox.deny, tool);

	if (item)
		return (struct tool_answer){false, TOOL_KEY_SANDBOX_DENY, item};
	/* A tool that was chosen to bypass the sandbox need not be listed a second time. */
	if (toolpolicy_bypasses(p, tool, NULL) || in_list(p, &p->tools->sandbox.allow, tool))
		return outside;
	return (struct tool_answer){false, TOOL_KEY_SANDBOX_ALLOW, NULL};
}

struct tool_answer toolpolicy_ask(const struct toolpolicy *p, const char *tool, bool sandboxed)
{
	const struct item *item = find_denial(p, &p->tools->deny, tool);
	struct tool_answer yes = {true, TOOL_KEY_PROFILE, NULL};

	if (item)
		return (struct tool_answer){false, TOOL_KEY_DENY, item};
	item = find_match(p, p->profile_items, p->profile_count, tool);
	if (!item) {
		item = in_list(p, &p->tools->allow, tool);
		yes.key = TOOL_KEY_ALLOW;
	}
	if (!item)
		return (struct tool_answer){false, TOOL_KEY_PROFILE, NULL};
	yes.item = item;
	return sandboxed ? ask_sandboxed(p, tool, yes) : yes;
}

/* Does the rule speak of tools of this server: mcp__<its name, or a glob>__... ? */
static bool names_server(const char *item, const char *server)
{
	char pattern[TOOLPOLICY_NAME];
	const char *end = str_starts(item, "mcp__") ? strstr(item + 5, "__") : NULL;
	size_t len = end ? (size_t)(end - item - 5) : 0;

	if (!end || len >= sizeof pattern)
		return false;
	memcpy(pattern, item + 5, len);
	pattern[len] = '\0';
	return glob_word(pattern, server);
}

/* 1: a rule of the list allows it; 0: rules of it name this server, but not the tool; -1: none. */
static int list_says(const struct toolpolicy *p, const struct item *items, size_t count,
	const char *server, const char *tool, const struct item **ret_item)
{
	int says = -1;

	for (size_t i = 0; i < count && says < 1; i++) {
		if (!names_server(items[i].text, server))
			continue;
		says = toolpolicy_item_matches(&p->tools->groups, items[i].text, tool);
		*ret_item = &items[i];
	}
	return says;
}

static struct tool_answer ask_lists(
	const struct toolpolicy *p, const char *server, const char *name, bool sandboxed)
{
	const struct opt_list *inside = &p->tools->sandbox.allow;
	const struct item *item = NULL;
	int profile = list_says(p, p->profile_items, p->profile_count, server, name, &item);
	int allow = list_says(p, p->tools->allow.items, p->tools->allow.count, server, name, &item);

	if (profile < 1 && allow < 1 && profile + allow > -2)
		return (struct tool_answer){false, TOOL_KEY_ALLOW, NULL};
	if (sandboxed && list_says(p, inside->items, inside->count, server, name, &item) == 0)
		return (struct tool_answer){false, TOOL_KEY_SANDBOX_ALLOW, NULL};
	return (struct tool_answer){true, TOOL_KEY_ALLOW, item};
}

struct tool_answer toolpolicy_ask_server(
	const struct toolpolicy *p, const char *server, const char *tool, bool sandboxed)
{
	char name[TOOLPOLICY_NAME];
	int len = snprintf(name, sizeof name, "mcp__%s__%s", server, tool);
	const struct item *item;

	if (len < 0 || (size_t)len >= sizeof name)
		return (struct tool_answer){false, TOOL_KEY_DENY, NULL};
	item = find_denial(p, &p->tools->deny, name);
	if (!item)
		item = find_denial(p, &p->tools->deny, catalogue_resolve(tool));
	if (item)
		return (struct tool_answer){false, TOOL_KEY_DENY, item};
	item = sandboxed ? find_denial(p, &p->tools->sandbox.deny, name) : NULL;
	if (item)
		return (struct tool_answer){false, TOOL_KEY_SANDBOX_DENY, item};
	return ask_lists(p, server, name, sandboxed);
}

static bool already(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Frameworks' own tools that a list or an own group names outright. */
static size_t add_foreign(const struct toolpolicy *p, const struct item *items, size_t count,
	bool sandboxed, const char **names, size_t n)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = items[i].text;

		if (glob_has_magic(name) || strchr(name, ':') ||
			catalogue_find(catalogue_resolve(name)) || already(names, n, name))
			continue;
		if (toolpolicy_ask(p, name, sandboxed).allowed)
			names[n++] = name;
	}
	return n;
}

const char *const *toolpolicy_effective(const struct toolpolicy *p, struct arena *a, bool sandboxed)
{
	const struct opt_map *groups = &p->tools->groups;
	size_t max = catalogue_count() + p->profile_count + p->tools->allow.count + 1, n = 0;
	const char **names;

	for (size_t i = 0; i < groups->count; i++)
		max += groups->entries[i].list.count;
	names = arena_array(a, max, sizeof *names);
	for (const struct tool *t = catalogue_tools; t->name; t++)
		if (toolpolicy_ask(p, t->name, sandboxed).allowed)
			names[n++] = t->name;
	n = add_foreign(p, p->profile_items, p->profile_count, sandboxed, names, n);
	n = add_foreign(p, p->tools->allow.items, p->tools->allow.count, sandboxed, names, n);
	for (size_t i = 0; i < groups->count; i++) {
		const struct opt_list *list = &groups->entries[i].list;

		n = add_foreign(p, list->items, list->count, sandboxed, names, n);
	}
	names[n] = NULL;
	return names;
}

/* A walk over own groups: `path` marks the groups on the way down, `done` those that are known to
 * be fine. */
struct walk {
	const struct opt_map *groups;
	uint64_t path, done;
	struct err *e;
};

static int walk_items(struct walk *w, const struct item *items, size_t count);

static int walk_list(struct walk *w, const struct opt_list *list)
{
	return walk_items(w, list->items, list->count);
}

static int walk_item(struct walk *w, const struct item *item)
{
	const char *name = catalogue_group_of(item->text);
	char at[WHERE_TEXT];
	uint64_t bit;
	int own, r;

	if (!name || catalogue_group(name))
		return 0;
	where_text(&item->at, at);
	own = own_group(w->groups, name);
	if (own < 0)
		return err_set(w->e, EINVAL, "%s: there is no group '%s'", at, name);
	bit = UINT64_C(1) << own;
	if (w->path & bit)
		return err_set(w->e, EINVAL, "%s: group '%s' contains itself", at, name);
	if (w->done & bit)
		return 0;
	w->path |= bit;
	r = walk_list(w, &w->groups->entries[own].list);
	w->path &= ~bit;
	w->done |= bit;
	return r;
}

static int walk_items(struct walk *w, const struct item *items, size_t count)
{
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = walk_item(w, &items[i]);
	return r;
}

/* Whoever defines a group again, in a later file or an agent's entry, would change what earlier
 * lists mean. */
static int check_defined_once(const struct opt_map *groups, size_t i, struct err *e)
{
	const struct entry *group = &groups->entries[i];
	char at[WHERE_TEXT], before[WHERE_TEXT];
	int first = own_group(groups, group->key);

	if ((size_t)first == i)
		return 0;
	where_text(&group->at, at);
	where_text(&groups->entries[first].at, before);
	return err_set(e, EINVAL, "%s: group '%s' is already defined at %s; choose another name",
		at, group->key, before);
}

static int check_group_names(const struct opt_map *groups, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < groups->count && r == 0; i++) {
		const struct entry *group = &groups->entries[i];
		char at[WHERE_TEXT];

		where_text(&group->at, at);
		if (i >= TOOLPOLICY_MAX_GROUPS)
			return err_set(
				e, EINVAL, "%s: more than %d groups", at, TOOLPOLICY_MAX_GROUPS);
		if (!str_is_name(group->key))
			return err_set(e, EINVAL, "%s: a group needs a plain name", at);
		if (catalogue_group(group->key))
			return err_set(e, EINVAL, "%s: group '%s' is built in; choose another name",
				at, group->key);
		r = check_defined_once(groups, i, e);
	}
	return r;
}

int toolpolicy_check_groups(const struct toolpolicy *p, struct err *e)
{
	const struct tools *t = p->tools;
	const struct opt_list *lists[] = {
		&t->allow, &t->deny, &t->sandbox.allow, &t->sandbox.deny, &t->bypass};
	struct walk w = {.groups = &t->groups, .e = e};
	int r = check_group_names(&t->groups, e);

	for (size_t i = 0; i < ARRAY_LEN(lists) && r == 0; i++)
		r = walk_list(&w, lists[i]);
	if (r == 0)
		r = walk_items(&w, p->profile_items, p->profile_count);
	for (size_t i = 0; i < t->groups.count && r == 0; i++) {
		w.path = UINT64_C(1) << i;
		r = walk_list(&w, &t->groups.entries[i].list);
	}
	return r;
}
