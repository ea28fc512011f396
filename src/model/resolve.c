/* SPDX-License-Identifier: Apache-2.0 */
#include "model/resolve.h"

#include "base/str.h"
#include "model/bindspec.h"
#include "model/locks.h"
#include "model/merge.h"
#include "model/tighten.h"

#include <errno.h>
#include <string.h>

/*
 * All sections of that name: the command line may write one in several parts. What was read for
 * another agent and dropped must not pass for an entry that says nothing.
 */
static int merge_sections(const struct sections *sections, const char *name, struct arena *a,
	struct settings *io, struct err *e)
{
	int found = 0;

	for (size_t i = 0; i < sections->count; i++) {
		const struct section *s = &sections->items[i];

		if (strcmp(s->name, name) != 0)
			continue;
		if (!s->settings)
			return err_set(e, EINVAL,
				"'%s': its section was not kept when the configuration was read",
				name);
		merge_settings(a, io, s->settings);
		found = 1;
	}
	return found;
}

/* Of the levels up to `last` only: what a later file makes of a profile is no part of an earlier
 * file's meaning. */
static int merge_profile(const struct config *c, const struct opt_text *profile, enum level last,
	struct arena *a, struct settings *io, struct err *e)
{
	const struct settings *builtin = builtin_profile(profile->v);
	bool found = builtin != NULL;
	char at[WHERE_TEXT];

	if (builtin)
		merge_settings(a, io, builtin);
	for (int i = 0; i <= (int)last && !builtin; i++) {
		int r = merge_sections(&c->levels[i].profiles, profile->v, a, io, e);

		if (r < 0)
			return r;
		found |= r > 0;
	}
	if (found)
		return 0;
	where_text(&profile->at, at);
	return err_set(e, ENOENT, "%s: there is no profile '%s'", at, profile->v);
}

/* A section with the profile it names right beneath it. */
static int merge_with_profile(const struct config *c, const struct settings *section,
	enum level last, struct arena *a, struct settings *io, struct err *e)
{
	int r = 0;

	if (section->sandbox.profile.at.source)
		r = merge_profile(c, &section->sandbox.profile, last, a, io, e);
	if (r == 0)
		merge_settings(a, io, section);
	return r;
}

/* The defaults and the agent's entry, each over all levels but the workspace's. */
static int merge_levels(const struct config *c, const char *agent, enum level last, struct arena *a,
	struct settings *defaults, struct settings *entry, struct err *e)
{
	int r = 0;

	for (int i = LEVEL_SYSTEM; i <= (int)last && r >= 0; i++) {
		const struct config_level *level = &c->levels[i];

		if (i == LEVEL_WORKSPACE || !level->source)
			continue;
		merge_settings(a, defaults, &level->defaults);
		if (agent)
			r = merge_sections(&level->entries, agent, a, entry, e);
	}
	return r < 0 ? r : 0;
}

static bool somebody_wrote(const struct where *at)
{
	return at->source && at->source->level != LEVEL_BUILTIN;
}

/* The default asks for every limit that somebody wrote; a written list is exactly that list. */
static struct opt_list collect_require(struct arena *a, const struct sandbox *s)
{
	const struct {
		const char *layer;
		const struct where *at;
	} limits[] = {
		{"memory", &s->resources.memory.at},
		{"cpu", &s->resources.cpus.at},
		{"pids", &s->resources.pids.at},
		{"disk", &s->resources.disk.at},
	};
	struct opt_list out = s->require;

	if (somebody_wrote(&s->require.at))
		return out;
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		struct item item = {limits[i].layer, *limits[i].at};
		struct opt_list one = {.at = out.at, .items = &item, .count = 1};

		if (somebody_wrote(limits[i].at))
			out = merge_lists(a, &out, &one);
	}
	return out;
}

int resolve_up_to(const struct config *c, const char *agent, enum level last, struct arena *a,
	struct settings *ret, struct err *e)
{
	struct settings out = builtin_defaults, defaults = {0}, entry = {0};
	int r = merge_levels(c, agent, last, a, &defaults, &entry, e);

	if (r == 0 && !defaults.sandbox.profile.at.source)
		r = merge_profile(c, &out.sandbox.profile, last, a, &out, e);
	if (r == 0)
		r = merge_with_profile(c, &defaults, last, a, &out, e);
	if (r == 0)
		r = merge_with_profile(c, &entry, last, a, &out, e);
	if (r == 0 && last == LEVEL_CALLER && c->levels[LEVEL_CALLER].source)
		r = merge_with_profile(c, &c->levels[LEVEL_CALLER].override, last, a, &out, e);
	if (r < 0)
		return r;
	out.sandbox.require = collect_require(a, &out.sandbox);
	*ret = out;
	return 0;
}

static int check_workspace(const struct config *c, const char *agent,
	const struct settings *section, struct arena *a, struct err *e)
{
	struct settings outer;
	struct tighten t = {
		.config = c,
		.arena = a,
		.inner = section,
		.outer = &outer,
		.prefix = agent ? arena_printf(a, "agents.entries.%s", agent) : "agents.defaults",
		.because = "a workspace's file may only tighten",
	};
	int r = resolve_up_to(c, agent, LEVEL_USER, a, &outer, e);

	return r < 0 ? r : tighten_check(&t, e);
}

/* Checks the workspace's sections and lays them over the result. */
static int apply_workspace(const struct config *c, const char *agent, struct arena *a,
	struct settings *io, struct err *e)
{
	const struct config_level *ws = &c->levels[LEVEL_WORKSPACE];
	struct settings own = {0};
	int r = check_workspace(c, NULL, &ws->defaults, a, e);

	if (r == 0 && agent)
		r = merge_sections(&ws->entries, agent, a, &own, e);
	if (r > 0)
		r = check_workspace(c, agent, &own, a, e);
	if (r < 0)
		return r;
	tighten_apply(c, a, io, &ws->defaults);
	tighten_apply(c, a, io, &own);
	return 0;
}

struct rules resolve_rules(struct arena *a, const struct elevated *el)
{
	const struct rules *written = el->rules.v;
	size_t count = (written ? written->count : 0) + el->patterns.count;
	struct rule *items = arena_array(a, count, sizeof *items);
	struct rules out = {.items = items};

	for (size_t i = 0; written && i < written->count; i++)
		items[out.count++] = written->items[i];
	for (size_t i = 0; i < el->patterns.count; i++)
		items[out.count++] = (struct rule){
			.pattern = el->patterns.items[i].text,
			.to = "host",
			.approval = el->require_approval.v,
			.at = el->patterns.items[i].at,
		};
	return out;
}

/* The reader has checked every rule. One that does not parse all the same matches no name and no
 * address. */
static const struct netrule *parse_rules(struct arena *a, const struct opt_list *list)
{
	struct netrule *rules = arena_array(a, list->count, sizeof *rules);

	for (size_t i = 0; i < list->count; i++)
		if (netrule_parse(a, list->items[i].text, &rules[i], NULL) < 0)
			rules[i] = (struct netrule){.kind = NETRULE_NAME, .name = ""};
	return rules;
}

struct net_policy resolve_network(struct arena *a, const struct network *n)
{
	return (struct net_policy){
		.mode = (enum net_mode)n->mode.v,
		.has_allow = n->allow.at.source != NULL,
		.allow = parse_rules(a, &n->allow),
		.allow_count = n->allow.count,
		.deny = parse_rules(a, &n->deny),
		.deny_count = n->deny.count,
	};
}

static int check_sources(
	const struct config *c, const struct sandbox *s, struct arena *a, struct err *e)
{
	struct bindspec_rules rules = {
		.home = c->home,
		.own = c->own,
		.exceptions = s->allowed_bind_sources.items,
		.exception_count = s->allowed_bind_sources.count,
	};
	char at[WHERE_TEXT];
	int r = 0;

	for (size_t i = 0; i < s->binds.count && r == 0; i++) {
		const struct item *item = &s->binds.items[i];
		struct bindspec bind;

		r = bindspec_parse(a, item->text, c->home, &bind, e);
		if (r == 0)
			r = bindspec_source_allowed(bind.source, &rules, e);
		where_text(&item->at, at);
		if (r < 0)
			return err_ctx(e, r, "%s: binds", at);
	}
	for (size_t i = 0; i < s->host_paths.count && r == 0; i++) {
		r = bindspec_source_allowed(s->host_paths.items[i].text, &rules, e);
		where_text(&s->host_paths.items[i].at, at);
		if (r < 0)
			return err_ctx(e, r, "%s: hostPaths", at);
	}
	return 0;
}

static bool profile_exists(const struct config *c, const char *name)
{
	if (builtin_profile(name))
		return true;
	for (int i = 0; i < LEVEL_COUNT; i++)
		if (config_find(&c->levels[i].profiles, name))
			return true;
	return false;
}

static int check_rule_targets(const struct config *c, const struct rules *rules, struct err *e)
{
	for (size_t i = 0; i < rules->count; i++) {
		char at[WHERE_TEXT];

		if (str_eq(rules->items[i].to, "host") || profile_exists(c, rules->items[i].to))
			continue;
		where_text(&rules->items[i].at, at);
		return err_set(e, ENOENT, "%s: a rule leads to '%s', but there is no such profile",
			at, rules->items[i].to);
	}
	return 0;
}

static int finish(const struct config *c, const char *agent, struct arena *a, struct effective *io,
	struct err *e)
{
	char at[WHERE_TEXT];
	int r;

	io->agent = agent ? agent : "main";
	io->agent_known = agent && config_has_agent(c, agent);
	io->tools = (struct toolpolicy){
		.profile = io->s.tools.profile.v,
		.profile_at = io->s.tools.profile.at,
		.tools = &io->s.tools,
	};
	io->tools.profile_items =
		config_tool_profile(c, a, io->tools.profile, &io->tools.profile_count);
	if (!io->tools.profile_items) {
		where_text(&io->tools.profile_at, at);
		return err_set(
			e, ENOENT, "%s: there is no tool profile '%s'", at, io->tools.profile);
	}
	io->rules = resolve_rules(a, &io->s.tools.elevated);
	io->require = collect_require(a, &io->s.sandbox);
	io->net = resolve_network(a, &io->s.sandbox.network);
	r = toolpolicy_check_groups(&io->tools, e);
	if (r == 0)
		r = check_rule_targets(c, &io->rules, e);
	return r < 0 ? r : check_sources(c, &io->s.sandbox, a, e);
}

int resolve_agent(const struct config *c, const char *agent, struct arena *a, struct effective *ret,
	struct err *e)
{
	struct settings s;
	int r = resolve_up_to(c, agent, LEVEL_CALLER, a, &s, e);

	if (r == 0 && c->levels[LEVEL_WORKSPACE].source)
		r = apply_workspace(c, agent, a, &s, e);
	if (r == 0)
		r = locks_check(c, agent, a, &s, e);
	if (r < 0)
		return r;
	*ret = (struct effective){.s = s};
	return finish(c, agent, a, ret, e);
}

int resolve_elevated(const struct config *c, const struct effective *from, const char *profile,
	struct arena *a, struct effective *ret, struct err *e)
{
	struct opt_text name = {.at = {.source = &builtin_source}, .v = profile};
	struct settings s = from->s;
	int r = merge_profile(c, &name, LEVEL_CALLER, a, &s, e);

	if (r == 0)
		r = locks_check(c, from->agent, a, &s, e);
	if (r < 0)
		return r;
	s.sandbox.profile = name;
	*ret = (struct effective){.s = s};
	return finish(c, from->agent, a, ret, e);
}
