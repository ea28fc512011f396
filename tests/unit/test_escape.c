/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/utf8.h"
#include "test.h"

static void bytes_are_shown(void)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *want;
	} rows[] = {
		{"", 0, ""},
		{"plain text 'with' \"quotes\" $x", 29, "plain text 'with' \"quotes\" $x"},
		{"a\nb\tc", 5, "a\\nb\\tc"},
		{"a\rb", 3, "a\\x0db"},
		{"a\\nb", 4, "a\\\\nb"},
		{"\0", 1, "\\x00"},
		{"a\0b", 3, "a\\x00b"},
		{"\x1b[31m", 5, "\\x1b[31m"},
		{"\x7f", 1, "\\x7f"},
		{"\xff\xfe", 2, "\\xff\\xfe"},
		{"\x80", 1, "\\x80"},
		{"\xc2\x80", 2, "\\u{0080}"}, /* the same character as UTF-8: told apart */
		{"gr\xc3\xbc\xc3\x9f", 6, "gr\xc3\xbc\xc3\x9f"},
		{"\xc3", 1, "\\xc3"},
		{"\xc3(", 2, "\\xc3("},
		{"\xe2\x80\xae", 3, "\\u{202e}"},
		{"a\xe2\x80\x8b"
		 "b",
			5, "a\\u{200b}b"},
		{"\xef\xbb\xbf{", 4, "\\u{feff}{"},
		{"\xf3\xa0\x80\x81", 4, "\\u{e0001}"},
		{"\xf4\x8f\xbf\xbf", 4, "\\u{10ffff}"},
		{"\xc2\xa0", 2, "\\u{00a0}"},
		{"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80"},
		{"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"}, /* a surrogate is no character */
		{"\xc0\xaf", 2, "\\xc0\\xaf"},          /* overlong */
		{"\\u{202e}", 8, "\\\\u{202e}"},
		{"\\x1b", 4, "\\\\x1b"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(1000);

		test_row("row %zu", i);
		escape_bytes(&out, rows[i].bytes, rows[i].len);
		check_str(buf_text(&out), rows[i].want);
	}
}

static void text_ends_at_nul(void)
{
	auto_(buf_free) struct buf out = BUF(1000);

	buf_puts(&out, "file '");
	escape_text(&out, "a\nb\0c");
	buf_puts(&out, "'");
	check_str(buf_text(&out), "file 'a\\nb'");
}

/* Printable UTF-8 on one line, whatever came in. */
static bool is_clean(const char *text)
{
	size_t len = strlen(text);
	uint32_t c;

	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(text + i, len - i, &c);
		if (step == 0 || utf8_is_deceptive(c))
			return false;
	}
	return true;
}

/* Reads back what escape_bytes wrote; nothing else. */
static size_t unescape(const char *p, char *out)
{
	size_t len = 0;

	while (*p) {
		unsigned value;
		int used = 0;

		if (*p != '\\')
			out[len++] = *p++;
		else if (sscanf(p, "\\x%2x%n", &value, &used) == 1 && used == 4)
			out[len++] = (char)value, p += used;
		else if (sscanf(p, "\\u{%x}%n", &value, &used) == 1 && used > 0)
			len += utf8_encode(value, out + len), p += used;
		else
			out[len++] = p[1] == 'n' ? '\n' : p[1] == 't' ? '\t' : p[1], p += 2;
	}
	return len;
}

static void check_there_and_back(const char *data, size_t len, size_t *wrong)
{
	auto_(buf_free) struct buf out = BUF(1000);
	char back[256];

	escape_bytes(&out, data, len);
	*wrong += !is_clean(buf_text(&out));
	*wrong += unescape(buf_text(&out), back) != len || memcmp(back, data, len) != 0;
}

/* Deterministic: the same bytes on every run. */
static uint32_t draw(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static size_t draw_bytes(uint32_t *state, char *out, size_t max)
{
	static const char *const parts[] = {"\xe2", "\x80", "\xae", "\xc2", "\xf0\x9f\x98\x80",
		"\\", "x1b", "u{202e}", "'", "$", "\n", "\x1b", "n", "\xef\xbb\xbf", " ", "a",
		"\x7f"};
	size_t len = 0, count = draw(state) % 10;

	for (size_t i = 0; i < count; i++) {
		const char *part = parts[draw(state) % ARRAY_LEN(parts)];

		if (len + strlen(part) >= max)
			break;
		memcpy(out + len, part, strlen(part));
		len += strlen(part);
	}
	out[len] = '\0';
	return len;
}

static void different_inputs_never_look_the_same(void)
{
	size_t wrong = 0;
	uint32_t state = 1;
	char data[64];

	for (unsigned i = 0; i < 0x10000; i++) {
		const char two[2] = {(char)(i >> 8), (char)i};

		check_there_and_back(two, 2, &wrong);
	}
	for (int i = 0; i < 20000; i++) {
		size_t len = draw_bytes(&state, data, sizeof(data));

		check_there_and_back(data, len, &wrong);
	}
	check_u64(wrong, 0);
}

static void nothing_is_cut_in_half(void)
{
	static const struct {
		const char *text;
		size_t max;
		const char *want;
		bool cut;
	} rows[] = {
		{"ab\x1b", 5, "ab", true},
		{"ab\x1b", 6, "ab\\x1b", false},
		{"ab\ncd", 3, "ab", true},
		{"ab\ncd", 4, "ab\\n", true},
		{"ab\\cd", 3, "ab", true},
		{"ab\xc3\xbc"
		 "c",
			3, "ab", true},
		{"ab\xe2\x80\xae"
		 "c",
			9, "ab", true},
		{"ab\xe2\x80\xae"
		 "c",
			10, "ab\\u{202e}", true},
		{"abc", 0, "", true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(rows[i].max);

		test_row("row %zu", i);
		escape_text(&out, rows[i].text);
		check_str(buf_text(&out), rows[i].want);
		check((out.dropped > 0) == rows[i].cut);
	}
}

static void words(void)
{
	static const struct {
		const char *word, *want;
	} rows[] = {
		{"", "''"},
		{"ls", "ls"},
		{"/usr/bin/x-1_2.3", "/usr/bin/x-1_2.3"},
		{"a=b,c:d@e%f+g", "a=b,c:d@e%f+g"},
		{"AZaz09", "AZaz09"},
		{"two words", "'two words'"},
		{"it's", "'it'\\''s'"},
		{"'", "''\\'''"},
		{"$HOME", "'$HOME'"},
		{"a\\b", "'a\\b'"},
		{"*", "'*'"},
		{"~", "'~'"},
		{"a;b", "'a;b'"},
		{"`x`", "'`x`'"},
		{"[", "'['"},
		{"{a,b}", "'{a,b}'"},
		{"#", "'#'"},
		{"!", "'!'"},
		{"gr\xc3\xbc\xc3\x9f", "'gr\xc3\xbc\xc3\x9f'"},
		{"a\nb", "$'a\\nb'"},
		{"a\tb", "$'a\\tb'"},
		{"a\x1b[0m", "$'a\\x1b[0m'"},
		{"it's\n", "$'it\\'s\\n'"},
		{"\\\n", "$'\\\\\\n'"},
		{"\xff", "$'\\xff'"},
		{"\xff"
		 "f",
			"$'\\xfff'"},
		{"\xc3\xbc\xff", "$'\xc3\xbc\\xff'"},
		{"a\xe2\x80\xae"
		 "b",
			"$'a\\xe2\\x80\\xaeb'"},
		{"a\xc2\xa0"
		 "b",
			"$'a\\xc2\\xa0b'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(1000);

		test_row("row %zu", i);
		escape_word(&out, rows[i].word);
		check_str(buf_text(&out), rows[i].want);
	}
}

/* Reads a word as a shell does, as far as escape_word writes it. */
static size_t unquote(const char *p, char *out)
{
	size_t len = 0;
	char quote = 0;

	while (*p) {
		unsigned value;

		if (!quote && p[0] == '$' && p[1] == '\'')
			quote = '$', p += 2;
		else if (!quote && *p == '\'')
			quote = '\'', p++;
		else if (quote && *p == '\'')
			quote = 0, p++;
		else if (quote == '$' && sscanf(p, "\\x%2x", &value) == 1)
			out[len++] = (char)value, p += 4;
		else if (quote == '$' && *p == '\\')
			out[len++] = p[1] == 'n' ? '\n' : p[1] == 't' ? '\t' : p[1], p += 2;
		else if (!quote && *p == '\\')
			out[len++] = p[1], p += 2;
		else
			out[len++] = *p++;
	}
	return quote ? SIZE_MAX : len;
}

static void check_word_there_and_back(const char *word, size_t *wrong)
{
	auto_(buf_free) struct buf out = BUF(1000);
	char back[512];

	escape_word(&out, word);
	*wrong += !is_clean(buf_text(&out));
	*wrong += unquote(buf_text(&out), back) != strlen(word) ||
		  memcmp(back, word, strlen(word)) != 0;
}

static void words_read_back(void)
{
	size_t wrong = 0;
	uint32_t state = 2;
	char data[64];

	for (unsigned i = 1; i < 0x10000; i++) {
		const char two[3] = {(char)(i >> 8 ? i >> 8 : i), (char)(i >> 8 ? i : 0), 0};

		check_word_there_and_back(two, &wrong);
	}
	for (int i = 0; i < 20000; i++) {
		draw_bytes(&state, data, sizeof(data));
		check_word_there_and_back(data, &wrong);
	}
	check_u64(wrong, 0);
}

static void long_words_are_cut_between_characters(void)
{
	static const struct {
		const char *word;
		size_t max;
		const char *want;
	} rows[] = {
		{"abcdef", 3, "abc"},
		{"a \xc3\xbc", 4, "'a "},
		{"a'b", 5, "'a"},
		{"a\x1b"
		 "b",
			6, "$'a"},
		{"a\nb", 0, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(rows[i].max);

		test_row("row %zu", i);
		escape_word(&out, rows[i].word);
		check_str(buf_text(&out), rows[i].want);
		check(out.dropped > 0);
	}
}

static const struct test tests[] = {
	{"bytes are shown", bytes_are_shown},
	{"text ends at NUL", text_ends_at_nul},
	{"different inputs never look the same", different_inputs_never_look_the_same},
	{"nothing is cut in half", nothing_is_cut_in_half},
	{"words", words},
	{"words read back", words_read_back},
	{"long words are cut between characters", long_words_are_cut_between_characters},
};

TEST_MAIN(tests)
