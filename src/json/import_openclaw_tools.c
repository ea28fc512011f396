/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/str.h"
#include "json/import_put.h"
#include "model/catalogue.h"
#include "model/settings.h"

#include <ctype.h>
#include <string.h>

/*
 * openclaw's `tools`. Two things differ. Its `allow` without a profile is the whole list of what an
 * agent may use, whereas ward's adds to a profile: such a list becomes a tool profile of its own.
 * And it has groups that ward does not know: those that a list names are defined under
 * tools.groups.
 */

#define FRAMEWORK "a matter of the framework, not of ward"
#define APPROVAL "ward asks by tools.elevated, and by its own rules for each command"

static const struct {
	const char *name;
	const char *tools; /* JSON5 */
} groups[] = {
	{"web", "[\"web_search\", \"web_fetch\"]"},
	{"memory", "[\"memory_search\", \"memory_get\"]"},
	{"ui", "[\"browser\", \"canvas\"]"},
	{"nodes", "[\"nodes\"]"},
	{"openclaw", "[\"*\"]"},
};

static const struct import_word profiles[] = {{"full", "full", NULL}, {"coding", "coding", NULL},
	{"messaging", "messaging", NULL}, {"minimal", "minimal", NULL}, {0}};

static bool has_line(const struct import_entry *e, const char *text)
{
	for (const struct import_line *line = e->first; line; line = line->next)
		if (str_eq(line->text, text))
			return true;
	return false;
}

/* Defines one of openclaw's groups for all agents. */
static void define_group(struct import *im, size_t i)
{
	const struct import_at all = {.agent = &im->doc.all, .part = IMPORT_TOOLS};
	const char *text = arena_printf(&im->arena, "%s: %s", groups[i].name, groups[i].tools);
	struct import_entry *entry =
		import_put_extend(im, &all, "groups", '{', "groups that ward does not have");

	if (!has_line(entry, text))
		import_doc_line(&im->doc, entry, text, NULL);
}

/* Why a group cannot be named here; NULL when it can. */
static const char *check_group(struct import *im, const char *name)
{
	if (catalogue_group(name))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (str_eq(groups[i].name, name)) {
			define_group(im, i);
			return NULL;
		}
	return "ward has no such group; name its tools";
}

/* openclaw compares names in small letters. */
static const char *small_letters(struct import *im, const char *text)
{
	char *copy = arena_text(&im->arena, text, strlen(text));

	for (char *p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

static void add_tool(struct import *im, struct import_entry *list, const char *text)
{
	const char *tool = small_letters(im, text);
	const char *quoted = import_doc_quote(&im->arena, tool);
	const char *group = catalogue_group_of(tool);
	const char *refused = NULL;
	struct err why = {0};

	if (catalogue_check_pattern(tool, &why) < 0)
		refused = arena_printf(&im->arena, "refused: %s", why.text);
	else if (group)
		refused = check_group(im, group);
	import_doc_line(&im->doc, list, quoted, refused);
}

static int add_tools(struct import *im, const struct import_at *at, struct import_entry *list)
{
	int rc = import_list(im, at);

	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i);
		const char *text;

		rc = import_text(im, &item, &text);
		if (rc == 0)
			add_tool(im, list, text);
	}
	return rc;
}

/* A key of ward from one or two lists of openclaw, of which either may be absent. */
static int put_tools(struct import *im, const struct import_at *object, const char *to,
	const char *remark, const char *key, const char *more)
{
	struct import_entry *list;
	struct import_at first, second;
	bool has_first = import_member(im, object, key, &first);
	bool has_second = more && import_member(im, object, more, &second);
	int rc;

	if (!has_first && !has_second)
		return 0;
	rc = import_put_open(im, has_first ? &first : &second, to, '[', remark, &list);
	if (rc == 0 && has_first)
		rc = add_tools(im, &first, list);
	if (rc == 0 && has_second)
		rc = add_tools(im, &second, list);
	return rc;
}

/* alsoAllow adds to what holds for all agents, or else by default, so that is spelled out. */
static int put_also_allowed(struct import *im, const struct import_at *also)
{
	const struct opt_list *builtin = &builtin_defaults.tools.sandbox.allow;
	const struct node *all = tree_path(im->root, "tools.sandbox.tools.allow");
	bool from_all = also->agent->id && all && all->type == NODE_ARRAY;
	struct import_at base = *also;
	struct import_entry *list;
	int rc = import_put_open(im, also, "sandbox.allow", '[',
		from_all ? "what holds for all agents, and alsoAllow"
			 : "ward's default list and alsoAllow",
		&list);

	base.node = all;
	if (rc == 0 && from_all)
		rc = add_tools(im, &base, list);
	for (size_t i = 0; rc == 0 && !from_all && i < builtin->count; i++)
		add_tool(im, list, builtin->items[i].text);
	return rc < 0 ? rc : add_tools(im, also, list);
}

static const struct import_key sandbox_tools_keys[] = {
	{"allow", .read = import_skip},
	{"alsoAllow", .read = import_skip},
	{"deny", .read = import_skip},
	{0},
};

int import_openclaw_sandbox_tools(struct import *im, const struct import_at *at)
{
	struct import_at also;
	int rc = import_walk(im, at, sandbox_tools_keys);

	if (rc == 0 && !tree_get(at->node, "allow") && import_member(im, at, "alsoAllow", &also))
		rc = put_also_allowed(im, &also);
	else if (rc == 0)
		rc = put_tools(im, at, "sandbox.allow", NULL, "allow", "alsoAllow");
	return rc < 0 ? rc : put_tools(im, at, "sandbox.deny", NULL, "deny", NULL);
}

static const struct import_key sandbox_keys[] = {
	{"tools", .read = import_openclaw_sandbox_tools},
	{0},
};

static const struct import_key elevated_keys[] = {
	{"enabled", .to = "elevated.enabled"},
	{"patterns", .to = "elevated.patterns"},
	{"requireApproval", .to = "elevated.requireApproval"},
	{"allowFrom",
		.note = "who may ask is a matter of the framework; ward asks whoever approves"},
	{0},
};

/* The time for one command is a key of the sandbox here. */
static int read_timeout(struct import *im, const struct import_at *at)
{
	struct import_at timeout = *at;

	timeout.part = IMPORT_SANDBOX;
	timeout.notes = NULL;
	return import_put(im, &timeout, "timeout", "s", NULL);
}

static const struct import_key exec_keys[] = {
	{"timeoutSec", .read = read_timeout},
	{"timeoutSeconds", .read = read_timeout},
	{"host", .note = "sandbox.mode and tools.elevated say where commands run"},
	{"security", .note = APPROVAL},
	{"ask", .note = APPROVAL},
	{"mode", .note = APPROVAL},
	{"node", .note = FRAMEWORK},
	{"pathPrepend", .note = "set PATH in sandbox.env, and see sandbox.hostPaths"},
	{"safeBins", .note = APPROVAL},
	{"backgroundMs", .note = FRAMEWORK},
	{"cleanupMs", .note = FRAMEWORK},
	{"notifyOnExit", .note = FRAMEWORK},
	{"applyPatch", .note = FRAMEWORK},
	{0},
};

static const struct import_key fs_keys[] = {
	{"workspaceOnly", .note = "always so while sandboxed"},
	{0},
};

static const struct import_key tools_keys[] = {
	{"profile", .read = import_skip},
	{"allow", .read = import_skip},
	{"alsoAllow", .read = import_skip},
	{"deny", .read = import_skip},
	{"sandbox", .keys = sandbox_keys},
	{"elevated", .keys = elevated_keys},
	{"exec", .keys = exec_keys},
	{"bash", .keys = exec_keys},
	{"fs", .keys = fs_keys},
	{"byProvider", .note = "ward does not know which model calls a tool"},
	{"toolsBySender",
		.note = "ward does not know who wrote a message; use an agent of its own"},
	{"web", .note = FRAMEWORK},
	{"media", .note = FRAMEWORK},
	{"links", .note = FRAMEWORK},
	{"message", .note = FRAMEWORK},
	{"sessions", .note = FRAMEWORK},
	{"agentToAgent", .note = FRAMEWORK},
	{"loopDetection", .note = FRAMEWORK},
	{"subagents", .note = FRAMEWORK},
	{"toolSearch", .note = FRAMEWORK},
	{"codeMode", .note = FRAMEWORK},
	{"swarm", .note = FRAMEWORK},
	{0},
};

/* A tool profile of exactly these tools. */
static int put_own_profile(struct import *im, const struct import_at *tools)
{
	const char *id = tools->agent->id;
	const char *name = id ? arena_printf(&im->arena, "imported-%s", id) : "imported";
	struct import_entry *list;
	struct import_at allow, also;
	int rc;

	if (!str_is_name(name))
		name = id;
	list = import_doc_entry(
		&im->doc, &im->doc.tool_profiles, name, '[', "exactly what was allowed there");
	import_member(im, tools, "allow", &allow);
	if (!list)
		return import_fail(im, &allow, "there is a tool profile '%s' already", name);
	rc = add_tools(im, &allow, list);
	if (rc == 0 && import_member(im, tools, "alsoAllow", &also))
		rc = add_tools(im, &also, list);
	return rc < 0 ? rc : import_put_text(im, &allow, "profile", name, "see toolProfiles");
}

static int put_profile(struct import *im, const struct import_at *tools)
{
	const struct import_word *profile = NULL;
	struct import_at at, allow;
	bool has_profile = import_member(im, tools, "profile", &at);
	bool has_allow = import_member(im, tools, "allow", &allow);
	int rc = has_profile ? import_find_word(im, &at, profiles, &profile) : 0;

	if (rc == 0 && has_allow)
		rc = import_list(im, &allow);
	if (rc < 0)
		return rc;
	if (has_allow && allow.node->count && (!has_profile || str_eq(profile->to, "full")))
		return put_own_profile(im, tools);
	if (has_profile)
		rc = import_put_text(im, &at, "profile", profile->to, NULL);
	if (rc < 0)
		return rc;
	return put_tools(im, tools, "allow",
		has_profile && has_allow ? "on top of the profile" : NULL, "allow", "alsoAllow");
}

int import_openclaw_tools(struct import *im, const struct import_at *at)
{
	struct import_at tools = *at;
	int rc;

	tools.part = IMPORT_TOOLS;
	tools.notes = NULL;
	rc = import_walk(im, &tools, tools_keys);
	if (rc == 0)
		rc = put_profile(im, &tools);
	return rc < 0 ? rc : put_tools(im, &tools, "deny", NULL, "deny", NULL);
}
