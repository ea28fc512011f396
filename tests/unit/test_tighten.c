/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A workspace's file may only tighten: for every key of the schema, for agents' entries too, and
 * whatever combination of keys it is given.
 */

#include "model/tighten.h"

#include "keys.h"
#include "model/catalogue.h"
#include "model/elevate.h"
#include "model/merge.h"
#include "model/order.h"
#include "test.h"

static struct key_rows all;

static void test_every_key_has_a_row(void)
{
	keys_read(&all);
	for (size_t i = 0; i < all.count; i++) {
		const void *base = NULL;

		test_row("%s", all.rows[i].key);
		if (!all.rows[i].never)
			check(keys_field(all.rows[i].key, &base) != NULL);
	}
}

static const struct field *row_field(const struct key_row *row)
{
	const void *base = NULL;

	return keys_field(row->key, &base);
}

/* Both files write the same key. */
static void check_refused(
	const char *key, const char *user, const char *workspace, const char *agent)
{
	struct keys_config k;
	struct effective eff;

	keys_begin(&k);
	keys_write(&k, LEVEL_USER, key, user, "");
	keys_write(&k, LEVEL_WORKSPACE, key, workspace, "");
	check(keys_resolve(&k, agent, &eff) < 0);
	check_has(k.e.text, key);
	check_has(k.e.text, "may only tighten");
	check_has(k.e.text, "workspace.json5:1:");
	check_has(k.e.text, "user.json5:1:");
	keys_end(&k);
}

static void check_accepted(const struct key_row *row, const char *key, const char *user,
	const char *workspace, const char *want)
{
	struct keys_config k;
	struct effective eff;

	keys_begin(&k);
	keys_write(&k, LEVEL_USER, key, user, "");
	keys_write(&k, LEVEL_WORKSPACE, key, workspace, "");
	if (test_check(keys_resolve(&k, "x", &eff) == 0, __FILE__, __LINE__, "%s", k.e.text))
		keys_check_value(&k, &eff, row->key, want);
	keys_end(&k);
}

/* Lists that forbid add up, so only the empty one is no use: it would look like a loosening. */
static bool is_empty_addition(const struct key_row *row, const char *value)
{
	return row_field(row)->order == ORDER_MORE && str_eq(value, "[]");
}

static void check_key(const struct key_row *row, const char *key)
{
	test_row("%s: %s, then %s", key, row->tight, row->loose);
	check_refused(key, row->tight, row->loose, "x");
	test_row("%s: %s, then %s", key, row->loose, row->tight);
	if (row->fixed)
		check_refused(key, row->loose, row->tight, "x");
	else
		check_accepted(row, key, row->loose, row->tight, row->tight);
	test_row("%s: %s twice", key, row->tight);
	check_accepted(row, key, row->tight, row->tight, row->tight);
	test_row("%s: %s twice", key, row->loose);
	if (!is_empty_addition(row, row->loose))
		check_accepted(row, key, row->loose, row->loose, row->loose);
}

static void test_no_key_is_loosened(void)
{
	for (size_t i = 0; i < all.count; i++)
		if (!all.rows[i].never)
			check_key(&all.rows[i], all.rows[i].key);
}

static void test_no_key_of_an_agent_is_loosened(void)
{
	char key[KEYS_TEXT];

	for (size_t i = 0; i < all.count; i++) {
		if (all.rows[i].never)
			continue;
		keys_of("agents.entries.x", all.rows[i].key, key);
		check_key(&all.rows[i], key);
	}
}

/* What nobody wrote is what is built in. */
static void test_built_in_values_are_not_loosened(void)
{
	static const struct {
		const char *key, *value;
	} rows[] = {
		{"agents.defaults.sandbox.mode", "'non-main'"},
		{"agents.defaults.sandbox.scope", "'agent'"},
		{"agents.defaults.sandbox.fallback", "['host']"},
		{"agents.defaults.sandbox.readOnlyRoot", "false"},
		{"agents.defaults.sandbox.resources.memory", "'3G'"},
		{"agents.defaults.sandbox.resources.swap", "'1M'"},
		{"agents.defaults.sandbox.network", "'limited'"},
		{"agents.defaults.sandbox.timeout", "0"},
		{"agents.defaults.sandbox.timeout", "'61s'"},
		{"agents.defaults.sandbox.env", "{LD_PRELOAD: './x.so'}"},
		{"agents.defaults.sandbox.env", "{}"},
		{"agents.defaults.sandbox.passEnv", "['AWS_*']"},
		{"agents.defaults.sandbox.binds", "['/srv:/srv']"},
		{"agents.defaults.sandbox.setupCommand", "'curl evil.test'"},
		{"agents.defaults.sandbox.workspacePath", "'/home/user'"},
		{"agents.defaults.sandbox.apparmor", "'unconfined'"},
		{"agents.defaults.sandbox.network.hosts", "{'a.test': '192.0.2.1'}"},
		{"agents.defaults.sandbox.network.dns", "['192.0.2.1']"},
		{"agents.defaults.sandbox.browser.enableNoVnc", "true"},
		{"tools.profile", "'full'"},
		{"tools.allow", "['tts']"},
		{"tools.bypass", "['exec']"},
		{"tools.sandbox.allow", "['*']"},
		{"tools.elevated.patterns", "['sh *']"},
		{"tools.elevated.requireApproval", "false"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct keys_config k;
		struct effective eff;

		test_row("%s: %s", rows[i].key, rows[i].value);
		keys_begin(&k);
		keys_write(&k, LEVEL_WORKSPACE, rows[i].key, rows[i].value, "");
		check(keys_resolve(&k, "main", &eff) < 0);
		check_has(k.e.text, "may only tighten");
		check_has(k.e.text, "built in gives");
		keys_end(&k);
	}
}

static void test_keys_that_no_workspace_may_set(void)
{
	static const char *const words[] = {"may only tighten", "belongs in the administrator's"};

	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		const char *values[] = {row->tight, row->loose};

		for (size_t v = 0; row->never && v < ARRAY_LEN(values); v++) {
			struct keys_config k;
			struct effective eff;

			test_row("%s: %s", row->key, values[v]);
			keys_begin(&k);
			keys_write(&k, LEVEL_WORKSPACE, row->key, values[v], "");
			check(keys_resolve(&k, "main", &eff) < 0);
			check_has(k.e.text, "workspace.json5:1:");
			check(strstr(k.e.text, words[0]) || strstr(k.e.text, words[1]));
			keys_end(&k);
		}
	}
}

/* The user's defaults and one agent's entry, then the workspace's defaults. */
static void check_agent(const struct key_row *row, const char *defaults, const char *entry,
	const char *workspace, const char *want)
{
	char key[KEYS_TEXT];
	struct keys_config k;
	struct effective eff;

	keys_of("agents.entries.x", row->key, key);
	keys_begin(&k);
	keys_write(&k, LEVEL_SYSTEM, row->key, defaults, "");
	keys_write(&k, LEVEL_USER, key, entry, "");
	keys_write(&k, LEVEL_WORKSPACE, row->key, workspace, "");
	if (test_check(keys_resolve(&k, "x", &eff) == 0, __FILE__, __LINE__, "%s", k.e.text))
		keys_check_value(&k, &eff, row->key, want);
	keys_end(&k);
}

static void test_defaults_reach_every_agent(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];

		if (row->never || row->fixed)
			continue;
		test_row("%s: an agent with %s, a workspace with %s", row->key, row->loose,
			row->tight);
		check_agent(row, row->loose, row->loose, row->tight, row->tight);
	}
}

static void test_an_agent_that_is_tighter_stays_so(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];

		/* What adds up is as loose as its loosest part, or as tight as its tightest. */
		if (row->never || is_empty_addition(row, row->loose) ||
			(row_field(row)->append && row_field(row)->order == ORDER_FEWER))
			continue;
		test_row("%s: an agent with %s, a workspace with %s", row->key, row->tight,
			row->loose);
		if (row_field(row)->type == FIELD_MAP || row_field(row)->type == FIELD_LISTMAP)
			continue; /* maps are merged by key */
		check_agent(row, row->loose, row->tight, row->loose, row->tight);
	}
}

/* The caller is the user: beyond the workspace, key by key. */
static void test_the_caller_may_go_further(void)
{
	for (size_t i = 0; i < all.count; i++) {
		const struct key_row *row = &all.rows[i];
		struct keys_config k;
		struct effective eff;

		if (row->never || row->fixed)
			continue;
		test_row("%s: a workspace with %s, a caller with %s", row->key, row->tight,
			row->loose);
		keys_begin(&k);
		keys_write(&k, LEVEL_USER, row->key, row->loose, "");
		keys_write(&k, LEVEL_WORKSPACE, row->key, row->tight, "");
		keys_set(&k, row->key, row->loose);
		if (test_check(
			    keys_resolve(&k, "x", &eff) == 0, __FILE__, __LINE__, "%s", k.e.text))
			keys_check_value(&k, &eff, row->key,
				row_field(row)->order == ORDER_MORE ? row->tight : row->loose);
		keys_end(&k);
	}
}

static void load_texts(struct keys_config *k, const char *user, const char *workspace)
{
	keys_begin(k);
	keys_load(k, LEVEL_USER, user);
	keys_load(k, LEVEL_WORKSPACE, workspace);
}

static void test_the_message(void)
{
	struct keys_config k;
	struct effective eff;

	load_texts(&k, "{agents: {\n defaults: {sandbox: {resources: {memory: '1G'}}}}}",
		"{\n agents: {defaults: {sandbox: {resources: {\n  memory: '2G'}}}}}");
	check(keys_resolve(&k, "main", &eff) < 0);
	check_str(k.e.text,
		"workspace.json5:3:11: 'agents.defaults.sandbox.resources.memory' is loosened to "
		"\"2G\" (user.json5:2:43 gives \"1G\"): a workspace's file may only tighten");
	keys_end(&k);
}

/* A list that somebody else wrote is not brought back by a caller who adds to it. */
static void test_binds_of_the_caller(void)
{
	struct keys_config k;
	struct effective eff;

	load_texts(&k, "{agents: {defaults: {sandbox: {binds: ['/srv/a:/a', '/srv/b:/b']}}}}",
		"{agents: {defaults: {sandbox: {binds: ['/srv/a:/a']}}}}");
	keys_set(&k, "binds", "['/srv/c:/c']");
	check(keys_resolve(&k, "main", &eff) == 0);
	check_int(eff.s.sandbox.binds.count, 2);
	check(eff.s.sandbox.binds.count == 2 &&
		str_eq(eff.s.sandbox.binds.items[0].text, "/srv/a:/a") &&
		str_eq(eff.s.sandbox.binds.items[1].text, "/srv/c:/c"));
	keys_end(&k);
}

/* The tightest profile keeps its places for temporary files, without programs in them. */
static void test_tightest_profile(void)
{
	struct keys_config k;
	struct effective eff;

	load_texts(&k, "{tools: {profile: 'full'}}",
		"{agents: {defaults: {sandbox: {profile: 'untrusted'}}}}");
	if (check(keys_resolve(&k, "main", &eff) == 0)) {
		const struct sandbox *s = &eff.s.sandbox;

		check_int(s->tmpfs.count, 4);
		for (size_t i = 0; i < s->tmpfs.count; i++)
			check_has(s->tmpfs.items[i].text, "noexec");
		check_int(s->hide.count, 5);
		check_int(s->workspace.v, WORKSPACE_RO);
		check_u64(s->resources.pids.v, 100);
		check_str(eff.tools.profile, "readonly");
	}
	keys_end(&k);
}

static const struct {
	const char *outer, *inner;
	bool covers;
} tmpfs_rows[] = {
	{"/tmp", "/tmp", true},
	{"/tmp", "/tmp:size=1g,noexec,nosuid,nodev", true},
	{"/tmp:size=64m", "/tmp:size=64m", true},
	{"/tmp:size=64m", "/tmp:size=65536k", true},
	{"/tmp:size=64m", "/tmp:noexec,size=1m", true},
	{"/tmp:size=64m", "/tmp:size=65m", false},
	{"/tmp:size=64m", "/tmp", false},
	{"/tmp:size=64m", "/tmp:noexec", false},
	{"/tmp:size=64m", "/tmp2:size=64m", false},
	{"/tmp", "/tm", false},
	{"/tm", "/tmp", false},
	{"/tmp:noexec", "/tmp:noexec", true},
	{"/tmp:noexec", "/tmp", false},
	{"/tmp:noexec", "/tmp:exec", false},
	{"/tmp:exec", "/tmp:noexec", true},
	{"/tmp:exec", "/tmp", true},
	{"/tmp:nr_inodes=10", "/tmp:nr_inodes=10", true},
	{"/tmp:nr_inodes=10", "/tmp:nr_inodes=11", false},
	{"/tmp:nr_inodes=10", "/tmp", false},
	{"/tmp:mode=0700", "/tmp:mode=0700", true},
	{"/tmp:mode=0700", "/tmp:mode=1777", false},
	{"/tmp:mode=0700", "/tmp", false},
	{"/tmp", "/tmp:mode=0700", false},
	{"/tmp:uid=1", "/tmp:uid=2", false},
	{"/tmp:gid=1", "/tmp:gid=1", true},
};

static void test_tmpfs_order(void)
{
	const void *base = NULL;
	const struct field *f = keys_field("agents.defaults.sandbox.tmpfs", &base);

	for (size_t i = 0; i < ARRAY_LEN(tmpfs_rows); i++) {
		test_row("%s, %s", tmpfs_rows[i].outer, tmpfs_rows[i].inner);
		check_int(
			f->covers(tmpfs_rows[i].outer, tmpfs_rows[i].inner), tmpfs_rows[i].covers);
	}
}

/* Values at the edges of each order; "" is a value that nobody wrote. */
static const struct {
	const char *key, *inner, *outer;
	bool within;
} orders[] = {
	{"agents.defaults.sandbox.mode", "'off'", "", true},
	{"agents.defaults.sandbox.mode", "'off'", "'off'", true},
	{"agents.defaults.sandbox.resources.fileSize", "'1G'", "", true},
	{"agents.defaults.sandbox.rate.execs", "'60/m'", "'1/s'", true},
	{"agents.defaults.sandbox.rate.execs", "'1/s'", "'60/m'", true},
	{"agents.defaults.sandbox.rate.execs", "'3601/h'", "'1/s'", false},
	{"agents.defaults.sandbox.rate.execs", "'100000000000000000/s'", "'1/s'", false},
	{"agents.defaults.sandbox.rate.execs", "'1/h'", "'100000000000000000/s'", true},
	{"agents.defaults.sandbox.timeout", "0", "0", true},
	{"agents.defaults.sandbox.timeout", "0", "'1000d'", false},
	{"agents.defaults.sandbox.killGrace", "0", "'1s'", true},
	{"agents.defaults.sandbox.readOnlyRoot", "false", "", true},
	{"agents.defaults.sandbox.keepAlive", "true", "", false},
	{"agents.defaults.sandbox.keepAlive", "false", "", true},
	{"agents.defaults.sandbox.capAdd", "[]", "", true},
	{"agents.defaults.sandbox.capAdd", "['CHOWN']", "", false},
	{"agents.defaults.sandbox.image", "'host'", "", false},
	{"agents.defaults.sandbox.hide", "[]", "['x']", true},
	{"tools.allow", "['exec']", "['bash']", true},
	{"tools.allow", "['todo_x']", "['todo_*']", false},
	{"tools.allow", "['todo_*']", "['todo_*']", true},
	{"tools.allow", "['group:fs']", "['*']", false},
	{"tools.allow", "['read']", "['group:mine']", false},
};

static void test_orders(void)
{
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct keys_config inner, outer;
		const void *a, *b;
		const struct field *f;

		test_row("%s: %s, %s", orders[i].key, orders[i].inner, orders[i].outer);
		keys_begin(&inner);
		keys_begin(&outer);
		keys_write(&inner, LEVEL_USER, orders[i].key, orders[i].inner, "");
		if (orders[i].outer[0])
			keys_write(&outer, LEVEL_USER, orders[i].key, orders[i].outer, "");
		a = &inner.config.levels[LEVEL_USER].defaults;
		b = &outer.config.levels[LEVEL_USER].defaults;
		f = keys_field(orders[i].key, &a);
		keys_field(orders[i].key, &b);
		check(inner.r == 0 && outer.r == 0);
		check_int(order_within(f, field_at(f, a), field_at(f, b)), orders[i].within);
		check(order_equal(f, field_at(f, a), field_at(f, a)));
		check(!order_equal(f, field_at(f, a), &(struct opt_map){0}));
		keys_end(&inner);
		keys_end(&outer);
	}
}

/* A small generator: the same numbers every time. */
static unsigned draw(uint64_t *state, unsigned below)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(*state >> 33) % below;
}

/* Every value of every row as a section of its own, as the user and as a workspace would write it.
 */
struct values {
	struct config config;
	struct settings sections[2][KEYS_MAX][2];
};

static void read_values(struct values *v)
{
	static const enum level levels[] = {LEVEL_USER, LEVEL_WORKSPACE};
	struct config_wish wish = {.all = true, .take_unsupported = true};

	for (size_t i = 0; i < all.count * 4; i++) {
		const struct key_row *row = &all.rows[i / 4];
		enum level level = levels[i / 2 % 2];
		auto_(buf_free) struct buf text = BUF(KEYS_TEXT);
		struct err e = {0};

		if (row->never)
			continue;
		buf_putc(&text, '{');
		keys_nest(&text, row->key, i % 2 ? row->tight : row->loose);
		buf_putc(&text, '}');
		check(config_read(&v->config, level, "file", buf_text(&text), text.len, &wish,
			      &e) == 0);
		v->sections[i / 2 % 2][i / 4][i % 2] = v->config.levels[level].defaults;
		v->config.levels[level].defaults = (struct settings){0};
	}
}

/* A section that sets each key, or does not, to one of its values. */
static void random_settings(struct values *v, int which, uint64_t *state, struct settings *io)
{
	for (size_t i = 0; i < all.count; i++) {
		unsigned drawn = draw(state, 6);

		if (!all.rows[i].never && drawn < 2)
			merge_settings(&v->config.arena, io, &v->sections[which][i][drawn]);
	}
}

static void check_within(
	struct values *v, const struct settings *inner, const struct settings *outer)
{
	static const char *const sections[] = {"sandbox", "tools"};

	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		struct tighten t = {.config = &v->config,
			.arena = &v->config.arena,
			.inner = inner,
			.outer = outer,
			.prefix = "result",
			.only = sections[i],
			.because = "by the workspace"};
		struct err e = {0};

		test_check(tighten_check(&t, &e) == 0, __FILE__, __LINE__, "%s", e.text);
	}
}

static struct toolpolicy policy_of(struct values *v, const struct settings *s)
{
	struct toolpolicy p = {.profile = s->tools.profile.v, .tools = &s->tools};

	p.profile_items =
		config_tool_profile(&v->config, &v->config.arena, p.profile, &p.profile_count);
	return p;
}

static void check_tools_within(
	struct values *v, const struct settings *inner, const struct settings *outer)
{
	static const char *const foreign[] = {"todo_read", "todo_write", "reader"};
	struct toolpolicy now = policy_of(v, inner), before = policy_of(v, outer);

	for (size_t i = 0; i < 64; i++) {
		const char *tool =
			i < ARRAY_LEN(foreign) ? foreign[i] : catalogue_tools[i - 3].name;

		if (!tool)
			break;
		for (int sandboxed = 0; sandboxed < 2; sandboxed++)
			test_check(!toolpolicy_ask(&now, tool, sandboxed).allowed ||
					   toolpolicy_ask(&before, tool, sandboxed).allowed,
				__FILE__, __LINE__, "%s is new", tool);
		check(!toolpolicy_bypasses(&now, tool, NULL) ||
			toolpolicy_bypasses(&before, tool, NULL));
	}
}

static const struct rule *first_match(const struct rules *rules, char **argv, size_t count)
{
	for (size_t i = 0; i < rules->count; i++)
		if (elevate_match(rules->items[i].pattern, argv, count, NULL) == ELEVATE_YES)
			return &rules->items[i];
	return NULL;
}

static void check_rules_within(
	struct values *v, const struct settings *inner, const struct settings *outer)
{
	static char git[] = "git", push[] = "push", log[] = "log", a[] = "a", b[] = "b", c[] = "c";
	static char *commands[][2] = {{git, push}, {git, log}, {a}, {b}, {c}};
	struct rules now = resolve_rules(&v->config.arena, &inner->tools.elevated);
	struct rules before = resolve_rules(&v->config.arena, &outer->tools.elevated);

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		size_t words = commands[i][1] ? 2 : 1;
		const struct rule *r = first_match(&now, commands[i], words);
		const struct rule *o = first_match(&before, commands[i], words);

		check(!r || o);
		if (r && o)
			check(str_eq(r->to, o->to) && r->approval >= o->approval &&
				r->ttl <= o->ttl);
	}
}

/* What the workspace wrote is reached, not only approached. */
static int check_applied(const char *path, const struct field *f, const void *base, void *ctx)
{
	const struct settings *const *both = ctx;
	const char *result =
		(const char *)both[0] + ((const char *)field_at(f, base) - (const char *)both[1]);

	if (!field_where(f, base)->source || f->order == ORDER_FIXED || f->order == ORDER_SPECIAL)
		return 0;
	test_check(order_within(f, result, field_at(f, base)), __FILE__, __LINE__,
		"%s is still looser", path);
	return 0;
}

static void check_network_applied(
	struct values *v, const struct settings *result, const struct settings *ws)
{
	struct net_policy now = resolve_network(&v->config.arena, &result->sandbox.network);
	struct net_policy wanted = resolve_network(&v->config.arena, &ws->sandbox.network);

	if (ws->sandbox.network.mode.at.source || wanted.has_allow)
		check(net_policy_within(&now, &wanted));
}

/* Whatever it is given, also what the check would have refused. */
static void test_nothing_is_ever_loosened(void)
{
	struct values *v = mem_alloc(sizeof *v);
	uint64_t state = 1;

	read_values(v);
	for (int round = 0; round < 600 && !test_failed; round++) {
		struct settings target = builtin_defaults, ws = {0}, result;
		const struct settings *both[] = {&result, &ws};

		test_row("round %d", round);
		random_settings(v, 0, &state, &target);
		random_settings(v, 1, &state, &ws);
		result = target;
		tighten_apply(&v->config, &v->config.arena, &result, &ws);
		check_within(v, &result, &target);
		check_tools_within(v, &result, &target);
		check_rules_within(v, &result, &target);
		field_each(settings_fields, &ws, check_applied, both);
		check_network_applied(v, &result, &ws);
	}
	config_free(&v->config);
	free(v);
}

static const struct test tests[] = {
	{"every key has a row", test_every_key_has_a_row},
	{"no key is loosened", test_no_key_is_loosened},
	{"no key of an agent is loosened", test_no_key_of_an_agent_is_loosened},
	{"built-in values are not loosened", test_built_in_values_are_not_loosened},
	{"keys that no workspace may set", test_keys_that_no_workspace_may_set},
	{"defaults reach every agent", test_defaults_reach_every_agent},
	{"an agent that is tighter stays so", test_an_agent_that_is_tighter_stays_so},
	{"the caller may go further", test_the_caller_may_go_further},
	{"the message names keys, places and values", test_the_message},
	{"binds of the caller", test_binds_of_the_caller},
	{"the tightest profile", test_tightest_profile},
	{"one tmpfs within another", test_tmpfs_order},
	{"orders at their edges", test_orders},
	{"nothing is ever loosened", test_nothing_is_ever_loosened},
};
TEST_MAIN(tests)
