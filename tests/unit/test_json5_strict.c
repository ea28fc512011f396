/* SPDX-License-Identifier: Apache-2.0 */

/* JSON from other programs: nothing of what JSON5 adds, and errors that name the member. */

#include "json/json5.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "test.h"

static const struct json5_limits limits = {1 << 20, 1000};

/* On a copy of exactly that size, so that the sanitizer sees every byte too far. */
static int parse(struct arena *a, const char *text, size_t len, struct node *ret, struct err *e)
{
	auto_free char *exact = malloc(len ? len : 1);

	memcpy(exact, text, len);
	return json5_parse_strict(a, &limits, exact, len, ret, e);
}

static void test_taken(void)
{
	static const char *const rows[] = {"null", "true", "\"\"", "0", "-0", "-1.5e+3", "1E400",
		"[]", "[ ]", "{}", " \t\r\n{ \"a\" : [ 1 , {} ] } \n",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\\ud83d\\ude00\"",
		"\"\x7f\xe2\x80\xa8\"", "{\"a\":1,\"A\":2}", "{\"\":0}"};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct node root;
		struct err e = {0};

		test_row("%s", rows[i]);
		if (!check_int(parse(&a, rows[i], strlen(rows[i]), &root, &e), 0))
			printf("# %s\n", e.text);
	}
}

static void check_refused(const char *text, size_t len, const char *want)
{
	auto_(arena_free) struct arena a = {0};
	struct node root = {.type = NODE_TYPES};
	struct err e = {0};

	test_row("%s", text);
	check(parse(&a, text, len, &root, &e) < 0);
	check_str(e.text, want);
	check_int(root.type, NODE_TYPES);
}

/* Good JSON5, all of them. */
static void test_no_json5(void)
{
	static const char *const rows[][2] = {
		{"'a'", "''' where a value should stand (line 1, character 1)"},
		{"{a:1}", "'a' where a key in quotes should stand (line 1, character 2)"},
		{"{'a':1}", "''' where a key in quotes should stand (line 1, character 2)"},
		{"[1,]", "[1]: ']' where a value should stand (line 1, character 4)"},
		{"{\"a\":1,}", "'}' where a key in quotes should stand (line 1, character 8)"},
		{"// a\n1", "'/' where a value should stand (line 1, character 1)"},
		{"1/**/", "'/' where the end of the text should stand (line 1, character 2)"},
		{"\v1", "'\\x0b' where a value should stand (line 1, character 1)"},
		{"+1", "'+' where a value should stand (line 1, character 1)"},
		{".5", "'.' where a value should stand (line 1, character 1)"},
		{"-.5", "'.' where a digit should stand (line 1, character 2)"},
		{"[5.]", "[0]: ']' where a digit should stand (line 1, character 4)"},
		{"1.e2", "'e' where a digit should stand (line 1, character 3)"},
		{"0x10", "a number that runs into a word (line 1, character 1)"},
		{"NaN", "'N' where a value should stand (line 1, character 1)"},
		{"-Infinity", "'I' where a digit should stand (line 1, character 2)"},
		{"\"\\x41\"", "an escape that JSON does not have (line 1, character 2)"},
		{"\"\\v\"", "an escape that JSON does not have (line 1, character 2)"},
		{"\"\\'\"", "an escape that JSON does not have (line 1, character 2)"},
		{"\"a\\\nb\"", "an escape that JSON does not have (line 1, character 3)"},
		{"\"a\tb\"", "a control character that is not escaped (line 1, character 3)"},
		{"\"\\n\x01\"", "a control character that is not escaped (line 1, character 4)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_refused(rows[i][0], strlen(rows[i][0]), rows[i][1]);
}

static void test_the_member_is_named(void)
{
	static const char *const rows[][2] = {
		{"{\"a\":{\"b\":[1,\"x\\u0000y\"]}}",
			"a.b[1]: a NUL character is not allowed (line 1, character 16)"},
		{"{\"a\":{\"b\":[1,{\"c\":\"\xff\"}]}}",
			"a.b[1].c: byte 0xff is not UTF-8 (line 1, character 20)"},
		{"{\"a\":\"\xc0\xaf\"}", "a: byte 0xc0 is not UTF-8 (line 1, character 7)"},
		{"{\"a\":\"\\ud800\"}", "a: half of a surrogate pair (line 1, character 7)"},
		{"{\"a\":1,\"b\":{\"c\":1,\"c\":2}}",
			"b: duplicate key 'c' (line 1, character 19)"},
		{"{\"network\":1,\"netw\\u006frk\":2}",
			"duplicate key 'network' (line 1, character 14)"},
		{"{\"a\\n\":[[]x]}", "a\\n[0]: 'x' where ',' or ']' should stand (line 1, "
				     "character 11)"},
		{"{\"a\":1,\"b\xff", "byte 0xff is not UTF-8 (line 1, character 10)"},
		{"{\"a\":1} \xff", "byte 0xff is not UTF-8 (line 1, character 9)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_refused(rows[i][0], strlen(rows[i][0]), rows[i][1]);
	check_refused("[\"a\0b\"]", 7, "[0]: a NUL byte is not allowed (line 1, character 4)");
	check_refused("{\"a\":\0}", 7, "a: a NUL byte is not allowed (line 1, character 6)");
}

static void test_bounds(void)
{
	auto_(buf_free) struct buf deep = BUF(1 << 21), many = BUF(1 << 21), large = BUF(1 << 21);
	struct err e = {0};
	struct node root;
	auto_(arena_free) struct arena a = {0};

	for (int i = 0; i < 100000; i++)
		buf_puts(&deep, "{\"a\":[");
	check(parse(&a, deep.data, deep.len, &root, &e) < 0);
	check(strstr(e.text, "nested more than 64 deep"));
	buf_puts(&many, "[0");
	for (int i = 0; i < 999; i++)
		buf_puts(&many, ",0");
	buf_puts(&many, "]");
	check(parse(&a, many.data, many.len, &root, &e) < 0);
	check_str(e.text, "[999]: more than 1000 values (line 1, character 2000)");
	for (int i = 0; i < (1 << 20) + 1; i++)
		buf_putc(&large, '1');
	check_int(parse(&a, large.data, large.len, &root, &e), -EFBIG);
	check_str(e.text, "larger than 1048576 bytes");
	check_int(parse(&a, large.data, large.len - 1, &root, &e), 0);
}

static const struct test tests[] = {
	{"what JSON has", test_taken},
	{"nothing that JSON5 adds", test_no_json5},
	{"errors name the member", test_the_member_is_named},
	{"bounds", test_bounds},
};

TEST_MAIN(tests)
