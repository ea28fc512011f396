/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The names that tool policy speaks of: tools, their aliases, groups and profiles, as const tables.
 * Frameworks may have tools that are not listed here; such a name counts only where a rule names
 * it.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Who carries a tool out: ward (placed by policy) or the agent's framework, on its own side. */
enum tool_side { TOOL_WARD, TOOL_FRAMEWORK };

struct tool {
	const char *name;
	enum tool_side side;
	const char *help;
};

/* A named list of tools; lists end with NULL. */
struct tool_list {
	const char *name;
	const char *const *tools;
};

extern const struct tool catalogue_tools[]; /* ends with an empty row */
extern const struct tool_list catalogue_groups[];
extern const struct tool_list catalogue_profiles[];

size_t catalogue_count(void);                        /* of tools */
const struct tool *catalogue_find(const char *name); /* by exact name, no alias */
/* The name itself, or what it is an alias of. */
const char *catalogue_resolve(const char *name);
const char *catalogue_alias(const char *tool, size_t i); /* the tool's i-th alias; NULL: no more */
/* What an item of a list of tools names by "group:NAME"; NULL: it names no group. */
const char *catalogue_group_of(const char *item);
const char *const *catalogue_group(const char *name);   /* NULL: not built in */
const char *const *catalogue_profile(const char *name); /* NULL: not built in */
const char *catalogue_nearest(const char *name);        /* tool or alias, for "did you mean" */

/* A word that can be a tool's name at all: [A-Za-z_][A-Za-z0-9_.-]{0,127}. */
bool catalogue_is_name(const char *text);
/* An item of an allow or deny list: a tool, group:<name>, or a glob. A name that is close to a
 * known one but not it is an error: a deny rule with a typing error would deny nothing. */
int catalogue_check_pattern(const char *text, struct err *e);
