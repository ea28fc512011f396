/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which tools an agent may use: (profile + allow) - deny, and while sandboxed also within the
 * sandbox lists. Deny is absolute. Pure; the lists come from model/resolve.h.
 */

#include "base/mem.h"
#include "model/tools.h"

#define TOOLPOLICY_MAX_GROUPS 64 /* own groups */
#define TOOLPOLICY_NAME 256      /* of a tool of another server, whole */

struct toolpolicy {
	const char *profile;
	struct where profile_at;
	const struct item *profile_items;
	size_t profile_count;
	const struct tools *tools;
};

/* The key whose list decided, or in which the tool is missing. */
enum tool_key {
	TOOL_KEY_PROFILE,
	TOOL_KEY_ALLOW,
	TOOL_KEY_DENY,
	TOOL_KEY_SANDBOX_ALLOW,
	TOOL_KEY_SANDBOX_DENY,
	TOOL_KEY_COUNT
};
extern const char *const tool_key_names[];

struct tool_answer {
	bool allowed;
	enum tool_key key;
	const struct item *item; /* the rule that decided; NULL when none did */
};

/* tool: canonical name (catalogue_resolve). */
struct tool_answer toolpolicy_ask(const struct toolpolicy *p, const char *tool, bool sandboxed);
/*
 * A tool of another MCP server, which rules call mcp__SERVER__TOOL. It may be used unless something
 * denies it, by that name or by its plain one; where a list that allows names tools of this server,
 * only those.
 */
struct tool_answer toolpolicy_ask_server(
	const struct toolpolicy *p, const char *server, const char *tool, bool sandboxed);
bool toolpolicy_bypasses(
	const struct toolpolicy *p, const char *tool, const struct item **ret_item);
/* Does one item of a list (a tool, group:<name>, a glob) cover this tool? */
bool toolpolicy_item_matches(const struct opt_map *groups, const char *item, const char *tool);
/* Every group:<name> of a list or of the profile exists, no own group contains itself, and none was
 * defined twice. */
int toolpolicy_check_groups(const struct toolpolicy *p, struct err *e);
/* Names of the catalogue and of the rules that are allowed, in the catalogue's order; NULL ends. */
const char *const *toolpolicy_effective(
	const struct toolpolicy *p, struct arena *a, bool sandboxed);
