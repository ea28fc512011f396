/* SPDX-License-Identifier: Apache-2.0 */

/* Tool policy by itself; together with everything else it is in tests/data/policy. */

#include "model/toolpolicy.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "model/catalogue.h"
#include "model/settings.h"
#include "test.h"

static const struct source here = {"file", LEVEL_USER};

/* "a b c" as a list; line n is the n-th item. */
static struct opt_list list(struct arena *a, const char *words)
{
	char *text = arena_text(a, words, strlen(words)), *word;
	struct item *items = arena_array(a, strlen(words) + 1, sizeof *items);
	struct opt_list out = {.at = {&here, 1, 1}, .items = items};

	while (text && (word = strsep(&text, " ")) != NULL)
		if (*word)
			items[out.count++] =
				(struct item){word, {&here, (uint32_t)out.count + 1, 1}};
	return out;
}

/* "name=a b;other=c" as own groups. */
static struct opt_map groups(struct arena *a, const char *text)
{
	char *rest = arena_text(a, text, strlen(text)), *one;
	struct entry *entries = arena_array(a, strlen(text) + 1, sizeof *entries);
	struct opt_map out = {.at = {&here, 1, 1}, .entries = entries};

	while (*text && rest && (one = strsep(&rest, ";")) != NULL) {
		char *name = strsep(&one, "=");

		entries[out.count++] = (struct entry){
			.key = name, .at = {&here, 9, 9}, .list = list(a, one ? one : "")};
	}
	return out;
}

struct made {
	struct arena arena;
	struct tools tools;
	struct toolpolicy policy;
};

static void make(struct made *m, const char *profile, const char *allow, const char *deny)
{
	struct opt_list items;

	*m = (struct made){.tools = builtin_defaults.tools};
	m->tools.allow = list(&m->arena, allow);
	m->tools.deny = list(&m->arena, deny);
	items = list(&m->arena, profile);
	m->policy = (struct toolpolicy){
		.profile = "made", .profile_items = items.items, .profile_count = items.count};
	m->policy.tools = &m->tools;
}

static void test_answers(void)
{
	static const struct {
		const char *profile, *allow, *deny, *tool;
		bool sandboxed, allowed;
		const char *item, *list;
	} rows[] = {
		{"read", "", "", "read", false, true, "read", "tools.profile"},
		{"group:fs", "", "", "edit", false, true, "group:fs", "tools.profile"},
		{"*", "", "", "tts", false, true, "*", "tools.profile"},
		{"*", "", "", "tts", true, false, NULL, "tools.sandbox.allow"},
		{"*", "", "", "browser", true, false, "browser", "tools.sandbox.deny"},
		{"*", "", "", "exec", true, true, "*", "tools.profile"},
		{"", "exec", "", "exec", true, true, "exec", "tools.allow"},
		{"", "bash", "", "exec", true, true, "bash", "tools.allow"},
		{"", "", "", "exec", true, false, NULL, "tools.profile"},
		{"exec", "exec", "exec", "exec", false, false, "exec", "tools.deny"},
		{"exec", "exec", "tts e*", "exec", true, false, "e*", "tools.deny"},
		{"*", "*", "shell", "exec", true, false, "shell", "tools.deny"},
		{"*", "*", "s?ell", "exec", true, false, "s?ell", "tools.deny"},
		{"*", "", "", "todo_write", false, false, NULL, "tools.profile"},
		{"*", "todo_*", "", "todo_write", false, true, "todo_*", "tools.allow"},
		{"*", "todo_*", "", "todo_write", true, false, NULL, "tools.sandbox.allow"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct made m;
		struct tool_answer got;

		make(&m, rows[i].profile, rows[i].allow, rows[i].deny);
		got = toolpolicy_ask(&m.policy, rows[i].tool, rows[i].sandboxed);
		test_row("row %zu: %s", i, rows[i].tool);
		check_int(got.allowed, rows[i].allowed);
		check_str(tool_key_names[got.key], rows[i].list);
		check_str(got.item ? got.item->text : "-", rows[i].item ? rows[i].item : "-");
		arena_free(&m.arena);
	}
}

static void test_items(void)
{
	static const struct {
		const char *groups, *item, *tool;
		bool matches;
	} rows[] = {
		{"", "read", "read", true},
		{"", "read_file", "read", true},
		{"", "Read", "read", false},
		{"", "*", "read", true},
		{"", "*", "unheard_of", false},
		{"", "**", "unheard_of", false},
		{"", "?", "x", false},
		{"", "u*", "unheard_of", true},
		{"", "*of", "unheard_of", true},
		{"", "read*", "read", true},
		{"", "r?ad", "read", true},
		{"", "rea", "read", false},
		{"", "ba*", "exec", true},
		{"", "*_file", "write", true},
		{"", "group:fs", "read", true},
		{"", "group:fs", "exec", false},
		{"", "group:none", "exec", false},
		{"", "group:", "exec", false},
		{"a=read", "group:a", "read", true},
		{"a=bash", "group:a", "exec", true},
		{"a=", "group:a", "read", false},
		{"a=group:b;b=group:fs", "group:a", "edit", true},
		{"a=group:b;b=group:a", "group:a", "edit", false},
		{"a=group:a read", "group:a", "read", true},
		{"a=group:b group:c;b=group:c;c=group:a read", "group:a", "read", true},
		{"a=*", "group:a", "read", true},
		{"a=*", "group:a", "unheard_of", false},
		{"fs=exec", "group:fs", "exec", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct opt_map own = groups(&a, rows[i].groups);

		test_row("%s in %s (%s)", rows[i].tool, rows[i].item, rows[i].groups);
		check_int(
			toolpolicy_item_matches(&own, rows[i].item, rows[i].tool), rows[i].matches);
	}
}

static void test_groups_are_checked(void)
{
	static const struct {
		const char *groups, *profile, *allow, *says; /* NULL: fine */
	} rows[] = {
		{"", "*", "", NULL},
		{"a=read", "group:a", "group:a group:fs", NULL},
		{"a=group:b group:b;b=group:c;c=", "", "group:a group:b group:c", NULL},
		{"", "", "group:a", "there is no group 'a'"},
		{"", "group:a", "", "there is no group 'a'"},
		{"a=group:b", "", "", "there is no group 'b'"},
		{"a=group:a", "", "", "group 'a' contains itself"},
		{"a=group:b;b=group:c;c=group:b", "", "", "group 'b' contains itself"},
		{"a=group:b;b=group:a", "", "group:a", "contains itself"},
		{"fs=read", "", "", "built in"},
		{"a b=read", "", "", "plain name"},
		{"a=read;a=exec", "", "", "group 'a' is already defined at file:9:9"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct made m;
		struct err e = {0};
		int r;

		make(&m, rows[i].profile, rows[i].allow, "");
		m.tools.groups = groups(&m.arena, rows[i].groups);
		r = toolpolicy_check_groups(&m.policy, &e);
		test_row("%s", rows[i].groups);
		check_int(r == 0, !rows[i].says);
		if (rows[i].says)
			check_has(e.text, rows[i].says);
		arena_free(&m.arena);
	}
}

/* As many groups as there may be, in a chain, and one more. */
static void test_many_groups(void)
{
	for (size_t count = TOOLPOLICY_MAX_GROUPS; count <= TOOLPOLICY_MAX_GROUPS + 2; count++) {
		bool fine = count <= TOOLPOLICY_MAX_GROUPS;
		struct made m;
		struct entry *entries;
		struct err e = {0};

		make(&m, "", "group:g0", "");
		entries = arena_array(&m.arena, count, sizeof *entries);
		for (size_t i = 0; i < count; i++)
			entries[i] = (struct entry){.key = arena_printf(&m.arena, "g%zu", i),
				.list = list(&m.arena,
					i + 1 < count ? arena_printf(&m.arena, "group:g%zu", i + 1)
						      : "read")};
		m.tools.groups = (struct opt_map){.entries = entries, .count = count};
		test_row("%zu groups", count);
		check_int(toolpolicy_check_groups(&m.policy, &e) == 0, fine);
		check_int(toolpolicy_ask(&m.policy, "read", false).allowed, fine);
		arena_free(&m.arena);
	}
}

/* Nesting that doubles at every step costs no more than the number of groups. */
static void test_nesting_is_cheap(void)
{
	struct made m;
	struct entry *entries;

	make(&m, "", "group:g0", "");
	entries = arena_array(&m.arena, TOOLPOLICY_MAX_GROUPS, sizeof *entries);
	for (size_t i = 0; i < TOOLPOLICY_MAX_GROUPS; i++)
		entries[i] = (struct entry){.key = arena_printf(&m.arena, "g%zu", i),
			.list = list(
				&m.arena, i + 1 < TOOLPOLICY_MAX_GROUPS
						  ? arena_printf(&m.arena, "group:g%zu group:g%zu",
							    i + 1, i + 1)
						  : "read")};
	m.tools.groups = (struct opt_map){.entries = entries, .count = TOOLPOLICY_MAX_GROUPS};
	check(toolpolicy_check_groups(&m.policy, NULL) == 0);
	check(toolpolicy_ask(&m.policy, "read", false).allowed);
	check(!toolpolicy_ask(&m.policy, "write", false).allowed);
	arena_free(&m.arena);
}

static void test_bypass(void)
{
	const struct item *item = NULL;
	struct made m;

	make(&m, "*", "todo_write", "");
	m.tools.bypass = list(&m.arena, "read bash todo_*");
	check(toolpolicy_bypasses(&m.policy, "exec", &item) && str_eq(item->text, "bash"));
	check(toolpolicy_bypasses(&m.policy, "todo_write", NULL));
	check(!toolpolicy_bypasses(&m.policy, "write", NULL));
	/* What bypasses need not stand in tools.sandbox.allow as well. */
	check(toolpolicy_ask(&m.policy, "todo_write", true).allowed);
	check(!toolpolicy_ask(&m.policy, "todo_read", true).allowed);
	m.tools.sandbox.deny = list(&m.arena, "todo_write");
	check(!toolpolicy_ask(&m.policy, "todo_write", true).allowed);
	check(toolpolicy_ask(&m.policy, "todo_write", false).allowed);
	arena_free(&m.arena);
}

static void check_effective(struct made *m, bool sandboxed, const char *want)
{
	const char *const *names = toolpolicy_effective(&m->policy, &m->arena, sandboxed);
	char got[1024] = "";
	size_t n = 0;

	for (size_t i = 0; names[i]; i++)
		n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", i ? " " : "", names[i]);
	check_str(got, want);
	/* What is listed is allowed, and nothing else of the catalogue is. */
	for (size_t i = 0; names[i]; i++)
		check(toolpolicy_ask(&m->policy, names[i], sandboxed).allowed);
	for (const struct tool *t = catalogue_tools; t->name; t++)
		check_int(toolpolicy_ask(&m->policy, t->name, sandboxed).allowed,
			str_in(t->name, names));
}

static void test_effective_tools(void)
{
	struct made m;

	make(&m, "read todo_a browser", "todo_b todo_a bash group:mine mcp_*", "todo_c write");
	m.tools.groups = groups(&m.arena, "mine=todo_c todo_d write edit;other=todo_e");
	check_effective(&m, false, "exec read edit browser todo_a todo_b todo_d");
	check_effective(&m, true, "exec read edit");
	m.tools.sandbox.allow = list(&m.arena, "todo_* read mcp_*");
	check_effective(&m, true, "read todo_a todo_b todo_d");
	arena_free(&m.arena);
	make(&m, "", "", "");
	check_effective(&m, false, "");
	arena_free(&m.arena);
}

static void test_other_servers(void)
{
	static const struct {
		const char *profile, *allow, *deny, *tool;
		bool allowed;
		const char *list;
	} rows[] = {
		{"", "", "", "read_file", true, "tools.allow"},
		{"read", "exec", "", "read_file", true, "tools.allow"},
		{"", "", "mcp__fs__write_*", "write_file", false, "tools.deny"},
		{"", "", "mcp__fs__write_*", "read_file", true, "tools.allow"},
		{"", "", "mcp__other__*", "read_file", true, "tools.allow"},
		{"", "", "mcp__*", "read_file", false, "tools.deny"},
		{"", "", "*", "read_file", false, "tools.deny"},
		{"", "", "write_file", "write_file", false, "tools.deny"},
		{"", "", "exec", "bash", false, "tools.deny"},
		{"", "mcp__fs__read_*", "", "read_file", true, "tools.allow"},
		{"", "mcp__fs__read_*", "", "write_file", false, "tools.allow"},
		{"", "mcp__*__read_*", "", "write_file", false, "tools.allow"},
		{"", "mcp__other__read", "", "write_file", true, "tools.allow"},
		{"mcp__fs__list", "mcp__fs__read_*", "", "list", true, "tools.allow"},
		{"mcp__fs__list", "", "", "read_file", false, "tools.allow"},
		{"", "mcp__fs__*", "mcp__fs__read_file", "read_file", false, "tools.deny"},
		{"", "mcp__fs", "", "read_file", true, "tools.allow"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct made m;
		struct tool_answer got;

		make(&m, rows[i].profile, rows[i].allow, rows[i].deny);
		for (int sandboxed = 0; sandboxed < 2; sandboxed++) {
			got = toolpolicy_ask_server(&m.policy, "fs", rows[i].tool, sandboxed);
			test_row("row %zu: %s", i, rows[i].tool);
			check_int(got.allowed, rows[i].allowed);
			check_str(tool_key_names[got.key], rows[i].list);
		}
		m.tools.sandbox.deny = list(&m.arena, "mcp__fs__*");
		check(!toolpolicy_ask_server(&m.policy, "fs", rows[i].tool, true).allowed);
		m.tools.sandbox.deny = list(&m.arena, "");
		m.tools.sandbox.allow = list(&m.arena, "mcp__fs__none");
		check(!toolpolicy_ask_server(&m.policy, "fs", rows[i].tool, true).allowed);
		arena_free(&m.arena);
	}
}

static const struct test tests[] = {
	{"answers", test_answers},
	{"items of lists", test_items},
	{"groups are checked", test_groups_are_checked},
	{"many groups", test_many_groups},
	{"nesting is cheap", test_nesting_is_cheap},
	{"bypass", test_bypass},
	{"effective tools", test_effective_tools},
	{"tools of other servers", test_other_servers},
};
TEST_MAIN(tests)
