/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/macro.h"
#include "base/regex.h"
#include "test.h"

#include <errno.h>
#include <regex.h>

/* NULL: no match; else what is found. */
static const struct {
	const char *pattern, *text, *found;
} rows[] = {
	{"a", "xay", "a"},
	{"a", "xyz", NULL},
	{"", "abc", ""},
	{"a|bc", "xbc", "bc"},
	{"a|ab|abc", "abcd", "abc"},
	{"x|y|z|w", "aw", "w"},
	{"(a|b)*c", "xababc", "ababc"},
	{"a*", "aaa", "aaa"},
	{"a+", "baab", "aa"},
	{"ba?", "xb", "b"},
	{"a{2}", "aaa", "aa"},
	{"a{2,}", "aaaa", "aaaa"},
	{"a{1,2}", "aaaa", "aa"},
	{"a{0}b", "ab", "b"},
	{"a{0,2}b", "aaab", "aab"},
	{"(ab){2,3}", "abababab", "ababab"},
	{"(a+)+b", "aaab", "aaab"},
	{"(a*)*", "b", ""},
	{"(a|b)?c{2}", "bcc", "bcc"},
	{"a{x", "a{x", "a{x"},
	{"a{1", "a{1", "a{1"},
	{"a{,2}", "a{,2}", "a{,2}"},
	{".", "\n", NULL},
	{"a.c", "a\303\244c", "a\303\244c"},
	{"a.c", "a\377c", "a\377c"},
	{"\\xff", "a\377c", "\377"},
	{"[\303\244\303\266]", "x\303\266", "\303\266"},
	{"[a-c]+", "xxabcd", "abc"},
	{"[^a-c]+", "abcxyz", "xyz"},
	{"[]a]+", "]a", "]a"},
	{"[a-]+", "a-b", "a-"},
	{"[[:digit:]]+", "ab12", "12"},
	{"[\\d.]+", "v1.2", "1.2"},
	{"[^\\s]+", "  x ", "x"},
	{"\\d+\\.\\d+", "v1.25x", "1.25"},
	{"\\w+", "!foo_1 ", "foo_1"},
	{"\\W+", "ab!?c", "!?"},
	{"\\S\\s\\S", "ab c", "b c"},
	{"\\bfoo\\b", "foobar foo", "foo"},
	{"\\Bo", "foo", "o"},
	{"^b", "ab", NULL},
	{"b$", "ab", "b"},
	{"^$", "", ""},
	{"^a|b$", "xb", "b"},
	{"(?:ab)+", "abab", "abab"},
	{"a.*?b", "axbxb", "axbxb"},
	{"a\\.b", "axb a.b", "a.b"},
	{"\\(\\)", "f()", "()"},
	{"\\t", "a\tb", "\t"},
	{"(?i)FOO", "a foo", "foo"},
	{"(?i)[a-f]+", "xABCz", "ABC"},
	{"ONE|OTHER", "x OTHER y", "OTHER"},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct regex *x = NULL;
		struct err e = {0};
		size_t at, len;
		bool found;

		test_row("%s", rows[i].pattern);
		if (!check_int(regex_compile(&a, rows[i].pattern, false, &x, &e), 0)) {
			printf("# %s\n", e.text);
			continue;
		}
		found = regex_find(x, rows[i].text, strlen(rows[i].text), &at, &len);
		check_int(found, rows[i].found != NULL);
		if (found && rows[i].found)
			check_str(arena_text(&a, rows[i].text + at, len), rows[i].found);
	}
}

static void test_wrong(void)
{
	static const char *const patterns[] = {"(", ")", "a)", "(a", "[a", "*", "+a", "a|*", "\\",
		"\\1", "[z-a]", "[a-\\d]", "[[:no:]]", "(?=a)", "a{2,1}", "a{5000}", "\\x1", "[\\",
		NULL};

	for (size_t i = 0; patterns[i]; i++) {
		auto_(arena_free) struct arena a = {0};
		struct regex *x;
		struct err e;

		test_row("%s", patterns[i]);
		check_int(regex_compile(&a, patterns[i], false, &x, &e), -EINVAL);
	}
}

/* Expressions that take others years, and memory without end. */
static void test_bounds(void)
{
	static const char *const large[] = {
		"((a{1000}){1000}){1000}", "(((((((a+){9}){9}){9}){9}){9}){9}){9}", NULL};
	auto_(arena_free) struct arena a = {0};
	char deep[2001], text[30001];
	struct regex *x = NULL;
	struct err e;
	size_t at, len;

	for (size_t i = 0; large[i]; i++)
		check_int(regex_compile(&a, large[i], false, &x, &e), -EFBIG);
	memset(deep, '(', sizeof deep - 1);
	deep[sizeof deep - 1] = '\0';
	check_int(regex_compile(&a, deep, false, &x, &e), -EINVAL);
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = '\0';
	check_int(regex_compile(&a, "(a|a|a*)*(a*)*b", false, &x, &e), 0);
	check(!regex_find(x, text, sizeof text - 1, &at, &len));
}

/* The same answers as the C library's, where both know the words. */
static void test_same_as_posix(void)
{
	static const char pieces[][8] = {"a", "b", "ab", ".", "[ab]", "[^a]", "(", ")", "|", "*",
		"+", "?", "{2}", "{1,2}", "^", "$", "c"};
	unsigned compared = 0, seed = 1;

	for (int round = 0; round < 20000; round++) {
		auto_(arena_free) struct arena a = {0};
		char pattern[64] = "", text[9] = "";
		struct regex *x;
		struct err e;
		regex_t other;
		regmatch_t m = {0, 0};
		size_t at = 0, len = 0;
		bool found;

		for (unsigned i = 0, n = 1 + round % 6; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			strncat(pattern, pieces[(seed >> 16) % ARRAY_LEN(pieces)], 8);
		}
		for (unsigned i = 0; i < 8; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = "abc"[(seed >> 16) % 3];
		}
		/* The C library takes lazy forms for repetitions, and knows other anchors. */
		if (strpbrk(pattern, "^$") || strstr(pattern, "()") || strstr(pattern, "+?") ||
			strstr(pattern, "*?") || strstr(pattern, "}?") || strstr(pattern, "??") ||
			strstr(pattern, "||") || strstr(pattern, "|)") || strstr(pattern, "(|") ||
			regcomp(&other, pattern, REG_EXTENDED) != 0)
			continue;
		if (regex_compile(&a, pattern, false, &x, &e) == 0) {
			found = regex_find(x, text, 8, &at, &len);
			test_row("'%s' in '%s'", pattern, text);
			check_int(found, regexec(&other, text, 1, &m, 0) == 0);
			if (found)
				check(at == (size_t)m.rm_so && at + len == (size_t)m.rm_eo);
			compared++;
		}
		regfree(&other);
	}
	check(compared > 2000);
}

static const struct test tests[] = {
	{"what is found", test_rows},
	{"wrong expressions", test_wrong},
	{"time and memory have bounds", test_bounds},
	{"as the C library has it", test_same_as_posix},
};
TEST_MAIN(tests)
