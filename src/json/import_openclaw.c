/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "json/import_put.h"
#include "model/config.h"

/*
 * openclaw, once clawdbot: JSON5 with `agents` and `tools`, much like ward's own. Read as well: a
 * `sandbox` at the top, and the older places `agent` and `routing.agents`.
 */

#define FRAMEWORK "a matter of the framework, not of ward"

/* Keys of an agent that have nothing to do with what it may run. */
#define AGENT_KEYS                                                                             \
	{"name", .note = FRAMEWORK}, {"description", .note = FRAMEWORK},                       \
		{"default", .note = FRAMEWORK}, {"agentDir", .note = FRAMEWORK},               \
		{"model", .note = FRAMEWORK}, {"models", .note = FRAMEWORK},                   \
		{"imageModel", .note = FRAMEWORK}, {"identity", .note = FRAMEWORK},            \
		{"groupChat", .note = FRAMEWORK}, {"subagents", .note = FRAMEWORK},            \
		{"skills", .note = FRAMEWORK}, {"heartbeat", .note = FRAMEWORK},               \
		{"memorySearch", .note = FRAMEWORK}, {"memory", .note = FRAMEWORK},            \
		{"params", .note = FRAMEWORK}, {"thinkingDefault", .note = FRAMEWORK},         \
		{"verboseDefault", .note = FRAMEWORK}, {"elevatedDefault", .note = FRAMEWORK}, \
		{"timeoutSeconds", .note = "the time for a whole turn; see sandbox.timeout"},  \
		{"maxConcurrent", .note = FRAMEWORK}, {"contextTokens", .note = FRAMEWORK},    \
		{"compaction", .note = FRAMEWORK}, {"humanDelay", .note = FRAMEWORK},          \
		{"repoRoot", .note = FRAMEWORK},                                               \
	{                                                                                      \
		"mentionPatterns", .note = FRAMEWORK                                           \
	}

static int read_workspace(struct import *im, const struct import_at *at)
{
	struct import_at workspace = *at;

	workspace.part = IMPORT_SANDBOX;
	workspace.notes = NULL;
	return import_put(im, &workspace, "workspacePath", NULL, NULL);
}

static const struct import_key agent_keys[] = {
	{"id", .read = import_skip},
	{"sandbox", .read = import_openclaw_sandbox},
	{"tools", .read = import_openclaw_tools},
	{"workspace", .read = read_workspace},
	AGENT_KEYS,
	{0},
};

static int read_agent(struct import *im, const struct import_at *at, const char *id)
{
	auto_(buf_free) struct buf shown = BUF(80);
	struct import_at agent = *at;

	escape_text(&shown, id);
	if (!str_is_name(id))
		return import_fail(im, at,
			"'%s' cannot be the name of an agent here: letters, digits, '_', '.', '-'",
			buf_text(&shown));
	agent.agent = import_doc_agent(&im->doc, id);
	if (!agent.agent)
		return import_fail(im, at, "agent '%s' stands here twice", buf_text(&shown));
	agent.notes = &agent.agent->notes;
	return import_walk(im, &agent, agent_keys);
}

static int check_count(struct import *im, const struct import_at *at)
{
	if (at->node->count > CONFIG_MAX_SECTIONS)
		return import_fail(im, at, "more than %d agents", CONFIG_MAX_SECTIONS);
	return 0;
}

/* agents.list: objects with an id. */
static int read_list(struct import *im, const struct import_at *at)
{
	int rc = import_list(im, at);

	if (rc == 0)
		rc = check_count(im, at);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i), id;
		const char *text;

		rc = import_object(im, &item);
		if (rc == 0 && !import_member(im, &item, "id", &id))
			rc = import_fail(im, &item, "an agent needs an id");
		if (rc == 0)
			rc = import_text(im, &id, &text);
		if (rc == 0)
			rc = read_agent(im, &item, text);
	}
	return rc;
}

/* agents.entries, routing.agents: by id. */
static int read_entries(struct import *im, const struct import_at *at)
{
	int rc = import_object(im, at);

	if (rc == 0)
		rc = check_count(im, at);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item;

		if (import_member_at(im, at, i, &item))
			rc = read_agent(im, &item, item.key);
	}
	return rc;
}

static const struct import_key defaults_keys[] = {
	{"sandbox", .read = import_openclaw_sandbox},
	{"workspace", .read = read_workspace},
	AGENT_KEYS,
	{0},
};

static const struct import_key agents_keys[] = {
	{"defaults", .keys = defaults_keys},
	{"list", .read = read_list},
	{"entries", .read = read_entries},
	{0},
};

/* clawdbot's `agent`: what later became agents.defaults and tools. */
static const struct import_key old_agent_keys[] = {
	{"sandbox", .read = import_openclaw_sandbox},
	{"tools", .read = import_openclaw_tools},
	{"workspace", .read = read_workspace},
	AGENT_KEYS,
	{0},
};

static const struct import_key routing_keys[] = {
	{"agents", .read = read_entries},
	{"defaultAgentId", .note = FRAMEWORK},
	{"bindings", .note = FRAMEWORK},
	{"groupChat", .note = FRAMEWORK},
	{"allowFrom", .note = FRAMEWORK},
	{"queue", .note = FRAMEWORK},
	{0},
};

static const struct import_key top_keys[] = {
	{"agents", .keys = agents_keys},
	{"tools", .read = import_openclaw_tools},
	{"sandbox", .read = import_openclaw_sandbox},
	{"agent", .keys = old_agent_keys},
	{"routing", .keys = routing_keys},
	{"$schema", .note = FRAMEWORK},
	{"meta", .note = FRAMEWORK},
	{"wizard", .note = FRAMEWORK},
	{"env", .note = "set what programs need in sandbox.env or sandbox.passEnv"},
	{"logging", .note = FRAMEWORK},
	{"auth", .note = FRAMEWORK},
	{"models", .note = FRAMEWORK},
	{"bindings", .note = FRAMEWORK},
	{"channels", .note = FRAMEWORK},
	{"messages", .note = FRAMEWORK},
	{"commands", .note = FRAMEWORK},
	{"session", .note = FRAMEWORK},
	{"cron", .note = FRAMEWORK},
	{"hooks", .note = FRAMEWORK},
	{"gateway", .note = FRAMEWORK},
	{"skills", .note = FRAMEWORK},
	{"plugins", .note = FRAMEWORK},
	{"browser", .note = FRAMEWORK},
	{"ui", .note = FRAMEWORK},
	{"talk", .note = FRAMEWORK},
	{"web", .note = FRAMEWORK},
	{"discovery", .note = FRAMEWORK},
	{"canvasHost", .note = FRAMEWORK},
	{"nodeHost", .note = FRAMEWORK},
	{"memory", .note = FRAMEWORK},
	{"approvals", .note = FRAMEWORK},
	{"identity", .note = FRAMEWORK},
	{"update", .note = FRAMEWORK},
	{"broadcast", .note = FRAMEWORK},
	{"whatsapp", .note = FRAMEWORK},
	{"telegram", .note = FRAMEWORK},
	{"discord", .note = FRAMEWORK},
	{"slack", .note = FRAMEWORK},
	{"signal", .note = FRAMEWORK},
	{"imessage", .note = FRAMEWORK},
	{0},
};

int import_openclaw(struct import *im, const struct import_at *at)
{
	struct import_agent *all = &im->doc.all;
	const char *why = arena_printf(&im->arena, "%s's default", im->system);
	int rc = import_walk(im, at, top_keys);

	if (rc < 0)
		return rc;
	import_put_default(im, all, IMPORT_SANDBOX, "mode", "\"off\"",
		arena_printf(&im->arena,
			"%s: nothing is sandboxed; \"all\" is what ward recommends", why));
	import_put_default(im, all, IMPORT_SANDBOX, "scope", "\"agent\"", why);
	import_put_default(im, all, IMPORT_SANDBOX, "runtime", "\"auto\"",
		"docker is not needed: ward's own engine isolates as well");
	import_put_default(im, all, IMPORT_SANDBOX, "workspace", "\"none\"", why);
	if (!import_doc_find(&all->parts[IMPORT_TOOLS], "profile"))
		import_doc_note(&im->doc, &all->parts[IMPORT_TOOLS].notes, "tools", "profile",
			"not set, so every tool is allowed; ward's default is \"coding\", write "
			"\"full\" for all");
	return 0;
}
