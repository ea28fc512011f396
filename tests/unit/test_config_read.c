/* SPDX-License-Identifier: Apache-2.0 */
#include "json/config_read.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/show.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/schema.h"
#include "test.h"

static int read_text(struct config *c, const char *text, struct err *e)
{
	struct config_wish wish = {.all = true};

	return config_read(c, LEVEL_USER, "f.json5", text, strlen(text), &wish, e);
}

static int read_any(const char *text, struct err *e)
{
	auto_(config_free) struct config c = {0};
	struct config_wish wish = {.all = true, .take_unsupported = true};

	return config_read(&c, LEVEL_USER, "f.json5", text, strlen(text), &wish, e);
}

/* a.b.c and a value as {a: {b: {c: value}}}, each level on a line of its own; returns the lines. */
static unsigned document(struct buf *out, const char *path, const char *value)
{
	unsigned levels = 0;

	for (const char *p = path;; p++) {
		size_t len = strcspn(p, ".");

		buf_printf(out, "{%.*s:\n", (int)len, p);
		levels++;
		p += len;
		if (!*p)
			break;
	}
	buf_puts(out, value);
	for (unsigned i = 0; i < levels; i++)
		buf_putc(out, '}');
	return levels + 1;
}

static bool is_number(const struct field *f)
{
	return f->type == FIELD_COUNT || f->type == FIELD_SIZE || f->type == FIELD_DURATION ||
	       f->type == FIELD_CPUS || f->type == FIELD_RATE;
}

/* Refused at the place of the value, with the key's whole path. */
static void check_refused(const char *path, const char *value)
{
	auto_(buf_free) struct buf text = BUF(1024);
	struct err e = {0};
	unsigned line = document(&text, path, value);
	char want[256];

	test_row("%s: %s", path, value);
	check_int(read_any(buf_text(&text), &e), -EINVAL);
	snprintf(want, sizeof want, "f.json5:%u:1: %s: ", line, path);
	check_has(e.text, want);
}

static void check_taken(const char *path, const char *value)
{
	auto_(buf_free) struct buf text = BUF(1024);
	struct err e = {0};

	test_row("%s: %s", path, value);
	document(&text, path, value);
	if (!check_int(read_any(buf_text(&text), &e), 0))
		printf("# %s\n", e.text);
}

static int bad_numbers(const char *path, const struct field *f, void *ctx)
{
	static const char *const values[] = {"'99999999999G'", "'18446744073709551616'", "'-1'",
		"'1e3'", "'0x10'", "' 1G'", "'1G '", "'\xef\xbc\x91G'", "'G'", "''", "'1GG'",
		"'NaN'", "'unlimited'", "'Infinity'", "'+1'", "'1,5G'", "'1_000'", "'.5G'", "'5.'",
		"'1/0'", "'1G\\n'", "'1\\u202e'", "-1", "-0", "-1.5", "1e3", "1e400", "-1e400",
		"1e-400", "NaN", "Infinity", "-Infinity", "18446744073709551616",
		"0x10000000000000000", "null", "true", "[1]", "{}", "['1G']"};

	if (!is_number(f))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		check_refused(path, values[i]);
	++*(size_t *)ctx;
	return 0;
}

static void test_bad_numbers_for_every_key(void)
{
	size_t keys = 0;

	check_int(schema_each(bad_numbers, &keys), 0);
	check(keys >= 20);
}

/* 0 means "none" only where the table says so. */
static int zeros(const char *path, const struct field *f, void *ctx)
{
	static const char *const values[] = {"0", "'0'", "0x0", "0.0"};

	(void)ctx;
	if (!is_number(f))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		bool plain = !str_eq(values[i], "0.0") || f->type == FIELD_DURATION ||
			     f->type == FIELD_CPUS;

		if (f->zero && plain && f->type != FIELD_RATE)
			check_taken(path, values[i]);
		else
			check_refused(path, values[i]);
	}
	return 0;
}

static void test_zero_for_every_key(void)
{
	check_int(schema_each(zeros, NULL), 0);
	check_taken("agents.defaults.sandbox.resources.swap", "0");
	check_refused("agents.defaults.sandbox.resources.memory", "0");
	check_refused("agents.defaults.sandbox.resources.pids", "'0'");
}

/* What was refused is not set to anything, and the largest value is exactly itself. */
static void test_numbers_never_wrap(void)
{
	static const struct {
		const char *value;
		uint64_t want;
	} rows[] = {
		{"18446744073709551615", UINT64_MAX},
		{"'18446744073709551615'", UINT64_MAX},
		{"0xffffffffffffffff", UINT64_MAX},
		{"'16777215T'", UINT64_C(16777215) << 40},
		{"'1.5G'", UINT64_C(1610612736)},
		{"'1k'", 1024},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(config_free) struct config c = {0};
		auto_(buf_free) struct buf text = BUF(1024);
		struct err e = {0};

		test_row("%s", rows[i].value);
		document(&text, "agents.defaults.sandbox.resources.memory", rows[i].value);
		check_int(read_text(&c, buf_text(&text), &e), 0);
		check_u64(c.levels[LEVEL_USER].defaults.sandbox.resources.memory.v, rows[i].want);
	}
}

/* Each plain value where the key wants another; bound values are another test's. */
static int wrong_types(const char *path, const struct field *f, void *ctx)
{
	bool caches = str_eq(f->name, "persistCaches");

	(void)ctx;
	check_refused(path, "null");
	if (f->type == FIELD_BOOL || caches)
		check_taken(path, "true");
	else
		check_refused(path, "true");
	if (!is_number(f) || f->type == FIELD_RATE)
		check_refused(path, "12");
	if (f->type != FIELD_LIST && !caches && !str_eq(f->name, "rules"))
		check_refused(path, "['x']");
	if (f->type == FIELD_LIST || f->type == FIELD_BOOL || f->type == FIELD_SPECIAL)
		check_refused(path, "'x'");
	return 0;
}

static void test_wrong_types_for_every_key(void)
{
	check_int(schema_each(wrong_types, NULL), 0);
}

/* The same key with a letter too many is unknown, and the right one is suggested. */
static int misspelt(const char *path, const struct field *f, void *ctx)
{
	auto_(buf_free) struct buf wrong = BUF(256), text = BUF(1024);
	struct err e = {0};
	char want[512];
	unsigned line;

	(void)ctx;
	test_row("%s", path);
	buf_printf(&wrong, "%sx", path);
	line = document(&text, buf_text(&wrong), "1") - 1;
	check_int(read_any(buf_text(&text), &e), -EINVAL);
	snprintf(want, sizeof want, "f.json5:%u:2: %s: unknown key; did you mean '%s'?", line,
		buf_text(&wrong), f->name);
	check_str(e.text, want);
	return 0;
}

static void test_misspelt_keys(void)
{
	check_int(schema_each(misspelt, NULL), 0);
}

static int unsupported(const char *path, const struct field *f, void *ctx)
{
	auto_(config_free) struct config c = {0};
	auto_(buf_free) struct buf text = BUF(1024);
	struct err e = {0};
	char want[256];

	if (f->support != SUPPORT_NONE)
		return 0;
	test_row("%s", path);
	document(&text, path, "'x'");
	check_int(read_text(&c, buf_text(&text), &e), -EINVAL);
	snprintf(want, sizeof want, ":2: %s: not yet supported: ", path);
	check_has(e.text, want);
	++*(size_t *)ctx;
	return 0;
}

static void test_unsupported_keys(void)
{
	size_t keys = 0;

	check_int(schema_each(unsupported, &keys), 0);
	check(keys > 0);
}

struct row {
	const char *text, *want;
};

static void test_bad_documents(void)
{
	static const struct row rows[] = {
		{"", "1:1: the text ends where a value should stand"},
		{"[]", "1:1: must be an object, not a list"},
		{"'x'", "1:1: must be an object, not a text"},
		{"{} {}", "1:4: '{' where the end of the text should stand"},
		{"{agents: {defaults: {sandbox: {mode: 'off'",
			"1:43: the text ends where ',' or '}' should "
			"stand"},
		{"{agent: {}}", "1:2: agent: unknown key; did you mean 'agents'?"},
		{"{tool: {}}", "1:2: tool: unknown key; did you mean 'tools'?"},
		{"{version: 2}",
			"1:2: version: unknown key; 'ward config schema --support' lists all"},
		{"{sandbox: {}}",
			"1:2: sandbox: unknown key; 'ward config schema --support' lists all"},
		{"{profile: {}}", "1:2: profile: unknown key; did you mean 'profiles'?"},
		{"{lock: []}", "1:2: lock: unknown key; 'ward config schema --support' lists all"},
		{"{locke: []}", "1:2: locke: unknown key; did you mean 'locked'?"},
		{"{agents: []}", "1:10: agents: must be an object, not a list"},
		{"{agents: null}",
			"1:10: agents: null is not a value; leave the key out, or write an object"},
		{"{agents: {list: []}}",
			"1:11: agents.list: unknown key; 'ward config schema --support' lists all"},
		{"{agents: {default: {}}}",
			"1:11: agents.default: unknown key; did you mean 'defaults'?"},
		{"{agents: {entry: {}}}", "1:11: agents.entry: unknown key; 'ward config schema "
					  "--support' lists all"},
		{"{agents: {defaults: 1}}",
			"1:21: agents.defaults: must be an object, not a number"},
		{"{agents: {defaults: {sandbox: 'off'}}}",
			"1:31: agents.defaults.sandbox: must be an object, not a text"},
		{"{agents: {defaults: {sanbox: {}}}}",
			"1:22: agents.defaults.sanbox: unknown key; did you mean 'sandbox'?"},
		{"{agents: {defaults: {mode: 'off'}}}", "1:22: agents.defaults.mode: unknown key; "
							"'ward config schema --support' lists all"},
		{"{agents: {defaults: {tools: {}}}}",
			"1:22: agents.defaults: 'tools' belongs at the top of the file"},
		{"{agents: {entries: []}}", "1:20: agents.entries: must be an object, not a list"},
		{"{agents: {entries: {a: []}}}",
			"1:24: agents.entries.a: must be an object, not a list"},
		{"{agents: {entries: {'': {}}}}",
			"1:21: agents.entries.: a name is [A-Za-z0-9_][A-Za-z0-9_.-]*, at most 64 "
			"characters"},
		{"{agents: {entries: {'a/b': {}}}}",
			"1:21: agents.entries.a/b: a name is [A-Za-z0-9_][A-Za-z0-9_.-]*, at most "
			"64 characters"},
		{"{agents: {entries: {'..': {}}}}",
			"1:21: agents.entries...: a name is [A-Za-z0-9_][A-Za-z0-9_.-]*, at most "
			"64 characters"},
		{"{agents: {entries: {'a\\u001b[2J': {}}}}",
			"1:21: agents.entries.a\\x1b[2J: a name is [A-Za-z0-9_][A-Za-z0-9_.-]*, at "
			"most 64 characters"},
		{"{agents: {entries: {a: {mode: 'off'}}}}",
			"1:25: agents.entries.a.mode: unknown key; did you mean "
			"'sandbox.mode'?"},
		{"{agents: {entries: {a: {sandbox: {mde: 'off'}}}}}",
			"1:35: agents.entries.a.sandbox.mde: unknown key; did you mean 'mode'?"},
		{"{agents: {entries: {a: {tools: {elevated: {enable: true}}}}}}",
			"1:44: agents.entries.a.tools.elevated.enable: unknown key; did you mean "
			"'enabled'?"},
		{"{profiles: {p: {sandbox: {resources: {memry: 1}}}}}",
			"1:39: profiles.p.sandbox.resources.memry: unknown key; did you mean "
			"'memory'?"},
		{"{profiles: []}", "1:12: profiles: must be an object, not a list"},
		{"{tools: []}", "1:9: tools: must be an object, not a list"},
		{"{tools: {deny: 'exec'}}",
			"1:16: tools.deny: must be a list of texts, not a text"},
		{"{tools: {deny: ['exce']}}",
			"1:17: tools.deny: no tool is called 'exce'; did you mean 'exec'?"},
		{"{tools: {sandbox: {allow: [null]}}}",
			"1:28: tools.sandbox.allow: null is not a value; leave the key out, or "
			"write a text"},
		{"{tools: {elevated: {rules: [{pattern: 'ls', ttl: -1}]}}}",
			"1:50: tools.elevated.rules.ttl: -1 is negative"},
		{"{tools: {elevated: {rules: [{pattern: 'ls', until: 1}]}}}",
			"1:45: tools.elevated.rules.until: unknown key; 'ward config schema "
			"--support' lists all"},
		{"{agents: {defaults: {sandbox: {mode: 'of'}}}}",
			"1:38: agents.defaults.sandbox.mode: 'of' is none of all, non-main, off; "
			"did you mean 'off'?"},
		{"{$schema: 1}", "1:11: must be a text, not a number"},
		/* Duplicates at every depth, also by escapes. */
		{"{tools: {}, tools: {}}", "1:13: duplicate key 'tools'"},
		{"{agents: {defaults: {sandbox: {network: 'none', netw\\u006frk: 'full'}}}}",
			"1:49: duplicate key 'network'"},
		{"{agents: {entries: {a: {}, \"\\u0061\": {}}}}", "1:28: duplicate key 'a'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(config_free) struct config c = {0};
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(read_text(&c, rows[i].text, &e), -EINVAL);
		check(strncmp(e.text, "f.json5:", 8) == 0);
		check_str(e.text + 8, rows[i].want);
	}
}

/* Case is part of a name: nothing else is taken for it. */
static void test_case_counts(void)
{
	static const char *const texts[] = {"{Tools: {}}", "{agents: {Defaults: {}}}",
		"{agents: {defaults: {sandbox: {Network: 'none'}}}}",
		"{agents: {defaults: {sandbox: {network: 'None'}}}}",
		"{agents: {defaults: {sandbox: {readonlyroot: true}}}}"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err e = {0};

		test_row("%s", texts[i]);
		check_int(read_any(texts[i], &e), -EINVAL);
		check_has(e.text, "; did you mean '");
	}
}

static void test_network_lists(void)
{
	static const struct {
		const char *value;
		const char *want; /* NULL: taken */
	} rows[] = {
		{"{allow: []}", NULL},
		{"{}", NULL},
		{"{allow: ['x.test', '*.y.test', '10.0.0.0/8', 'z.test:443']}", NULL},
		{"{allow: null}", "network.allow: null is not a value"},
		{"{allow: ['']}", "network.allow: an empty text is not allowed"},
		{"{allow: 'x.test'}", "network.allow: must be a list of texts, not a text"},
		{"{allow: {}}", "network.allow: must be a list of texts, not an object"},
		{"{allow: [1]}", "network.allow: must be a text, not a number"},
		{"{allow: ['*']}", "network.allow: '*'"},
		{"{allow: ['http://x.test']}", "network.allow: 'http://x.test'"},
		{"{alow: []}", "network.alow: unknown key; did you mean 'allow'?"},
		{"{mode: 'none', mode: 'full'}", "duplicate key 'mode'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(config_free) struct config c = {0};
		auto_(buf_free) struct buf text = BUF(1024);
		struct err e = {0};
		int r;

		test_row("%s", rows[i].value);
		document(&text, "agents.defaults.sandbox.network", rows[i].value);
		r = read_text(&c, buf_text(&text), &e);
		check_int(r, rows[i].want ? -EINVAL : 0);
		if (rows[i].want)
			check_has(e.text, rows[i].want);
	}
}

/* The list that is written and empty is another thing than the one that is not written. */
static void test_empty_is_not_absent(void)
{
	auto_(config_free) struct config c = {0};
	const struct sandbox *s = &c.levels[LEVEL_USER].defaults.sandbox;
	struct err e = {0};

	check_int(read_text(&c, "{agents: {defaults: {sandbox: {network: {allow: []}}}}}", &e), 0);
	check(s->network.allow.at.source && s->network.allow.count == 0);
	check(!s->network.deny.at.source);
	check(!s->network.mode.at.source);
}

static const char agents_text[] = "{agents: {entries: {\n"
				  "  a: {sandbox: {mode: 'off'}},\n"
				  "  b: {sandbox: {mode: 'non-main'}, tools: {deny: ['exec']}},\n"
				  "}}, profiles: {p: {sandbox: {image: 'host'}}}}";

static void test_only_the_wanted_agent_is_kept(void)
{
	auto_(config_free) struct config c = {0};
	struct config_wish wish = {.agent = "b"};
	const struct config_level *level = &c.levels[LEVEL_SYSTEM];
	struct err e = {0};

	check_int(
		config_read(&c, LEVEL_SYSTEM, "s", agents_text, strlen(agents_text), &wish, &e), 0);
	check_int(level->entries.count, 2);
	check_str(level->entries.items[0].name, "a");
	check(!level->entries.items[0].settings);
	check(level->entries.items[1].settings &&
		level->entries.items[1].settings->sandbox.mode.v == MODE_NON_MAIN);
	check_int(level->entries.items[1].at.line, 3);
	check(level->profiles.count == 1 && level->profiles.items[0].settings);
	check_str(level->source->name, "s");
	check_int(level->source->level, LEVEL_SYSTEM);
	check(!c.levels[LEVEL_USER].source);
}

/* Nothing is skipped because somebody else's agent is asked for. */
static void test_everything_is_checked(void)
{
	static const char text[] = "{agents: {entries: {a: {sandbox: {mode: 'x'}}, b: {}}}}";
	auto_(config_free) struct config c = {0};
	struct config_wish wish = {.agent = "b"};
	struct err e = {0};

	check_int(config_read(&c, LEVEL_USER, "f", text, strlen(text), &wish, &e), -EINVAL);
	check_has(e.text, "f:1:41: agents.entries.a.sandbox.mode: 'x' is none of");
}

static void test_number_of_agents(void)
{
	for (int more = 0; more < 2; more++) {
		auto_free char *text = malloc(1 << 20);
		auto_(config_free) struct config c = {0};
		struct config_wish wish = {.agent = "a7"};
		size_t len = (size_t)snprintf(text, 64, "{agents: {entries: {");
		struct err e = {0};

		for (int i = 0; i < CONFIG_MAX_SECTIONS + more; i++)
			len += (size_t)snprintf(text + len, 16, "a%d: {},", i);
		len += (size_t)snprintf(text + len, 16, "}}}");
		check_int(
			config_read(&c, LEVEL_USER, "f", text, len, &wish, &e), more ? -EINVAL : 0);
		if (more)
			check_has(e.text, "f:1:20: agents.entries: more than 10000 of them");
	}
}

static void test_editors_may_name_the_schema(void)
{
	auto_(config_free) struct config c = {0};
	struct err e = {0};

	check_int(read_text(&c, "{$schema: './ward.schema.json'}", &e), 0);
	check_int(read_text(&c, "{'$schema': ''}", &e), 0);
}

/* Every level takes the same keys; who may say what is decided elsewhere. */
static void test_every_level(void)
{
	for (int level = LEVEL_SYSTEM; level < LEVEL_COUNT; level++) {
		auto_(config_free) struct config c = {0};
		struct config_wish wish = {.all = true};
		struct err e = {0};

		test_row("level %d", level);
		check_int(config_read(&c, (enum level)level, "f", agents_text, strlen(agents_text),
				  &wish, &e),
			0);
		check_int(c.levels[level].entries.items[0].at.source->level, level);
	}
}

/* The value of a path of settings at the caller's level, as JSON. */
static void show_set(struct buf *out, const struct config *c, bool override, const char *path)
{
	const struct config_level *level = &c->levels[LEVEL_CALLER];
	const void *base = override ? &level->override : &level->defaults;
	const struct field *f = field_find_path(settings_fields, path, &base);

	if (!f || !field_where(f, base)->source)
		buf_puts(out, "not set");
	else
		show_value(out, f, field_at(f, base));
}

static void test_assignments(void)
{
	static const struct {
		const char *set;
		bool override; /* else a whole path */
		const char *path, *want;
	} rows[] = {
		{"mode=off", true, "sandbox.mode", "\"off\""},
		{"network=limited", true, "sandbox.network.mode", "\"limited\""},
		{"network.mode=full", true, "sandbox.network.mode", "\"full\""},
		{"network={mode:'none'}", true, "sandbox.network.mode", "\"none\""},
		{"network.allow=[]", true, "sandbox.network.allow", "[]"},
		{"network.allow=x.test", true, "sandbox.network.allow", "[\"x.test\"]"},
		{"network.allow=['x.test', \"y.test\"]", true, "sandbox.network.allow",
			"[\"x.test\", \"y.test\"]"},
		{"resources.memory=512M", true, "sandbox.resources.memory", "\"512M\""},
		{"resources.memory='1G'", true, "sandbox.resources.memory", "\"1G\""},
		{"resources.pids=100", true, "sandbox.resources.pids", "100"},
		{"resources={cpus:.5,swap:0}", true, "sandbox.resources.cpus", "0.5"},
		{"readOnlyRoot=false", true, "sandbox.readOnlyRoot", "false"},
		{"timeout=0", true, "sandbox.timeout", "\"0s\""},
		{"env.A=b", true, "sandbox.env", "{\"A\": \"b\"}"},
		{"env.A=", true, "sandbox.env", "{\"A\": \"\"}"},
		{"env.A=b=c", true, "sandbox.env", "{\"A\": \"b=c\"}"},
		{"env.A=true", true, "sandbox.env", "{\"A\": \"true\"}"},
		{"env.A=1", true, "sandbox.env", "{\"A\": \"1\"}"},
		{"env={A:'b'}", true, "sandbox.env", "{\"A\": \"b\"}"},
		{"hide=*.key", true, "sandbox.hide", "[\"*.key\"]"},
		{"tools.deny=exec", false, "tools.deny", "[\"exec\"]"},
		{"tools.deny=['exec','read']", false, "tools.deny", "[\"exec\", \"read\"]"},
		{"tools.profile=minimal", false, "tools.profile", "\"minimal\""},
		{"tools.elevated.enabled=true", false, "tools.elevated.enabled", "true"},
		{"tools={profile:'full'}", false, "tools.profile", "\"full\""},
		{"agents.defaults.sandbox.mode=off", false, "sandbox.mode", "\"off\""},
		{"agents.defaults.sandbox.hide=x", false, "sandbox.hide", "[\"x\"]"},
		{"agents={defaults:{sandbox:{mode:'off'}}}", false, "sandbox.mode", "\"off\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(config_free) struct config c = {0};
		auto_(buf_free) struct buf got = BUF(256);
		struct config_wish wish = {.all = true};
		struct err e = {0};

		test_row("%s", rows[i].set);
		if (!check_int(config_set(&c, rows[i].set, &wish, &e), 0))
			printf("# %s\n", e.text);
		show_set(&got, &c, rows[i].override, rows[i].path);
		check_str(buf_text(&got), rows[i].want);
		check_str(c.levels[LEVEL_CALLER].source->name, "command line");
	}
}

static void test_bad_assignments(void)
{
	static const struct row rows[] = {
		{"", "--set '': write key=value, for example network=none"},
		{"network", "--set 'network': write key=value, for example network=none"},
		{"=x", "--set '=x': write key=value, for example network=none"},
		{"a\x1b[2J", "--set 'a\\x1b[2J': write key=value, for example network=none"},
		{"image=\xff", "--set 'image=\\xff': not UTF-8"},
		{"\xc0\xaf=x", "--set '\\xc0\\xaf=x': not UTF-8"},
		{"image=", "--set: command line: image: an empty text is not allowed"},
		{"hide=", "--set: command line: hide: an empty text is not allowed"},
		{"netwrk=none",
			"--set: command line: netwrk: unknown key; did you mean 'network'?"},
		{"network.alow=x",
			"--set: command line: network.alow: unknown key; did you mean 'allow'?"},
		{"network=nne",
			"--set: command line: network: 'nne' is none of none, limited, full; did "
			"you mean 'none'?"},
		{"network=null",
			"--set: command line: network: 'null' is none of none, limited, full; did "
			"you mean 'full'?"},
		{"network=true", "--set: command line: network: must be a text, not true or false"},
		{".network=none", "--set: command line: unknown key; 'ward config schema "
				  "--support' lists all"},
		{"network.=none", "--set: command line: network.: unknown key; 'ward config schema "
				  "--support' lists all"},
		{"a..b=1", "--set: command line: a: unknown key; 'ward config schema --support' "
			   "lists all"},
		{"tools.dny=exec",
			"--set: command line: tools.dny: unknown key; did you mean 'deny'?"},
		{"agents.default.sandbox.mode=off",
			"--set: command line: agents.default: unknown key; did you mean "
			"'defaults'?"},
		{"resources.memory=-1",
			"--set: command line: resources.memory: '-1' is not a size (write 512M, "
			"1.5G or plain bytes)"},
		{"resources.memory=1e3",
			"--set: command line: resources.memory: '1e3' is not a size (write 512M, "
			"1.5G or plain bytes)"},
		{"resources.memory= 1G",
			"--set: command line: resources.memory: ' 1G' is not a size (write 512M, "
			"1.5G or plain bytes)"},
		{"resources.memory=0",
			"--set: command line: resources.memory: 0 is not allowed; write at least "
			"1"},
		{"resources.memory=99999999999G",
			"--set: command line: resources.memory: '99999999999G' is too large"},
		{"env.A-B=c", "--set: command line: env: 'A-B': not a name of a variable: letters, "
			      "digits and '_', not starting with a digit, such as HTTP_PORT"},
		{"network.allow=[", "--set: command line:1:2: the text ends where a value should "
				    "stand"},
		{"network.allow=[] x",
			"--set: command line:1:4: 'x' where the end of the text should stand"},
		{"env={A:'b',A:'c'}", "--set: command line:1:8: duplicate key 'A'"},
		{"readOnlyRoot=yes",
			"--set: command line: readOnlyRoot: must be true or false, not a text"},
		{"apparmor=x", "--set: command line: apparmor: not yet supported: this version of "
			       "ward knows "
			       "the key but does nothing with it; take it out ('ward config schema "
			       "--support' lists such keys)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(config_free) struct config c = {0};
		struct config_wish wish = {.all = true};
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(config_set(&c, rows[i].text, &wish, &e), -EINVAL);
		check_str(e.text, rows[i].want);
	}
}

/* Bad numbers are bad numbers on the command line too. */
static int bad_assigned_numbers(const char *path, const struct field *f, void *ctx)
{
	static const char *const values[] = {"99999999999G", "18446744073709551616", "-1", "1e3",
		"0x10", " 1G", "1G ", "G", "", "1GG", "NaN", "unlimited", "Infinity", "null",
		"true", "[1]", "{}", "''", "'-1'"};

	(void)ctx;
	for (size_t i = 0; i < ARRAY_LEN(values) && is_number(f); i++) {
		auto_(config_free) struct config c = {0};
		struct config_wish wish = {.all = true, .take_unsupported = true};
		struct err e = {0};
		char set[256], want[256];

		test_row("%s=%s", path, values[i]);
		snprintf(set, sizeof set, "%s=%s", path, values[i]);
		snprintf(want, sizeof want, ": %s: ", path);
		check_int(config_set(&c, set, &wish, &e), -EINVAL);
		check(str_starts(e.text, "--set: command line:"));
		check_has(e.text, want);
	}
	return 0;
}

static void test_bad_numbers_on_the_command_line(void)
{
	check_int(schema_each(bad_assigned_numbers, NULL), 0);
}

static void test_several_assignments(void)
{
	auto_(config_free) struct config c = {0};
	auto_(buf_free) struct buf got = BUF(256);
	const struct settings *s = &c.levels[LEVEL_CALLER].override;
	struct config_wish wish = {.all = true};
	struct err e = {0};

	check_int(config_set(&c, "mode=off", &wish, &e), 0);
	check_int(config_set(&c, "mode=all", &wish, &e), 0);
	check_int(config_set(&c, "resources.pids=5", &wish, &e), 0);
	check_int(config_set(&c, "env.A=1", &wish, &e), 0);
	check_int(config_set(&c, "env.B=2", &wish, &e), 0);
	check_int(s->sandbox.mode.v, MODE_ALL);
	check_u64(s->sandbox.resources.pids.v, 5);
	show_set(&got, &c, true, "sandbox.env");
	check_str(buf_text(&got), "{\"A\": \"1\", \"B\": \"2\"}");
	/* One that fails leaves those before it as they were. */
	check_int(config_set(&c, "mode=wrong", &wish, &e), -EINVAL);
	check_int(s->sandbox.mode.v, MODE_ALL);
}

static void test_long_assignments_are_cut(void)
{
	auto_(config_free) struct config c = {0};
	struct config_wish wish = {0};
	char text[100001];
	struct err e = {0};

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	check_int(config_set(&c, text, &wish, &e), -EINVAL);
	check_has(e.text, "xxx...': write key=value");
	text[50] = '=';
	check_int(config_set(&c, text, &wish, &e), -EINVAL);
	check_has(e.text, "x: unknown key");
	memcpy(text, "mode=", 5);
	check_int(config_set(&c, text, &wish, &e), -EINVAL);
	check_has(e.text, "mode: 'xxx");
}

/* The caller's words may be gone, or overwritten, while the values are still used. */
static void test_assignments_are_copied(void)
{
	static const char *const texts[] = {
		"image=dir:/a", "hide=.b", "env.A=c", "hide=['.b', 'd']"};
	struct config_wish wish = {.all = true};
	auto_(config_free) struct config c = {0};
	const struct sandbox *s = &c.levels[LEVEL_CALLER].override.sandbox;
	struct err e = {0};
	char text[64];

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		snprintf(text, sizeof text, "%s", texts[i]);
		check_int(config_set(&c, text, &wish, &e), 0);
		memset(text, 0, sizeof text);
		if (i == 1)
			check_str(s->hide.items[0].text, ".b");
	}
	check_str(s->image.v, "dir:/a");
	check_str(s->env.entries[0].key, "A");
	check_str(s->env.entries[0].text.text, "c");
	check_str(s->hide.items[1].text, "d");
}

static const struct test tests[] = {
	{"bad numbers for every key", test_bad_numbers_for_every_key},
	{"zero for every key", test_zero_for_every_key},
	{"numbers never wrap", test_numbers_never_wrap},
	{"wrong types for every key", test_wrong_types_for_every_key},
	{"every key misspelt", test_misspelt_keys},
	{"keys without effect yet are errors", test_unsupported_keys},
	{"bad documents", test_bad_documents},
	{"case counts", test_case_counts},
	{"network lists", test_network_lists},
	{"empty is not absent", test_empty_is_not_absent},
	{"only the wanted agent is kept", test_only_the_wanted_agent_is_kept},
	{"everything is checked", test_everything_is_checked},
	{"number of agents", test_number_of_agents},
	{"editors may name the schema", test_editors_may_name_the_schema},
	{"every level", test_every_level},
	{"assignments", test_assignments},
	{"bad assignments", test_bad_assignments},
	{"bad numbers on the command line", test_bad_numbers_on_the_command_line},
	{"several assignments", test_several_assignments},
	{"long assignments are cut", test_long_assignments_are_cut},
	{"assignments are copied", test_assignments_are_copied},
};

TEST_MAIN(tests)
