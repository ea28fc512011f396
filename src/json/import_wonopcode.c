/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_systems.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "json/import_put.h"
#include "model/config.h"

/*
 * wonopcode: JSON with comments. `sandbox` holds for all agents, `agent.<name>.sandbox` for one.
 * Tools are not chosen by profiles; the map `tools` turns single ones on and off.
 */

#define FRAMEWORK "a matter of the framework, not of ward"
#define WONOPCODE_DEFAULT "wonopcode's default"

static const struct import_word runtimes[] = {{"auto", "auto", NULL}, {"docker", "docker", NULL},
	{"podman", "podman", NULL}, {"lima", "lima", NULL}, {"none", NULL, NULL}, {0}};
static const struct import_word networks[] = {
	{"none", "none", NULL}, {"limited", "limited", NULL}, {"full", "full", NULL}, {0}};

/* Names that differ from ward's by an underscore. */
static const char *const renamed[][2] = {
	{"webfetch", "web_fetch"},
	{"websearch", "web_search"},
};

static const char *tool_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
		if (str_eq(renamed[i][0], name))
			return renamed[i][1];
	return name;
}

static int read_image(struct import *im, const struct import_at *at)
{
	const char *image;
	int rc = import_text(im, at, &image);

	if (rc < 0)
		return rc;
	if (!str_starts(image, "wonopcode/sandbox:") && !str_eq(image, "wonopcode/sandbox"))
		return import_put_text(im, at, "image", image, NULL);
	import_note(im, at, "wonopcode's own image; the programs of the host take its place");
	/* An agent may come back from an image that holds for all the others. */
	return at->agent->id ? import_put_text(im, at, "image", "host", NULL) : 0;
}

static int read_writable(struct import *im, const struct import_at *at)
{
	bool writable;
	int rc = import_bool(im, at, &writable);

	return rc < 0 ? rc : import_put_text(im, at, "workspace", writable ? "rw" : "ro", NULL);
}

/* A map from the host's folder to the one inside, or a list of folders that stay where they are. */
static int read_readonly(struct import *im, const struct import_at *at)
{
	static const struct bindspec_rules no_exceptions;
	bool map = at->node->type == NODE_OBJECT;
	struct import_entry *list;
	int rc = map ? 0 : import_list(im, at);

	if (rc == 0)
		rc = import_put_open(im, at, "binds", '[', NULL, &list);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item;
		const char *to;

		if (!map)
			item = import_item(im, at, i);
		else if (!import_member_at(im, at, i, &item))
			continue;
		rc = import_text(im, &item, &to);
		if (rc == 0)
			import_put_bind(im, list, &no_exceptions,
				arena_printf(&im->arena, "%s:%s:ro", map ? item.key : to, to));
	}
	return rc;
}

/* They run on the host, and they must be allowed at all: wonopcode allows every tool. */
static int read_bypass(struct import *im, const struct import_at *at)
{
	struct import_at tools = *at;
	struct import_entry *bypass, *allow = NULL;
	int rc = import_list(im, at);

	tools.part = IMPORT_TOOLS;
	if (rc == 0)
		rc = import_put_open(im, &tools, "bypass", '[', NULL, &bypass);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i);
		const char *text;

		rc = import_text(im, &item, &text);
		if (rc < 0)
			break;
		if (!allow)
			allow = import_put_extend(im, &tools, "allow", '[',
				"what bypasses the sandbox must be allowed first");
		import_put_item(im, &tools, bypass, tool_name(text));
		import_put_item(im, &tools, allow, tool_name(text));
	}
	return rc;
}

static const struct import_key resources_keys[] = {
	{"memory", .to = "resources.memory"},
	{"cpus", .to = "resources.cpus"},
	{"pids", .to = "resources.pids"},
	{"disk", .to = "resources.disk"},
	{"readonly_rootfs", .to = "readOnlyRoot"},
	{0},
};

static const struct import_key mounts_keys[] = {
	{"workspace_writable", .read = read_writable},
	{"persist_caches", .to = "persistCaches"},
	{"readonly", .read = read_readonly},
	{"workspace_path", .read = import_put_workspace_place},
	{0},
};

static const struct import_key sandbox_keys[] = {
	{"enabled", .read = import_skip},
	{"runtime", .read = import_skip},
	{"image", .read = read_image},
	{"resources", .keys = resources_keys},
	{"network", .to = "network.mode", .words = networks},
	{"mounts", .keys = mounts_keys},
	{"bypass_tools", .read = read_bypass},
	{"keep_alive", .to = "keepAlive"},
	{"startup_timeout_secs", .to = "startupTimeout", .unit = "s"},
	{0},
};

/* runtime and enabled together: "none" is another way to turn the sandbox off. */
static int put_mode(struct import *im, const struct import_at *sandbox)
{
	const struct import_word *runtime;
	struct import_at at;
	bool enabled;
	int rc = 0;

	if (import_member(im, sandbox, "runtime", &at)) {
		rc = import_find_word(im, &at, runtimes, &runtime);
		if (rc < 0)
			return rc;
		if (!runtime->to)
			return import_put_text(im, &at, "mode", "off", "the runtime was none");
		rc = import_put_text(im, &at, "runtime", runtime->to, NULL);
	}
	if (rc < 0 || !import_member(im, sandbox, "enabled", &at))
		return rc;
	rc = import_bool(im, &at, &enabled);
	return rc < 0 ? rc : import_put_text(im, &at, "mode", enabled ? "all" : "off", NULL);
}

static int read_sandbox(struct import *im, const struct import_at *at)
{
	struct import_at sandbox = *at;
	int rc;

	sandbox.part = IMPORT_SANDBOX;
	sandbox.notes = NULL;
	rc = import_walk(im, &sandbox, sandbox_keys);
	return rc < 0 ? rc : put_mode(im, &sandbox);
}

/* "bash": false denies, true allows. */
static int read_tools(struct import *im, const struct import_at *at)
{
	struct import_at tools = *at;
	int rc = import_object(im, at);

	tools.part = IMPORT_TOOLS;
	tools.notes = NULL;
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item;
		bool on;

		if (!import_member_at(im, &tools, i, &item))
			continue;
		rc = import_bool(im, &item, &on);
		if (rc == 0)
			import_put_item(im, &item,
				import_put_extend(im, &item, on ? "allow" : "deny", '[', NULL),
				tool_name(item.key));
	}
	return rc;
}

static const struct import_key agent_keys[] = {
	{"sandbox", .read = read_sandbox},
	{"tools", .read = read_tools},
	{"permission", .note = "ward asks by tools.elevated"},
	{"model", .note = FRAMEWORK},
	{"prompt", .note = FRAMEWORK},
	{"description", .note = FRAMEWORK},
	{"mode", .note = FRAMEWORK},
	{"temperature", .note = FRAMEWORK},
	{"top_p", .note = FRAMEWORK},
	{"max_steps", .note = FRAMEWORK},
	{"color", .note = FRAMEWORK},
	{"disable", .note = FRAMEWORK},
	{0},
};

static int read_agents(struct import *im, const struct import_at *at)
{
	int rc = import_object(im, at);

	if (rc == 0 && at->node->count > CONFIG_MAX_SECTIONS)
		rc = import_fail(im, at, "more than %d agents", CONFIG_MAX_SECTIONS);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		auto_(buf_free) struct buf shown = BUF(80);
		struct import_at item;

		if (!import_member_at(im, at, i, &item))
			continue;
		escape_text(&shown, item.key);
		if (!str_is_name(item.key))
			return import_fail(im, &item,
				"'%s' cannot be the name of an agent here: letters, digits, '_', "
				"'.', '-'",
				buf_text(&shown));
		item.agent = import_doc_agent(&im->doc, item.key);
		item.notes = &item.agent->notes;
		rc = import_walk(im, &item, agent_keys);
	}
	return rc;
}

static const struct import_key top_keys[] = {
	{"sandbox", .read = read_sandbox},
	{"agent", .read = read_agents},
	{"tools", .read = read_tools},
	{"permission", .note = "ward asks by tools.elevated"},
	{"$schema", .note = FRAMEWORK},
	{"theme", .note = FRAMEWORK},
	{"log_level", .note = FRAMEWORK},
	{"model", .note = FRAMEWORK},
	{"small_model", .note = FRAMEWORK},
	{"default_agent", .note = FRAMEWORK},
	{"username", .note = FRAMEWORK},
	{"snapshot", .note = "see workspace: \"cow\", which keeps changes in a layer"},
	{"share", .note = FRAMEWORK},
	{"autoupdate", .note = FRAMEWORK},
	{"disabled_providers", .note = FRAMEWORK},
	{"enabled_providers", .note = FRAMEWORK},
	{"tui", .note = FRAMEWORK},
	{"server", .note = FRAMEWORK},
	{"keybinds", .note = FRAMEWORK},
	{"command", .note = FRAMEWORK},
	{"provider", .note = FRAMEWORK},
	{"mcp", .note = FRAMEWORK},
	{"instructions", .note = FRAMEWORK},
	{"compaction", .note = FRAMEWORK},
	{"enterprise", .note = FRAMEWORK},
	{"experimental", .note = FRAMEWORK},
	{"update", .note = FRAMEWORK},
	{0},
};

int import_wonopcode(struct import *im, const struct import_at *at)
{
	struct import_agent *all = &im->doc.all;
	int rc = import_walk(im, at, top_keys);

	if (rc < 0)
		return rc;
	import_put_default(im, all, IMPORT_SANDBOX, "mode", "\"off\"",
		WONOPCODE_DEFAULT ": nothing is sandboxed; \"all\" is what ward recommends");
	import_put_default(
		im, all, IMPORT_SANDBOX, "network.mode", "\"limited\"", WONOPCODE_DEFAULT);
	import_put_default(im, all, IMPORT_SANDBOX, "readOnlyRoot", "false",
		WONOPCODE_DEFAULT "; what is written there is thrown away");
	import_put_default(im, all, IMPORT_SANDBOX, "persistCaches", "true", WONOPCODE_DEFAULT);
	import_doc_note(&im->doc, &all->parts[IMPORT_TOOLS].notes, "", "tools",
		"every tool is allowed there; ward's default is the profile \"coding\", write "
		"\"full\" for all");
	return 0;
}
