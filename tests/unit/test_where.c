/* SPDX-License-Identifier: Apache-2.0 */
#include "base/where.h"

#include "base/macro.h"
#include "base/utf8.h"
#include "test.h"

static void places(void)
{
	static const struct {
		const char *name;
		uint32_t line, column;
		const char *want;
	} rows[] = {
		{"ward.json5", 3, 7, "ward.json5:3:7"},
		{"/etc/ward/config.json5", 1, 1, "/etc/ward/config.json5:1:1"},
		{"a", UINT32_MAX, UINT32_MAX, "a:4294967295:4294967295"},
		{"a", 3, 0, "a:3"},
		{"command line", 0, 0, "command line"},
		{"built in", 0, 7, "built in"},
		{"a\nb", 1, 2, "a\\nb:1:2"},
		{"a\x1b[0m", 1, 2, "a\\x1b[0m:1:2"},
		{"a\xe2\x80\xae"
		 "b",
			1, 2, "a\\u{202e}b:1:2"},
		{"gr\xc3\xbc\xc3\x9f", 1, 2, "gr\xc3\xbc\xc3\x9f:1:2"},
		{"", 1, 2, ":1:2"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct source source = {.name = rows[i].name};
		struct where at = {&source, rows[i].line, rows[i].column};
		char out[WHERE_TEXT];

		test_row("row %zu", i);
		where_text(&at, out);
		check_str(out, rows[i].want);
	}
}

static void nobody(void)
{
	struct where at = {0};
	char out[WHERE_TEXT];

	where_text(&at, out);
	check_str(out, "not set");
}

/* The part as often as it fits into len bytes, then "/end". */
static const char *long_name(const char *part, size_t len)
{
	static char name[8192];
	size_t used = 0;

	for (; used + strlen(part) + 4 <= len; used += strlen(part))
		memcpy(name + used, part, strlen(part));
	memcpy(name + used, "/end", 5);
	return name;
}

static void exact_fit_is_whole(void)
{
	struct source source = {.name = long_name("x", WHERE_TEXT - 1 - 4)};
	struct where at = {&source, 1, 2};
	char out[WHERE_TEXT];

	where_text(&at, out);
	check_u64(strlen(out), WHERE_TEXT - 1);
	check_int(out[0], 'x');
	check_str(out + WHERE_TEXT - 1 - 8, "/end:1:2");

	source.name = long_name("x", WHERE_TEXT - 4);
	where_text(&at, out);
	check_u64(strlen(out), WHERE_TEXT - 1);
	check(strncmp(out, "...x", 4) == 0);
	check_str(out + WHERE_TEXT - 1 - 8, "/end:1:2");
}

/* The line moves the cut to each byte of a character. */
static void check_cut(const char *part, size_t name_len, uint32_t line, bool escaped)
{
	struct source source = {.name = long_name(part, name_len)};
	struct where at = {&source, line, 7};
	char out[WHERE_TEXT], end[32];
	size_t len, end_len = (size_t)snprintf(end, sizeof(end), "/end:%u:7", (unsigned)line);

	test_row("%zu bytes, line %u", name_len, (unsigned)line);
	where_text(&at, out);
	len = strlen(out);
	check(len < WHERE_TEXT);
	check(utf8_valid(out, len));
	check_str(out + len - end_len, end);
	/* A character that was cut in two would show as bytes. */
	check(escaped || !strchr(out, '\\'));
	/* As much as there is room for: the longest escape is 9 bytes. */
	check(strncmp(out, "...", 3) != 0 || len > WHERE_TEXT - 11);
}

static void long_names_lose_their_front(void)
{
	static const char *const parts[] = {"x", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
		"\n", "\x1b", "\xe2\x80\xae", "\xf3\xa0\x80\x81", "\xff", "\\"};
	static const size_t lens[] = {100, 315, 316, 317, 318, 319, 320, 321, 322, 400, 4096};

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (size_t k = 0; k < ARRAY_LEN(lens); k++)
			for (uint32_t line = 1; line < 10000; line *= 10)
				check_cut(parts[i], lens[k], line, i > 3);
}

static void cut_is_between_escapes(void)
{
	struct source source = {.name = long_name("\x1b", 1000)};
	struct where at = {&source, 1, 1};
	char out[WHERE_TEXT];

	where_text(&at, out);
	check(strncmp(out, "...\\x1b\\x1b", 11) == 0);
}

static void stray_bytes_at_the_cut(void)
{
	struct source source = {.name = long_name("\x80", 1000)};
	struct where at = {&source, 1, 1};
	char out[WHERE_TEXT];

	where_text(&at, out);
	check_str(out, ".../end:1:1");
}

static const struct test tests[] = {
	{"places", places},
	{"nobody wrote it", nobody},
	{"an exact fit is whole", exact_fit_is_whole},
	{"long names lose their front", long_names_lose_their_front},
	{"a cut is between escapes", cut_is_between_escapes},
	{"stray bytes at the cut", stray_bytes_at_the_cut},
};

TEST_MAIN(tests)
