/* SPDX-License-Identifier: Apache-2.0 */
#include "base/show.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "test.h"

static void test_strings(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", "\"\""},
		{"plain", "\"plain\""},
		{"a b", "\"a b\""},
		{"\"\\/", "\"\\\"\\\\/\""},
		{"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
		{"\x01\x1b\x1f\x7f", "\"\\u0001\\u001b\\u001f\\u007f\""},
		{"\v", "\"\\u000b\""},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
			"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
		{"\xc2\x9b", "\"\\u009b\""},
		{"\xc2\xa0", "\"\\u00a0\""},
		{"\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\""},
		{"\xe2\x80\xae", "\"\\u202e\""},
		{"\xef\xbb\xbf", "\"\\ufeff\""},
		{"\xf3\xa0\x81\x81", "\"\\udb40\\udc41\""},
		{"\xf4\x8f\xbf\xbf", "\"\\udbff\\udfff\""},
		{"\xff", "\"\\ufffd\""},
		{"a\xe2\x82", "\"a\\ufffd\\ufffd\""},
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""},
		{"\x9b[2J", "\"\\ufffd[2J\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(256);

		test_row("%s", rows[i].want);
		show_string(&out, rows[i].text);
		check_str(buf_text(&out), rows[i].want);
	}
}

/* Each pair of bytes: whatever they are, the result is one line of JSON. */
static void test_any_bytes(void)
{
	for (unsigned pair = 0; pair < 0x10000; pair++) {
		auto_(buf_free) struct buf out = BUF(64);
		char text[3] = {(char)(pair >> 8), (char)pair, '\0'};
		uint32_t c;

		show_string(&out, text);
		for (size_t i = 0, step; i < out.len; i += step) {
			step = utf8_decode(out.data + i, out.len - i, &c);
			if (!step || utf8_is_deceptive(c)) {
				test_row("0x%04x", pair);
				check(!"printable");
				return;
			}
		}
		check(out.data[0] == '"' && out.data[out.len - 1] == '"');
	}
}

static const char *const colours[] = {"red", "green", NULL};
static const struct item items[] = {{"a", {0}}, {"b \"c\"", {0}}};
static const struct opt_list list = {.items = items, .count = 2}, no_list;

static void show_length(struct buf *out, const void *value)
{
	buf_printf(out, "%zu", strlen(value));
}

static void test_values(void)
{
	static const struct opt_bool yes = {.v = true}, no = {.v = false};
	static const struct opt_enum green = {.v = 1};
	static const struct opt_number zero = {.v = 0}, number = {.v = 1536},
				       most = {.v = UINT64_MAX};
	static const struct opt_rate rate = {.v = {5, 60}};
	static const struct opt_text text = {.v = "x\ny"};
	static const struct opt_special special = {.v = "four"};
	static const struct entry entries[] = {
		{.key = "k", .text = {"v", {0}}, .list = {.items = items, .count = 2}},
		{.key = "l\n", .text = {"", {0}}},
	};
	static const struct opt_map map = {.entries = entries, .count = 2}, no_map;
	const struct {
		struct field f;
		const void *value;
		const char *want;
	} rows[] = {
		{{.type = FIELD_BOOL}, &yes, "true"},
		{{.type = FIELD_BOOL}, &no, "false"},
		{{.type = FIELD_ENUM, .names = colours}, &green, "\"green\""},
		{{.type = FIELD_COUNT}, &zero, "0"},
		{{.type = FIELD_COUNT}, &most, "18446744073709551615"},
		{{.type = FIELD_SIZE}, &zero, "\"0\""},
		{{.type = FIELD_SIZE}, &number, "\"1.5k\""},
		{{.type = FIELD_DURATION}, &number, "\"1536ms\""},
		{{.type = FIELD_CPUS}, &number, "1.536"},
		{{.type = FIELD_RATE}, &rate, "\"5/m\""},
		{{.type = FIELD_TEXT}, &text, "\"x\\ny\""},
		{{.type = FIELD_LIST}, &list, "[\"a\", \"b \\\"c\\\"\"]"},
		{{.type = FIELD_LIST}, &no_list, "[]"},
		{{.type = FIELD_MAP}, &map, "{\"k\": \"v\", \"l\\n\": \"\"}"},
		{{.type = FIELD_MAP}, &no_map, "{}"},
		{{.type = FIELD_LISTMAP}, &map, "{\"k\": [\"a\", \"b \\\"c\\\"\"], \"l\\n\": []}"},
		{{.type = FIELD_SPECIAL, .show = show_length}, &special, "4"},
		{{.type = FIELD_OBJECT}, &text, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(256);

		test_row("%s", rows[i].want);
		show_value(&out, &rows[i].f, rows[i].value);
		check_str(buf_text(&out), rows[i].want);
	}
}

/* Wherever the room ends, it ends between characters and escapes. */
static void test_cut(void)
{
	static const char text[] = "a\xe2\x82\xac\n\xe2\x80\xae\xf0\x9f\x98\x80\"b";

	for (size_t max = 0; max < 40; max++) {
		auto_(buf_free) struct buf out = BUF(max);
		const char *backslash;

		test_row("room for %zu", max);
		show_string(&out, text);
		check(utf8_valid(buf_text(&out), out.len));
		backslash = strrchr(buf_text(&out), '\\');
		if (backslash && backslash[1] == 'u')
			check(strlen(backslash) >= 6);
		else if (backslash)
			check(backslash[1] != '\0');
	}
}

/* Wherever a byte stands in a long text, it is shown as when it stands alone. */
static void test_places(void)
{
	for (unsigned byte = 1; byte < 256; byte++) {
		auto_(buf_free) struct buf alone = BUF(16);
		char one[2] = {(char)byte};

		show_string(&alone, one);
		for (size_t at = 0; at < 24; at++) {
			auto_(buf_free) struct buf out = BUF(64), want = BUF(64);
			char text[] = "abcdefghijklmnopqrstuvwx";

			test_row("byte %#x at %zu", byte, at);
			text[at] = (char)byte;
			buf_printf(&want, "\"%.*s%.*s%s\"", (int)at, text, (int)alone.len - 2,
				buf_text(&alone) + 1, text + at + 1);
			show_string(&out, text);
			check_str(buf_text(&out), buf_text(&want));
		}
	}
}

static const struct test tests[] = {
	{"a byte anywhere", test_places},
	{"a full buffer ends between characters", test_cut},
	{"strings", test_strings},
	{"any two bytes", test_any_bytes},
	{"values of every type", test_values},
};

TEST_MAIN(tests)
