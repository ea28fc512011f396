/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include "base/macro.h"
#include "test.h"

static bool is_scalar(uint32_t c)
{
	return c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

static void every_character_goes_there_and_back(void)
{
	size_t wrong = 0;

	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		char bytes[4];
		uint32_t back = 0xdead;

		if (!is_scalar(c))
			continue;
		size_t len = utf8_encode(c, bytes);
		size_t want = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

		wrong += len != want || utf8_decode(bytes, len, &back) != len || back != c;
		for (size_t cut = 0; cut < len; cut++)
			wrong += utf8_decode(bytes, cut, &back) != 0;
	}
	check_u64(wrong, 0);
}

/* What a decoder without any table says: by value, not by byte ranges. */
static size_t plain_decode(const uint8_t *p, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80       ? 1
		   : p[0] >> 5 == 6  ? 2
		   : p[0] >> 4 == 14 ? 3
		   : p[0] >> 3 == 30 ? 4
				     : 0;
	uint32_t c = n == 1 ? p[0] : n == 0 ? 0 : p[0] & (0xffu >> (n + 1));

	if (n == 0 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 63u);
	}
	if (c < least[n] || !is_scalar(c))
		return 0;
	*ret = c;
	return n;
}

static void all_short_byte_sequences(void)
{
	static const uint8_t tails[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
	size_t wrong = 0;

	for (uint32_t lead = 0; lead < 0x10000; lead++)
		for (size_t i = 0; i < ARRAY_LEN(tails) * ARRAY_LEN(tails); i++) {
			const uint8_t bytes[4] = {(uint8_t)(lead >> 8), (uint8_t)lead,
				tails[i / ARRAY_LEN(tails)], tails[i % ARRAY_LEN(tails)]};

			for (size_t len = 1; len <= 4; len++) {
				uint32_t a = 1, b = 1;

				wrong += utf8_decode((const char *)bytes, len, &a) !=
						 plain_decode(bytes, len, &b) ||
					 a != b;
			}
		}
	check_u64(wrong, 0);
}

static void validity(void)
{
	static const struct {
		const char *bytes;
		size_t len;
		bool ok;
	} rows[] = {
		{"", 0, true},
		{"a\0b", 3, true},
		{"gr\xc3\xbc\xc3\x9f", 6, true},
		{"\xe2\x82\xac", 3, true},
		{"\xf0\x9f\x98\x80", 4, true},
		{"\xf4\x8f\xbf\xbf", 4, true},
		{"\xf4\x90\x80\x80", 4, false}, /* above the last */
		{"\xf5\x80\x80\x80", 4, false},
		{"\xff", 1, false},
		{"\xfe", 1, false},
		{"\x80", 1, false},     /* stray */
		{"\xc0\x80", 2, false}, /* overlong */
		{"\xc1\xbf", 2, false},
		{"\xe0\x80\x80", 3, false},
		{"\xe0\x9f\xbf", 3, false},
		{"\xf0\x80\x80\x80", 4, false},
		{"\xf0\x8f\xbf\xbf", 4, false},
		{"\xed\xa0\x80", 3, false}, /* surrogates */
		{"\xed\xbf\xbf", 3, false},
		{"\xed\x9f\xbf", 3, true},
		{"\xee\x80\x80", 3, true},
		{"a\xc3", 2, false}, /* cut */
		{"a\xe2\x82", 3, false},
		{"a\xf0\x9f\x98", 4, false},
		{"\xc3"
		 "a",
			2, false},
		{"\xe2\x82"
		 "a",
			3, false},
		{"ok\xc3\xbc\x80", 5, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("row %zu", i);
		check(utf8_valid(rows[i].bytes, rows[i].len) == rows[i].ok);
	}
}

static void failure_leaves_the_result_alone(void)
{
	uint32_t c = 42;

	check_u64(utf8_decode("\xc3", 1, &c), 0);
	check_u64(utf8_decode("", 0, &c), 0);
	check_u64(c, 42);
}

static void deceptive(void)
{
	/* The edges of each range: first and last that are, the neighbours that are not. */
	static const struct {
		uint32_t before, first, last, after;
	} rows[] = {
		{0x20, 0x0, 0x1f, 0x20},
		{0x7e, 0x7f, 0xa0, 0xa1},
		{0xac, 0xad, 0xad, 0xae},
		{0x34e, 0x34f, 0x34f, 0x350},
		{0x61b, 0x61c, 0x61c, 0x61d},
		{0x115e, 0x115f, 0x1160, 0x1161},
		{0x167f, 0x1680, 0x1680, 0x1681},
		{0x17b3, 0x17b4, 0x17b5, 0x17b6},
		{0x180a, 0x180b, 0x180f, 0x1810},
		{0x1fff, 0x2000, 0x200f, 0x2010},
		{0x2027, 0x2028, 0x202f, 0x2030},
		{0x205e, 0x205f, 0x206f, 0x2070},
		{0x27ff, 0x2800, 0x2800, 0x2801},
		{0x2fff, 0x3000, 0x3000, 0x3001},
		{0x3163, 0x3164, 0x3164, 0x3165},
		{0xd7ff, 0xd800, 0xdfff, 0xe000},
		{0xfdcf, 0xfdd0, 0xfdef, 0xfdf0},
		{0xfdff, 0xfe00, 0xfe0f, 0xfe10},
		{0xfefe, 0xfeff, 0xfeff, 0xff00},
		{0xff9f, 0xffa0, 0xffa0, 0xffa1},
		{0xffef, 0xfff0, 0xfffb, 0xfffc},
		{0xfffd, 0xfffe, 0xffff, 0x10000},
		{0x1bc9f, 0x1bca0, 0x1bca3, 0x1bca4},
		{0x1d172, 0x1d173, 0x1d17a, 0x1d17b},
		{0x1fffd, 0x1fffe, 0x1ffff, 0x20000},
		{0xdfffd, 0xdfffe, 0xe0fff, 0xe1000},
		{0x10fffd, 0x10fffe, 0x10ffff, 'a'},
		{'z', 0x110000, UINT32_MAX, 'Z'},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("U+%04X", (unsigned)rows[i].first);
		check(!utf8_is_deceptive(rows[i].before));
		check(utf8_is_deceptive(rows[i].first));
		check(utf8_is_deceptive(rows[i].first + (rows[i].last - rows[i].first) / 2));
		check(utf8_is_deceptive(rows[i].last));
		check(!utf8_is_deceptive(rows[i].after));
	}
}

static void every_listed_character_counts(void)
{
	/* By name, so that a range which someone shortens is noticed. */
	static const uint32_t listed[] = {0x1b, 0x7f, 0x85, 0xa0, 0xad, 0x34f, 0x61c, 0x180e,
		0x2009, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b,
		0x202c, 0x202d, 0x202e, 0x202f, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0xfe0f,
		0xfeff, 0xfff9, 0xe0001, 0xe0041, 0xe0100};

	for (size_t i = 0; i < ARRAY_LEN(listed); i++) {
		test_row("U+%04X", (unsigned)listed[i]);
		check(utf8_is_deceptive(listed[i]));
	}
}

static void letters_are_not_deceptive(void)
{
	size_t wrong = 0;

	for (uint32_t c = 0x20; c < 0x7f; c++)
		wrong += utf8_is_deceptive(c);
	for (uint32_t c = 0xa1; c < 0x250; c++)
		wrong += c != 0xad && utf8_is_deceptive(c);
	for (uint32_t c = 0x4e00; c < 0xa000; c++)
		wrong += utf8_is_deceptive(c);
	for (uint32_t c = 0x1f600; c < 0x1f650; c++)
		wrong += utf8_is_deceptive(c);
	check_u64(wrong, 0);
}

static const struct test tests[] = {
	{"every character goes there and back", every_character_goes_there_and_back},
	{"byte sequences against a plain decoder", all_short_byte_sequences},
	{"validity", validity},
	{"failure leaves the result alone", failure_leaves_the_result_alone},
	{"deceptive characters: edges of ranges", deceptive},
	{"deceptive characters: by name", every_listed_character_counts},
	{"letters are not deceptive", letters_are_not_deceptive},
};

TEST_MAIN(tests)
