/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/scan.h"

#include "base/macro.h"
#include "lib/put.h"
#include "lib/ward.h"
#include "test.h"

static struct span span(const char *text)
{
	return (struct span){text, strlen(text)};
}

static void whole_values(void)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{"{}", true},
		{" [ ] ", true},
		{"{\"a\":[1,-2.5e+3,true,false,null,\"x\"],\"b\":{\"c\":[[]]}}", true},
		{"{ \"a\" : 1 ,\n \"b\" : 2 }", true},
		{"0", true},
		{"\"\\u00e4\\ud83d\\ude00\"", true},
		{"", false},
		{"{", false},
		{"}", false},
		{"{]", false},
		{"[}", false},
		{"{\"a\"}", false},
		{"{\"a\":}", false},
		{"{\"a\":1,}", false},
		{"{,}", false},
		{"[1,]", false},
		{"[,1]", false},
		{"[1 2]", false},
		{"{a:1}", false},
		{"{'a':1}", false},
		{"{\"a\":1} x", false},
		{"{}{}", false},
		{"01", false},
		{"1.", false},
		{"+1", false},
		{".5", false},
		{"1e", false},
		{"tru", false},
		{"NaN", false},
		{"\"a\nb\"", false},
		{"\"\\x\"", false},
		{"\"\\u12\"", false},
		{"\"\\ud800\"", false},
		{"\"\\ud800\\u0041\"", false},
		{"\"\\udc00\"", false},
		{"\"\xff\"", false},
		{"\"\xc0\x80\"", false},
		{"\"\xed\xa0\x80\"", false},
		{"\"\xe2\x82\"", false},
		{"\"open", false},
		{"// x\n{}", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct span value;

		test_row("%s", rows[i].text);
		check_int(scan_whole(rows[i].text, strlen(rows[i].text), &value), rows[i].good);
	}
}

static void depth_is_bounded(void)
{
	char text[2 * SCAN_DEPTH + 4] = {0};
	struct span value;

	memset(text, '[', SCAN_DEPTH);
	memset(text + SCAN_DEPTH, ']', SCAN_DEPTH);
	check(scan_whole(text, 2 * SCAN_DEPTH, &value));
	memset(text, '[', SCAN_DEPTH + 1);
	memset(text + SCAN_DEPTH + 1, ']', SCAN_DEPTH + 1);
	check(!scan_whole(text, 2 * SCAN_DEPTH + 2, &value));
}

static void members_are_found(void)
{
	struct span o = span("{\"a\": {\"b\": {\"c\": 7}}, \"x\": \"{\\\"a\\\":1}\", \"t\": true, "
			     "\"a\": 9}");
	struct scan_wish w[] = {{.key = "t"}, {.key = "none"}, {.key = "a"}};
	struct span value;
	int64_t number;

	check(scan_member(o, "a", &value) && scan_member(value, "b", &value) &&
		scan_member(value, "c", &value));
	check(scan_number(value, &number));
	check_int(number, 7);
	check(!scan_member(o, "b", &value));
	check_int(scan_members(o, w, ARRAY_LEN(w)), 2);
	check(scan_is_true(w[0].value));
	check(!w[1].value.at);
	check(scan_is_object(w[2].value));
	check(!scan_member(span("[1]"), "a", &value));
	check(!scan_member((struct span){NULL, 0}, "a", &value));
	check(scan_first(span("[ {\"a\":1}, 2]"), &value));
	check(scan_is_object(value));
	check(!scan_first(span("[]"), &value));
}

static void numbers(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} rows[] = {
		{"0", true, 0},
		{"-1", true, -1},
		{"999999999999999999", true, 999999999999999999},
		{"9999999999999999999", false, 0},
		{"1.5", false, 0},
		{"\"1\"", false, 0},
		{"-", false, 0},
		{"null", false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t value = 0;

		test_row("%s", rows[i].text);
		check_int(scan_number(span(rows[i].text), &value), rows[i].good);
		check_int(value, rows[i].value);
	}
}

static void texts_are_decoded(void)
{
	char to[100];
	size_t len;

	check(scan_text(
		span("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud83d\\ude00\\u0000z\""), to, &len));
	check_int(len, 17);
	check(memcmp(to, "a\"\\/\b\f\n\r\t\xc3\xa4\xf0\x9f\x98\x80\0z", 18) == 0);
	check(!scan_text(span("\"a\" "), to, &len));
	check(!scan_text(span("12"), to, &len));
	check(scan_base64(span("\"AAH/\""), to, &len));
	check_int(len, 3);
	check(memcmp(to, "\0\1\377", 4) == 0);
	check(scan_base64(span("\"Zg==\""), to, &len));
	check_str(to, "f");
	check(!scan_base64(span("\"Zg=\""), to, &len));
	check(!scan_base64(span("\"Z===\""), to, &len));
	check(!scan_base64(span("\"Z*==\""), to, &len));
}

static void what_is_written_reads_back(void)
{
	static const char text[] = "\"\\ \n\t\x01\x7f \xc3\xa4 \xf0\x9f\x98\x80";
	struct put p = {0};
	struct span value;
	char to[100];
	size_t len;

	put_raw(&p, "{");
	put_text(&p, "left out", NULL);
	put_text(&p, "text", text);
	put_key(&p, "bytes");
	put_base64(&p, "\0\1\2\377", 4);
	put_key(&p, "n");
	put_number(&p, UINT64_MAX);
	put_raw(&p, "}");
	check_int(p.failed, WARD_OK);
	check(scan_whole(p.data, p.len, &value));
	check(!memchr(p.data, '\n', p.len));
	check(scan_member((struct span){p.data, p.len}, "text", &value));
	check(scan_text(value, to, &len));
	check_str(to, text);
	check(scan_member((struct span){p.data, p.len}, "bytes", &value));
	check(scan_base64(value, to, &len));
	check(len == 4 && memcmp(to, "\0\1\2\377", 4) == 0);
	put_free(&p);
}

static void what_cannot_be_written_is_said(void)
{
	struct put p = {.most = 100};

	put_string(&p, "\xff", 1);
	check_int(p.failed, WARD_INVALID);
	put_raw(&p, "more");
	check_int(p.failed, WARD_INVALID);
	put_free(&p);
	p.most = 100;
	for (int i = 0; i < 30; i++)
		put_raw(&p, "1234");
	check_int(p.failed, WARD_TOO_LARGE);
	check(p.len < 100);
	put_free(&p);
}

static const struct test tests[] = {
	{"whole values", whole_values},
	{"depth is bounded", depth_is_bounded},
	{"members are found", members_are_found},
	{"numbers", numbers},
	{"texts are decoded", texts_are_decoded},
	{"what is written reads back", what_is_written_reads_back},
	{"what cannot be written is said", what_cannot_be_written_is_said},
};

TEST_MAIN(tests)
