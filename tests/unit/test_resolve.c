/* SPDX-License-Identifier: Apache-2.0 */

/* What holds for an agent, and what a configuration is refused for; verdicts are in
 * tests/data/policy. */

#include "model/resolve.h"

#include "keys.h"
#include "model/merge.h"
#include "test.h"

/* Texts for the levels, NULL where there is none. */
static int resolve(struct keys_config *k, const char *system, const char *user,
	const char *workspace, const char *agent, struct effective *ret)
{
	keys_begin(k);
	if (system)
		keys_load(k, LEVEL_SYSTEM, system);
	if (user)
		keys_load(k, LEVEL_USER, user);
	if (workspace)
		keys_load(k, LEVEL_WORKSPACE, workspace);
	return keys_resolve(k, agent, ret);
}

static void test_nothing_written(void)
{
	struct keys_config k;
	struct effective eff;

	check(resolve(&k, NULL, NULL, NULL, NULL, &eff) == 0);
	check_str(eff.agent, "main");
	check(!eff.agent_known);
	check_str(eff.s.sandbox.profile.v, "standard");
	check_str(eff.tools.profile, "coding");
	check_int(eff.require.count, 4);
	check_int(eff.rules.count, 0);
	check(!eff.net.has_allow && eff.net.mode == NET_NONE);
	check(eff.s.sandbox.mode.at.source == &builtin_source);
	keys_end(&k);
}

static void check_shown(const struct effective *eff, const char *key, const char *want)
{
	auto_(buf_free) struct buf text = BUF(1 << 16);
	const void *base = &eff->s;
	const struct field *f = field_find_path(settings_fields, key, &base);

	if (!check(f != NULL))
		return;
	show_value(&text, f, field_at(f, base));
	check_str(buf_text(&text), want);
}

/* Lists are replaced, those that forbid and binds add up, maps are merged key by key. */
static void test_deep_merge(void)
{
	static const struct {
		const char *key, *system, *user, *entry, *want;
	} rows[] = {
		{"sandbox.passEnv", "['A']", "['B']", NULL, "[\"B\"]"},
		{"sandbox.passEnv", "['A']", "['B']", "['C']", "[\"C\"]"},
		{"sandbox.passEnv", "['A']", NULL, NULL, "[\"A\"]"},
		{"sandbox.passEnv", "['A']", "[]", NULL, "[]"},
		{"sandbox.binds", "['/a:/a']", "['/b:/b']", "['/c:/c', '/a:/a']",
			"[\"/a:/a\", \"/b:/b\", \"/c:/c\"]"},
		{"sandbox.network.deny", "['a.test']", "['b.test']", "['c.test']",
			"[\"a.test\", \"b.test\", \"c.test\"]"},
		{"tools.deny", "['exec']", "['read']", "['exec', 'write']",
			"[\"exec\", \"read\", \"write\"]"},
		{"tools.deny", "['exec']", "[]", "[]", "[\"exec\"]"},
		{"tools.sandbox.deny", NULL, "['read']", NULL, "[\"read\"]"},
		{"tools.sandbox.deny", NULL, "[]", NULL, "[]"},
		{"tools.sandbox.deny", "['exec']", "['read']", NULL, "[\"exec\", \"read\"]"},
		{"sandbox.env", "{A: '1', B: '2'}", "{B: '3', C: ''}", NULL,
			"{\"A\": \"1\", \"B\": \"3\", \"C\": \"\"}"},
		{"sandbox.env", "{A: '1'}", "{B: '2'}", "{A: '9'}", "{\"A\": \"9\", \"B\": \"2\"}"},
		{"sandbox.env", "{A: '1'}", "{}", NULL, "{\"A\": \"1\"}"},
		{"tools.groups", "{a: ['read']}", "{b: ['exec']}", "{c: []}",
			"{\"a\": [\"read\"], \"b\": [\"exec\"], \"c\": []}"},
		{"tools.groups", "{a: ['read']}", "{a: ['read']}", NULL, "{\"a\": [\"read\"]}"},
		{"sandbox.resources.memory", "'1G'", "'2G'", "'3G'", "\"3G\""},
		{"sandbox.resources.memory", "'1G'", NULL, NULL, "\"1G\""},
		{"tools.elevated.rules", "[{pattern: 'a'}]", "[]", NULL, "[]"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool tools = str_starts(rows[i].key, "tools.");
		struct keys_config k;
		struct effective eff;
		char key[KEYS_TEXT], own[KEYS_TEXT];

		test_row("row %zu: %s", i, rows[i].key);
		snprintf(key, sizeof key, "%s%s", tools ? "" : "agents.defaults.", rows[i].key);
		snprintf(own, sizeof own, "agents.entries.x.%s", rows[i].key);
		keys_begin(&k);
		if (rows[i].system)
			keys_write(&k, LEVEL_SYSTEM, key, rows[i].system, "");
		if (rows[i].user)
			keys_write(&k, LEVEL_USER, key, rows[i].user, "");
		if (rows[i].entry)
			keys_write(&k, LEVEL_CALLER, own, rows[i].entry, "");
		if (test_check(
			    keys_resolve(&k, "x", &eff) == 0, __FILE__, __LINE__, "%s", k.e.text))
			check_shown(&eff, rows[i].key, rows[i].want);
		keys_end(&k);
	}
}

/* Several --set of one key or section all count. */
static void test_assignments_add_up(void)
{
	static const char *const sets[][2] = {
		{"env.A", "1"},
		{"env.B", "2"},
		{"tools.deny", "exec"},
		{"tools.deny", "['read', 'write']"},
		{"agents.entries.x.sandbox.workspace", "ro"},
		{"agents.entries.x.sandbox.resources.pids", "7"},
		{"agents.entries.x.tools.deny", "edit"},
		{"agents.entries.x.tools.deny", "list"},
		{"profiles.p.sandbox.timeout", "5s"},
		{"profiles.p.sandbox.idleTimeout", "6s"},
		{"agents.defaults.sandbox.profile", "p"},
		{"passEnv", "A"},
		{"passEnv", "B"},
	};
	struct keys_config k;
	struct effective eff;

	keys_begin(&k);
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		keys_set(&k, sets[i][0], sets[i][1]);
	if (test_check(keys_resolve(&k, "x", &eff) == 0, __FILE__, __LINE__, "%s", k.e.text)) {
		check_shown(&eff, "sandbox.env", "{\"A\": \"1\", \"B\": \"2\"}");
		check_shown(
			&eff, "tools.deny", "[\"exec\", \"read\", \"write\", \"edit\", \"list\"]");
		check_shown(&eff, "sandbox.workspace", "\"ro\"");
		check_shown(&eff, "sandbox.resources.pids", "7");
		check_shown(&eff, "sandbox.timeout", "\"5s\"");
		check_shown(&eff, "sandbox.idleTimeout", "\"6s\"");
		check_shown(&eff, "sandbox.passEnv", "[\"B\"]");
	}
	keys_end(&k);
}

static void test_bad_assignments(void)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"", "write key=value"},
		{"=", "write key=value"},
		{"=x", "write key=value"},
		{"mode", "write key=value"},
		{"mode\n\x1b[2J", "\\n"},
		{"moed=all", "did you mean 'mode'"},
		{"memory=1G", "did you mean 'resources.memory'"},
		{"sandbox.mode=all", NULL},
		{"sandbox.=all", "unknown key"},
		{"sandbox.moed=all", "did you mean 'mode'"},
		{"mode=", "is none of"},
		{"mode=[", "--set"},
		{"mode={}", "must be a text"},
		{".mode=all", "unknown key"},
		{"mode.=all", "must be a text"},
		{"resources.memory=-1", "resources.memory"},
		{"resources.memory.x=1", "must be a number"},
		{"resources.=1", "unknown key"},
		{"tools.dney=exec", "did you mean 'deny'"},
		{"tools=exec", "must be an object"},
		{"agents.entries.../x.sandbox.mode=all", "name"},
		{"agents.default.sandbox.mode=all", "unknown key"},
		{"locked=['tools.deny']", NULL},
		{"toolProfiles.p=['read']", NULL},
		{"$schema=x", "unknown key"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct config_wish wish = {.all = true};
		auto_(config_free) struct config c = {0};
		struct err e = {0};

		test_row("'%s'", rows[i].text);
		check_int(config_set(&c, rows[i].text, &wish, &e) == 0, !rows[i].says);
		if (rows[i].says)
			check_has(e.text, rows[i].says);
		check(!strpbrk(e.text, "\n\x1b"));
	}
}

/* What was read for one agent does not answer for another. */
static void test_entries_that_were_dropped(void)
{
	static const char text[] = "{agents: {entries: {x: {sandbox: {mode: 'all'}}, y: {}}}}";
	struct config_wish wish = {.agent = "y"};
	auto_(config_free) struct config c = {0};
	auto_(arena_free) struct arena a = {0};
	struct effective eff;
	struct err e = {0};

	check(config_read(&c, LEVEL_USER, "f", text, strlen(text), &wish, &e) == 0);
	check(resolve_agent(&c, "y", &a, &eff, &e) == 0 && eff.agent_known);
	check(resolve_agent(&c, "z", &a, &eff, &e) == 0 && !eff.agent_known);
	check(resolve_agent(&c, NULL, &a, &eff, &e) == 0);
	check(resolve_agent(&c, "x", &a, &eff, &e) < 0);
	check_has(e.text, "was not kept");
}

static void test_refusals(void)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"{agents: {defaults: {sandbox: {profile: 'x'}}}}", "there is no profile 'x'"},
		{"{agents: {entries: {x: {sandbox: {profile: 'y'}}}}}", "there is no profile 'y'"},
		{"{tools: {profile: 'x'}}", "there is no tool profile 'x'"},
		{"{tools: {elevated: {rules: [{pattern: 'a', to: 'x'}]}}}",
			"leads to 'x', but there is no such profile"},
		{"{agents: {defaults: {sandbox: {binds: ['/etc:/e']}}}}", "binds"},
		{"{agents: {defaults: {sandbox: {binds: ['/:/e']}}}}", "binds"},
		{"{agents: {defaults: {sandbox: {binds: ['/var:/e']}}}}", "binds"},
		{"{agents: {defaults: {sandbox: {binds: ['/var/run/docker.sock:/s']}}}}", "binds"},
		{"{agents: {defaults: {sandbox: {binds: ['/home/user/.ssh:/s']}}}}", "binds"},
		{"{agents: {defaults: {sandbox: {binds: ['~/.ssh:/s']}}}}", "binds"},
		{"{agents: {defaults: {sandbox: {binds: ['/home:/s']}}}}", "binds"},
		{"{agents: {defaults: {sandbox: {hostPaths: ['/root']}}}}", "hostPaths"},
		{"{agents: {defaults: {sandbox: {hostPaths: ['/home/user/.aws']}}}}", "hostPaths"},
		{"{agents: {entries: {x: {sandbox: {binds: ['/proc:/p']}}}}}", "binds"},
		{"{profiles: {untrusted: {}}}", "built in"},
		{"{toolProfiles: {full: []}}", "built in"},
		{"{toolProfiles: {'a b': []}}", "plain name"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct keys_config k;
		struct effective eff;

		test_row("%s", rows[i].text);
		check(resolve(&k, NULL, rows[i].text, NULL, "x", &eff) < 0);
		check_has(k.e.text, rows[i].says);
		check_has(k.e.text, "user.json5:1:");
		keys_end(&k);
	}
}

static void test_exceptions_for_binds(void)
{
	struct keys_config k;
	struct effective eff;

	check(resolve(&k, NULL,
		      "{agents: {defaults: {sandbox: {binds: ['/etc/ssl:/ssl'], "
		      "allowedBindSources: ['/etc/ssl']}}}}",
		      NULL, "main", &eff) == 0);
	keys_end(&k);
	/* The workspace cannot make one. */
	check(resolve(&k, NULL, "{agents: {defaults: {sandbox: {binds: ['/srv:/srv']}}}}",
		      "{agents: {defaults: {sandbox: {allowedBindSources: ['/etc']}}}}", "main",
		      &eff) < 0);
	check_has(k.e.text, "may only tighten");
	keys_end(&k);
	/* Taking it away makes the bind impossible, which is an error and not a silence. */
	check(resolve(&k, NULL,
		      "{agents: {defaults: {sandbox: {binds: ['/etc/ssl:/ssl'], "
		      "allowedBindSources: ['/etc/ssl']}}}}",
		      "{agents: {defaults: {sandbox: {allowedBindSources: []}}}}", "main",
		      &eff) < 0);
	keys_end(&k);
}

/* Levels that come later do not count. */
static void test_up_to_a_level(void)
{
	static const char *const levels[] = {NULL, "{agents: {defaults: {sandbox: {mode: 'off'}}}}",
		"{agents: {defaults: {sandbox: {mode: 'non-main'}}}}"};
	static const int want[LEVEL_COUNT] = {
		MODE_ALL, MODE_OFF, MODE_NON_MAIN, MODE_NON_MAIN, MODE_ALL};
	struct keys_config k;
	struct settings s;

	keys_begin(&k);
	keys_load(&k, LEVEL_SYSTEM, levels[LEVEL_SYSTEM]);
	keys_load(&k, LEVEL_USER, levels[LEVEL_USER]);
	keys_set(&k, "mode", "all");
	for (int i = 0; i < LEVEL_COUNT; i++) {
		test_row("level %d", i);
		check(resolve_up_to(&k.config, "x", (enum level)i, &k.arena, &s, &k.e) == 0);
		check_int(s.sandbox.mode.v, want[i]);
	}
	keys_end(&k);
}

/* A profile of a later file is unknown to an earlier one, and adds nothing to it. */
static void test_profiles_of_later_levels(void)
{
	struct keys_config k;
	struct settings s;

	keys_begin(&k);
	keys_load(&k, LEVEL_SYSTEM,
		"{profiles: {p: {sandbox: {mode: 'all'}}}, "
		"agents: {defaults: {sandbox: {profile: 'p'}}}}");
	keys_load(&k, LEVEL_USER, "{profiles: {p: {sandbox: {mode: 'off'}}}}");
	check(resolve_up_to(&k.config, NULL, LEVEL_SYSTEM, &k.arena, &s, &k.e) == 0);
	check_int(s.sandbox.mode.v, MODE_ALL);
	check(resolve_up_to(&k.config, NULL, LEVEL_USER, &k.arena, &s, &k.e) == 0);
	check_int(s.sandbox.mode.v, MODE_OFF);
	keys_end(&k);
}

/* Rules first, then patterns, in the order in which they stand. */
static void test_rules_in_one_form(void)
{
	static const char text[] =
		"{tools: {elevated: {requireApproval: false, patterns: ['c', 'd'], "
		"rules: [{pattern: 'a', to: 'trusted', ttl: '1m'}, {pattern: 'b', approval: "
		"false}]}}}";
	static const struct {
		const char *pattern, *to;
		bool approval;
		uint64_t ttl;
	} want[] = {{"a", "trusted", true, 60000}, {"b", "host", false, 0}, {"c", "host", false, 0},
		{"d", "host", false, 0}};
	struct keys_config k;
	struct effective eff;

	if (check(resolve(&k, NULL, text, NULL, "main", &eff) == 0) &&
		check_int(eff.rules.count, ARRAY_LEN(want)))
		for (size_t i = 0; i < ARRAY_LEN(want); i++) {
			const struct rule *r = &eff.rules.items[i];

			test_row("%s", want[i].pattern);
			check_str(r->pattern, want[i].pattern);
			check_str(r->to, want[i].to);
			check_int(r->approval, want[i].approval);
			check_u64(r->ttl, want[i].ttl);
			check(r->at.source && r->at.line == 1);
		}
	keys_end(&k);
}

static void test_required_layers(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"{}", "filesystem network processes syscalls"},
		{"{agents: {defaults: {sandbox: {resources: {memory: '1G', cpus: 1}}}}}",
			"filesystem network processes syscalls memory cpu"},
		{"{agents: {defaults: {sandbox: {resources: {pids: 9, disk: '1G'}}}}}",
			"filesystem network processes syscalls pids disk"},
		{"{agents: {defaults: {sandbox: {resources: {files: 9, inodes: 9, swap: 0}}}}}",
			"filesystem network processes syscalls"},
		{"{agents: {defaults: {sandbox: {resources: {cpus: 1}, require: ['disk']}}}}",
			"disk"},
		{"{agents: {defaults: {sandbox: {require: []}}}}", ""},
		{"{agents: {defaults: {sandbox: {profile: 'untrusted'}}}}",
			"filesystem network processes syscalls"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf got = BUF(1024);
		struct keys_config k;
		struct effective eff;

		test_row("%s", rows[i].text);
		check(resolve(&k, NULL, rows[i].text, NULL, "main", &eff) == 0);
		for (size_t n = 0; n < eff.require.count; n++)
			buf_printf(&got, "%s%s", n ? " " : "", eff.require.items[n].text);
		check_str(buf_text(&got), rows[i].want);
		keys_end(&k);
	}
}

static void test_elevated_profile(void)
{
	static const char text[] = "{profiles: {net: {sandbox: {network: 'full'}}}, "
				   "agents: {defaults: {sandbox: {workspace: 'ro'}}}}";
	struct keys_config k;
	struct effective eff, other;

	check(resolve(&k, NULL, text, NULL, "main", &eff) == 0);
	check(resolve_elevated(&k.config, &eff, "net", &k.arena, &other, &k.e) == 0);
	check_int(other.net.mode, NET_FULL);
	check_int(other.s.sandbox.workspace.v, WORKSPACE_RO);
	check_str(other.s.sandbox.profile.v, "net");
	check_int(eff.net.mode, NET_NONE);
	check(resolve_elevated(&k.config, &eff, "none", &k.arena, &other, &k.e) < 0);
	check_has(k.e.text, "there is no profile 'none'");
	keys_end(&k);
}

static void test_tool_profiles(void)
{
	struct keys_config k;
	struct effective eff;
	const struct item *items;
	size_t count;

	check(resolve(&k, "{toolProfiles: {a: ['read'], none: []}}",
		      "{toolProfiles: {b: ['exec', 'list']}}", NULL, "main", &eff) == 0);
	items = config_tool_profile(&k.config, &k.arena, "a", &count);
	check(items && count == 1 && str_eq(items[0].text, "read"));
	items = config_tool_profile(&k.config, &k.arena, "b", &count);
	check(items && count == 2);
	items = config_tool_profile(&k.config, &k.arena, "none", &count);
	check(items && count == 0);
	items = config_tool_profile(&k.config, &k.arena, "minimal", &count);
	check(items && count == 1 && items[0].at.source == &builtin_source);
	check(!config_tool_profile(&k.config, &k.arena, "c", &count));
	keys_end(&k);
	check(resolve(&k, "{toolProfiles: {a: ['read']}}", "{toolProfiles: {a: ['read']}}", NULL,
		      "main", &eff) < 0);
	check_has(k.e.text, "user.json5:1:17: tool profile 'a' is already defined at "
			    "system.json5:1:17");
	keys_end(&k);
}

static const struct test tests[] = {
	{"nothing written", test_nothing_written},
	{"sections over sections", test_deep_merge},
	{"assignments add up", test_assignments_add_up},
	{"assignments that make no sense", test_bad_assignments},
	{"entries that were dropped", test_entries_that_were_dropped},
	{"refusals", test_refusals},
	{"exceptions for binds", test_exceptions_for_binds},
	{"up to a level", test_up_to_a_level},
	{"profiles of later levels", test_profiles_of_later_levels},
	{"rules in one form", test_rules_in_one_form},
	{"required layers", test_required_layers},
	{"where a rule leads", test_elevated_profile},
	{"tool profiles", test_tool_profiles},
};
TEST_MAIN(tests)
