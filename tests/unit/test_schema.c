/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The schema is held against the reader: a small validator judges documents by the schema that is
 * written, the reader judges the same documents, and the two must agree wherever a schema can say
 * what the reader says.
 */

#include "json/schema.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "json/config_read.h"
#include "json/json5.h"
#include "test.h"

#include <regex.h>

static struct arena arena; /* of the schema, for the whole run */
static struct node schema;

static bool valid(const struct node *rule, const struct node *n);

static bool matches(const char *pattern, const char *text)
{
	regex_t re;
	bool ok;

	if (!check_int(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0))
		return false;
	ok = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return ok;
}

static bool has_type(const char *type, const struct node *n)
{
	static const char *const names[NODE_TYPES] = {
		"null", "boolean", "number", "string", "array", "object"};

	if (str_eq(type, "integer"))
		return n->type == NODE_NUMBER && !strchr(n->text, '.');
	return str_eq(names[n->type], type);
}

static bool type_allowed(const struct node *type, const struct node *n)
{
	if (!type || type->type == NODE_TEXT)
		return !type || has_type(type->text, n);
	for (uint32_t i = 0; i < type->count; i++)
		if (has_type(type->items[i].text, n))
			return true;
	return false;
}

static bool is_listed(const struct node *list, const char *text)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].text, text) == 0)
			return true;
	return false;
}

static bool any_of(const struct node *rules, const struct node *n)
{
	for (uint32_t i = 0; i < rules->count; i++)
		if (valid(&rules->items[i], n))
			return true;
	return false;
}

/* $ref is always #/$defs/NAME here. */
static const struct node *resolve(const struct node *rule)
{
	const struct node *ref = tree_get(rule, "$ref");

	return ref ? tree_get(tree_get(&schema, "$defs"), ref->text + strlen("#/$defs/")) : rule;
}

static unsigned long limit(const struct node *rule, const char *key, unsigned long none)
{
	const struct node *n = tree_get(rule, key);

	return n ? strtoul(n->text, NULL, 10) : none;
}

static bool text_valid(const struct node *rule, const char *text)
{
	const struct node *pattern = tree_get(rule, "pattern");

	return (!pattern || matches(pattern->text, text)) &&
	       strlen(text) >= limit(rule, "minLength", 0);
}

static bool number_valid(const struct node *rule, const struct node *n)
{
	double v = strtod(n->text, NULL);

	if (v != v || v - v != 0)
		return false; /* JSON has no such numbers */
	return (!tree_get(rule, "minimum") || v >= 0) &&
	       (!tree_get(rule, "exclusiveMinimum") || v > 0);
}

static bool list_valid(const struct node *rule, const struct node *n)
{
	const struct node *items = tree_get(rule, "items");

	for (uint32_t i = 0; i < n->count && items; i++)
		if (!valid(items, &n->items[i]))
			return false;
	return n->count <= limit(rule, "maxItems", 1ul << 31);
}

static bool member_valid(const struct node *rule, const struct member *m)
{
	const struct node *known = tree_get(tree_get(rule, "properties"), m->key);
	const struct node *names = tree_get(rule, "propertyNames");
	const struct node *others = tree_get(rule, "additionalProperties");

	if (names && !text_valid(names, m->key))
		return false;
	if (known)
		return valid(known, &m->value);
	if (!others)
		return true;
	return others->type == NODE_BOOL ? others->boolean : valid(others, &m->value);
}

static bool object_valid(const struct node *rule, const struct node *n)
{
	const struct node *required = tree_get(rule, "required");

	for (uint32_t i = 0; i < n->count; i++)
		if (!member_valid(rule, &n->members[i]))
			return false;
	for (uint32_t i = 0; required && i < required->count; i++)
		if (!tree_get(n, required->items[i].text))
			return false;
	return n->count <= limit(rule, "maxProperties", 1ul << 31);
}

static bool valid(const struct node *rule, const struct node *n)
{
	rule = resolve(rule);
	if (tree_get(rule, "anyOf") && !any_of(tree_get(rule, "anyOf"), n))
		return false;
	if (!type_allowed(tree_get(rule, "type"), n))
		return false;
	if (tree_get(rule, "enum"))
		return n->type == NODE_TEXT && is_listed(tree_get(rule, "enum"), n->text);
	if (n->type == NODE_TEXT)
		return text_valid(rule, n->text);
	if (n->type == NODE_NUMBER)
		return number_valid(rule, n);
	if (n->type == NODE_ARRAY)
		return list_valid(rule, n);
	return n->type != NODE_OBJECT || object_valid(rule, n);
}

static bool load_schema(void)
{
	auto_(buf_free) struct buf out = BUF(1 << 20);
	struct err e = {0};

	if (schema.type == NODE_OBJECT)
		return true;
	schema_write(&out);
	if (!check_int(json5_parse(&arena, "schema", buf_text(&out), out.len, &schema, &e), 0))
		printf("# %s\n", e.text);
	return schema.type == NODE_OBJECT;
}

/* a.b.c and a value as {"a":{"b":{"c": value}}} */
static void document(struct buf *out, const char *path, const char *value)
{
	unsigned levels = 0;

	for (;;) {
		size_t len = strcspn(path, ".");

		buf_puts(out, "{\"");
		buf_add(out, path, len);
		buf_puts(out, "\":");
		levels++;
		if (!path[len])
			break;
		path += len + 1;
	}
	buf_puts(out, value);
	while (levels--)
		buf_putc(out, '}');
}

static bool schema_accepts(const char *text)
{
	auto_(arena_free) struct arena a = {0};
	struct node root;
	struct err e = {0};

	return json5_parse(&a, "f", text, strlen(text), &root, &e) == 0 && valid(&schema, &root);
}

static bool reader_accepts(const char *text)
{
	auto_(config_free) struct config c = {0};
	struct config_wish wish = {.all = true, .take_unsupported = true};
	struct err e = {0};

	return config_read(&c, LEVEL_USER, "f", text, strlen(text), &wish, &e) == 0;
}

/* What a pattern cannot tell: values that only overflow, or come out as a fraction of one. */
static bool beyond_patterns(const char *value)
{
	static const char *const values[] = {"\"99999999999G\"", "\"18446744073709551616\"",
		"18446744073709551616", "1e400", "1e3", "\"1.0005k\"", "\"0\"", "\"0/m\"",
		"\"0.1k\"", "\"0.0001s\"", NULL};

	return str_in(value, values);
}

static const char *const values[] = {"true", "false", "null", "0", "1", "-1", "1.5", ".5", "256",
	"1e3", "1e400", "NaN", "Infinity", "-Infinity", "18446744073709551616", "\"\"", "\"0\"",
	"\"1\"", "\"-1\"", "\"+1\"", "\"1.5\"", "\"1.5G\"", "\"512M\"", "\"1k\"", "\"1.0005k\"",
	"\"0.1k\"", "\"2T\"", "\"1KiB\"", "\"1Kb\"", "\"1B\"", "\"5b\"", "\"1GG\"", "\"G\"",
	"\" 1G\"", "\"1G \"", "\"1 G\"", "\"1e3\"", "\"0x10\"", "\"NaN\"", "\"unlimited\"",
	"\"500ms\"", "\"60s\"", "\"10m\"", "\"24h\"", "\"7d\"", "\"1w\"", "\"0.0001s\"", "\"0.5\"",
	"\"1.2345\"", "\"60/m\"", "\"1k/s\"", "\"5/sec\"", "\"5/min\"", "\"5/hour\"", "\"5/d\"",
	"\"0/m\"", "\"1.5/s\"", "\"/s\"", "\"99999999999G\"", "\"18446744073709551616\"", "\"all\"",
	"\"off\"", "\"none\"", "\"rw\"", "\"session\"", "\"always\"", "\"nonsense\"",
	"\"standard\"", "\"/tmp\"", "\"1000:1000\"", "\"exec\"", "[]", "[\"\"]", "[\"exec\"]",
	"[\"/tmp\"]", "[1]", "[null]", "[[]]", "{}", "{\"a\":1}", "{\"a\":\"\"}", "{\"a\":\"b\"}",
	"{\"a\":[]}", "{\"a\":[\"exec\"]}", "{\"a\":[\"\"]}", "{\"a\":null}",
	"{\"a\":{\"up\":\"1M\"}}", "{\"a\":{\"sideways\":1}}", "[{\"pattern\":\"git status\"}]",
	"[{}]", "[{\"pattern\":\"ls\",\"ttl\":0,\"approval\":true}]",
	"[{\"pattern\":\"ls\",\"extra\":1}]", "[{\"pattern\":1}]"};

/* A type whose values a schema can describe to the letter. */
static bool is_exact(enum field_type type)
{
	return type == FIELD_BOOL || type == FIELD_ENUM || type == FIELD_COUNT ||
	       type == FIELD_SIZE || type == FIELD_DURATION || type == FIELD_CPUS ||
	       type == FIELD_RATE;
}

static int compare(const char *path, const struct field *f, void *ctx)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		auto_(buf_free) struct buf text = BUF(1024);
		bool by_schema, by_reader;

		test_row("%s: %s", path, values[i]);
		document(&text, path, values[i]);
		by_schema = schema_accepts(buf_text(&text));
		by_reader = reader_accepts(buf_text(&text));
		/* Nothing that ward takes is marked as wrong in an editor. */
		check(by_schema || !by_reader);
		if (is_exact(f->type) && !beyond_patterns(values[i]))
			check_int(by_schema, by_reader);
	}
	++*(size_t *)ctx;
	return 0;
}

static void test_schema_agrees_with_the_reader(void)
{
	size_t keys = 0;

	if (!load_schema())
		return;
	check_int(schema_each(compare, &keys), 0);
	check(keys > 70);
}

static void test_documents(void)
{
	static const struct {
		const char *text;
		bool ok;
	} rows[] = {
		{"{}", true},
		{"{$schema:'x'}", true},
		{"{$schema:1}", false},
		{"[]", false},
		{"null", false},
		{"{agents:{}}", true},
		{"{agents:{defaults:{}}}", true},
		{"{agents:{defaults:{sandbox:{}}}}", true},
		{"{agents:{defaults:{tools:{}}}}", false},
		{"{agents:{entries:{}}}", true},
		{"{agents:{entries:{a:{}}}}", true},
		{"{agents:{entries:{'a.b-c_D9':{sandbox:{mode:'off'},tools:{deny:['exec']}}}}}",
			true},
		{"{agents:{entries:{'a b':{}}}}", false},
		{"{agents:{entries:{'':{}}}}", false},
		{"{agents:{entries:{'-a':{}}}}", false},
		{"{agents:{entries:{'.a':{}}}}", false},
		{"{agents:{entries:{'a.':{}}}}", false},
		{"{agents:{entries:{'a':[]}}}", false},
		{"{agents:{entries:{'a':{mode:'off'}}}}", false},
		{"{agents:{list:[]}}", false},
		{"{agents:[]}", false},
		{"{profiles:{p:{sandbox:{},tools:{}}}}", true},
		{"{profiles:{'p/q':{}}}", false},
		{"{tools:{sandbox:{allow:[],deny:[]},elevated:{enabled:true,rules:[]}}}", true},
		{"{tools:{sandbox:{mode:'off'}}}", false},
		{"{sandbox:{}}", false},
		{"{locked:['tools.deny']}", true},
		{"{locked:'tools.deny'}", false},
		{"{agents:{defaults:{sandbox:{network:'none'}}}}", true},
		{"{agents:{defaults:{sandbox:{network:{mode:'none',allow:[]}}}}}", true},
		{"{agents:{defaults:{sandbox:{network:'some'}}}}", false},
		{"{agents:{defaults:{sandbox:{network:null}}}}", false},
		{"{agents:{defaults:{sandbox:{network:['x.test']}}}}", false},
		{"{agents:{defaults:{sandbox:{network:{allow:null}}}}}", false},
		{"{agents:{defaults:{sandbox:{network:{allow:'x.test'}}}}}", false},
	};

	if (!load_schema())
		return;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].text);
		check_int(schema_accepts(rows[i].text), rows[i].ok);
		check_int(reader_accepts(rows[i].text), rows[i].ok);
	}
}

static void name_of_length(struct buf *out, size_t len)
{
	buf_puts(out, "{agents:{entries:{");
	for (size_t i = 0; i < len; i++)
		buf_putc(out, 'n');
	buf_puts(out, ":{}}}}");
}

static void test_length_of_names(void)
{
	if (!load_schema())
		return;
	for (size_t len = 63; len <= 66; len++) {
		auto_(buf_free) struct buf text = BUF(1024);

		test_row("%zu", len);
		name_of_length(&text, len);
		check_int(schema_accepts(buf_text(&text)), len <= 64);
		check_int(reader_accepts(buf_text(&text)), len <= 64);
	}
}

/* Objects are closed, and everything has a shape. */
static void check_rules(const struct node *rule, unsigned depth)
{
	const struct node *properties = tree_get(rule, "properties");

	if (!check(depth < 20) || !check_int(rule->type, NODE_OBJECT))
		return;
	check(tree_get(rule, "type") || tree_get(rule, "enum") || tree_get(rule, "anyOf") ||
		tree_get(rule, "$ref"));
	check(!properties || tree_get(rule, "additionalProperties"));
	for (uint32_t i = 0; properties && i < properties->count; i++) {
		test_row("%s", properties->members[i].key);
		check_rules(&properties->members[i].value, depth + 1);
	}
}

static void test_form(void)
{
	const struct node *defs;

	if (!load_schema())
		return;
	check_str(
		tree_get(&schema, "$schema")->text, "https://json-schema.org/draft/2020-12/schema");
	check_rules(&schema, 0);
	defs = tree_get(&schema, "$defs");
	check_int(defs->count, 3);
	for (uint32_t i = 0; i < defs->count; i++)
		check_rules(&defs->members[i].value, 0);
}

struct seen {
	size_t count;
	bool mode, deny, path, locked, none, full;
};

static int note(const char *path, const struct field *f, void *ctx)
{
	struct seen *seen = ctx;

	seen->count++;
	seen->mode |= str_eq(path, "agents.defaults.sandbox.mode");
	seen->deny |= str_eq(path, "tools.sandbox.deny");
	seen->path |= str_eq(path, "audit.path");
	seen->locked |= str_eq(path, "locked");
	seen->none |= f->support == SUPPORT_NONE;
	seen->full |= f->support == SUPPORT_FULL;
	check(f->help && f->help[0]);
	check(f->fallback && f->fallback[0]);
	check(schema_support_names[f->support] != NULL);
	check(f->type != FIELD_OBJECT);
	return 0;
}

static int stop_at_third(const char *path, const struct field *f, void *ctx)
{
	(void)path;
	(void)f;
	return ++*(int *)ctx == 3 ? 42 : 0;
}

static void test_each_key(void)
{
	struct seen seen = {0};
	int calls = 0;

	check_int(schema_each(note, &seen), 0);
	check(seen.count > 70 && seen.mode && seen.deny && seen.path && seen.locked);
	check(seen.none && seen.full);
	check_int(schema_each(stop_at_third, &calls), 42);
	check_int(calls, 3);
}

static void test_done(void)
{
	arena_free(&arena);
	check(!arena.head);
}

static const struct test tests[] = {
	{"form", test_form},
	{"whole documents", test_documents},
	{"length of names", test_length_of_names},
	{"every key with every value: as the reader", test_schema_agrees_with_the_reader},
	{"every key is listed", test_each_key},
	{"nothing is left", test_done},
};

TEST_MAIN(tests)
