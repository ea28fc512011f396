/* SPDX-License-Identifier: Apache-2.0 */
#include "model/catalogue.h"

#include "base/macro.h"
#include "base/str.h"
#include "test.h"

static const char *const alias_names[] = {
	"bash", "shell", "read_file", "write_file", "edit_file", "list_directory", "apply-patch"};

/* What the documents promise. */
static const struct {
	const char *name, *tools;
} groups[] =
	{
		{"fs", "read write edit apply_patch list search"},
		{"runtime", "exec process"},
		{"automation", "cron gateway sessions_spawn sessions_send"},
		{"browser", "browser"},
		{"network", "web_fetch web_search"},
		{"media", "image tts"},
		{"messaging", "message"},
		{"sessions", "sessions_list sessions_history sessions_send sessions_spawn "
			     "session_status"},
},
  profiles[] = {
	  {"full", "*"},
	  {"coding", "group:fs group:runtime browser image session_status"},
	  {"messaging", "message web_search web_fetch"},
	  {"minimal", "web_search"},
	  {"readonly", "read image session_status"},
};

static void check_list(const char *const *list, const char *want)
{
	char got[512] = "";
	size_t n = 0;

	for (size_t i = 0; list && list[i]; i++)
		n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", i ? " " : "", list[i]);
	check_str(got, want);
}

static size_t count_lists(const struct tool_list *lists)
{
	size_t n = 0;

	while (lists[n].name)
		n++;
	return n;
}

static void test_groups_and_profiles(void)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		test_row("group %s", groups[i].name);
		check_list(catalogue_group(groups[i].name), groups[i].tools);
	}
	for (size_t i = 0; i < ARRAY_LEN(profiles); i++) {
		test_row("profile %s", profiles[i].name);
		check_list(catalogue_profile(profiles[i].name), profiles[i].tools);
	}
	check_u64(count_lists(catalogue_groups), ARRAY_LEN(groups));
	check_u64(count_lists(catalogue_profiles), ARRAY_LEN(profiles));
	check(!catalogue_group("full") && !catalogue_group("") && !catalogue_group("FS"));
	check(!catalogue_profile("fs") && !catalogue_profile("") && !catalogue_profile("Full"));
}

/* Groups hold tools only, so that looking one up needs no second step. */
static void test_lists_name_what_exists(void)
{
	for (const struct tool_list *g = catalogue_groups; g->name; g++)
		for (const char *const *t = g->tools; *t; t++) {
			test_row("group %s: %s", g->name, *t);
			check(catalogue_find(*t) != NULL);
		}
	for (const struct tool_list *p = catalogue_profiles; p->name; p++)
		for (const char *const *t = p->tools; *t; t++) {
			test_row("profile %s: %s", p->name, *t);
			check(str_eq(*t, "*") || catalogue_find(*t) ||
				(str_starts(*t, "group:") && catalogue_group(*t + 6)));
			check(catalogue_check_pattern(*t, NULL) == 0);
		}
}

static void test_tools(void)
{
	size_t ward = 0, count = 0;

	for (const struct tool *t = catalogue_tools; t->name; t++, count++) {
		test_row("%s", t->name);
		check(catalogue_find(t->name) == t);
		check_str(catalogue_resolve(t->name), t->name);
		check(catalogue_is_name(t->name) && str_is_name(t->name));
		check(t->help && t->help[0]);
		check(catalogue_check_pattern(t->name, NULL) == 0);
		ward += t->side == TOOL_WARD;
	}
	check_u64(count, 23);
	check_u64(ward, 9);
	check(!catalogue_find("") && !catalogue_find("Exec") && !catalogue_find("bash"));
	check_int(catalogue_find("exec")->side, TOOL_WARD);
	check_int(catalogue_find("web_fetch")->side, TOOL_FRAMEWORK);
}

/* No alias hides a tool, and none leads to a name that is not there. */
static void test_aliases(void)
{
	size_t seen = 0;

	for (size_t i = 0; i < ARRAY_LEN(alias_names); i++) {
		const char *tool = catalogue_resolve(alias_names[i]);

		test_row("%s", alias_names[i]);
		check(!catalogue_find(alias_names[i]));
		check(catalogue_find(tool) != NULL);
		check_str(catalogue_resolve(tool), tool);
		check(catalogue_is_name(alias_names[i]));
		check(catalogue_check_pattern(alias_names[i], NULL) == 0);
	}
	for (const struct tool *t = catalogue_tools; t->name; t++)
		for (size_t i = 0; catalogue_alias(t->name, i); i++, seen++) {
			test_row("%s, alias %zu", t->name, i);
			check_str(catalogue_resolve(catalogue_alias(t->name, i)), t->name);
		}
	check_u64(seen, ARRAY_LEN(alias_names));
	check_str(catalogue_resolve("unheard_of"), "unheard_of");
	check_str(catalogue_resolve(""), "");
	check(!catalogue_alias("unheard_of", 0) && !catalogue_alias("exec", 2));
}

static const struct {
	const char *text;
	bool name, pattern;
	const char *says;
} texts[] = {
	{"exec", true, true, NULL},
	{"_x", true, true, NULL},
	{"mcp__files__read", true, true, NULL},
	{"my.tool-2", true, true, NULL},
	{"todo_write", true, true, NULL},
	{"__proto__", true, true, NULL},
	{"toString", true, true, NULL},
	{"group:fs", false, true, NULL},
	{"group:mine", false, true, NULL},
	{"*", false, true, NULL},
	{"sessions_*", false, true, NULL},
	{"?xec", false, true, NULL},
	{"**", false, true, NULL},
	{"", false, false, "is not the name of a tool"},
	{" ", false, false, "is not the name of a tool"},
	{"exec ", false, false, "is not the name of a tool"},
	{"0exec", false, false, "is not the name of a tool"},
	{"-exec", false, false, "is not the name of a tool"},
	{".exec", false, false, "is not the name of a tool"},
	{"a/b", false, false, "is not the name of a tool"},
	{"a:b", false, false, "is not the name of a tool"},
	{"a b", false, false, "is not the name of a tool"},
	{"exec\n", false, false, "exec\\n"},
	{"exec\xe2\x80\x8b", false, false, "\\u{200b}"},
	{"\xd0\xb5xec", false, false, "is not the name of a tool"},
	{"group:", false, false, "is not the name of a tool"},
	{"group:a b", false, false, "is not the name of a tool"},
	{"group:../x", false, false, "is not the name of a tool"},
	{"group:*", false, false, "is not the name of a tool"},
	{"Group:fs", false, false, "is not the name of a tool"},
	{"{a,b}", false, false, "is not the name of a tool"},
	{"a*/b", false, false, "is not the name of a tool"},
	{"*\n", false, false, "is not the name of a tool"},
	{"Exec", true, false, "did you mean 'exec'?"},
	{"exce", true, false, "did you mean 'exec'?"},
	{"web-search", true, false, "did you mean 'web_search'?"},
	{"aply_patch", true, false, "did you mean 'apply_patch'?"},
	{"Bash", true, false, "did you mean 'bash'?"},
};

static void test_names_and_patterns(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err e = {0};

		test_row("'%s'", texts[i].text);
		check_int(catalogue_is_name(texts[i].text), texts[i].name);
		check_int(catalogue_check_pattern(texts[i].text, &e) == 0, texts[i].pattern);
		if (texts[i].says)
			check_has(e.text, texts[i].says);
	}
}

static void test_lengths(void)
{
	char text[200];

	memset(text, 'a', sizeof text);
	text[128] = '\0';
	check(catalogue_is_name(text) && catalogue_check_pattern(text, NULL) == 0);
	text[127] = '*';
	check(catalogue_check_pattern(text, NULL) == 0);
	text[127] = text[128] = 'a';
	text[129] = '\0';
	check(!catalogue_is_name(text) && catalogue_check_pattern(text, NULL) < 0);
	text[128] = '*';
	check(catalogue_check_pattern(text, NULL) < 0);
}

static void test_nearest(void)
{
	check_str(catalogue_nearest("exce"), "exec");
	check_str(catalogue_nearest("SEARCH"), "search");
	check_str(catalogue_nearest("read_fil"), "read_file");
	check(!catalogue_nearest("mcp__files__read"));
	check(!catalogue_nearest(""));
}

static const struct test tests[] = {
	{"groups and profiles are as documented", test_groups_and_profiles},
	{"lists name what exists", test_lists_name_what_exists},
	{"tools", test_tools},
	{"aliases", test_aliases},
	{"names and patterns", test_names_and_patterns},
	{"lengths", test_lengths},
	{"nearest names", test_nearest},
};
TEST_MAIN(tests)
