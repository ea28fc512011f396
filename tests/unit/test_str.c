/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include "base/macro.h"
#include "test.h"

static void equality(void)
{
	const char *text = "abc";

	check(str_eq("abc", text));
	check(!str_eq("abc", "abd"));
	check(!str_eq("abc", "ab"));
	check(str_eq("", ""));
	check(str_eq(NULL, NULL));
	check(!str_eq(NULL, ""));
	check(!str_eq("", NULL));
}

static void beginnings_and_ends(void)
{
	static const struct {
		const char *text, *part;
		bool starts, ends;
	} rows[] = {
		{"", "", true, true},
		{"abc", "", true, true},
		{"", "a", false, false},
		{"abc", "abc", true, true},
		{"abc", "ab", true, false},
		{"abc", "bc", false, true},
		{"abc", "abcd", false, false},
		{"abc", "xabc", false, false},
		{"abab", "ab", true, true},
		{"abc", "b", false, false},
		{"ABC", "a", false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("'%s' '%s'", rows[i].text, rows[i].part);
		check(str_starts(rows[i].text, rows[i].part) == rows[i].starts);
		check(str_ends(rows[i].text, rows[i].part) == rows[i].ends);
	}
}

static void lists(void)
{
	static const char *const list[] = {"one", "two", "", NULL};
	static const char *const none[] = {NULL};

	check(str_in("one", list));
	check(str_in("two", list));
	check(str_in("", list));
	check(!str_in("on", list));
	check(!str_in("ones", list));
	check(!str_in("One", list));
	check(!str_in("one", none));
}

static const char *from_list(size_t i, const void *ctx)
{
	return ((const char *const *)ctx)[i];
}

static void nearest(void)
{
	static const char *const words[] = {"memory", "cpus", "pids", "disk", "network", "timeout",
		"idleTimeout", "startupTimeout", "ro", "rw", "workspaceAccess", "a", "identity",
		"fuzz", NULL};
	static const struct {
		const char *word, *want;
	} rows[] = {
		{"memory", "memory"},  /* the word itself */
		{"MEMORY", "memory"},  /* case does not count */
		{"memroy", "memory"},  /* swapped */
		{"memor", "memory"},   /* one missing */
		{"memmory", "memory"}, /* one too many */
		{"nemory", "memory"},  /* one wrong */
		{"mmeroy", "memory"},  /* two swaps */
		{"mamary", "memory"},  /* two wrong */
		{"mamari", NULL},      /* three are too many for six letters */
		{"cpu", "cpus"},       /* a short word: one */
		{"cqus", "cpus"},
		{"cqu", NULL}, /* ... and not two */
		{"psdi", NULL},
		{"pdis", "pids"},
		{"time out", "timeout"},
		{"idletimout", "idleTimeout"},
		{"ideltimot", "idleTimeout"}, /* three for a long word */
		{"workspacAcess", "workspaceAccess"},
		{"worspacAcess", "workspaceAccess"},
		{"worspacAces", NULL},
		{"r", "ro"}, /* equally close: the first */
		{"xo", "ro"},
		{"zz", NULL}, /* nothing in common */
		{"b", NULL},
		{"", NULL},
		{"A", "a"},
		{"FUZZ", "fuzz"},
		{"cqusx", "cpus"}, /* two from five letters on */
		{"xxentity", "identity"},
		{"xxxntity", NULL},
		{"xxxntityy", NULL},
		{"xxentityy", "identity"}, /* three from nine on */
		{"completely different words", NULL},
		{"netwórk", "network"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *got = str_nearest(rows[i].word, from_list, words);

		test_row("'%s'", rows[i].word);
		if (rows[i].want)
			check_str(got, rows[i].want);
		else
			check(got == NULL);
	}
}

static void nearest_takes_the_closer_of_two(void)
{
	static const char *const words[] = {"startTimeouts", "startTimeout", "startTimeoutx", NULL};

	check_str(str_nearest("startTimeout", from_list, words), "startTimeout");
	check_str(str_nearest("startTimeouty", from_list, words), "startTimeouts");
}

static void nearest_and_empty_list(void)
{
	static const char *const none[] = {NULL};

	check(str_nearest("word", from_list, none) == NULL);
}

static void nearest_bounds_words(void)
{
	char exact[65], longer[66], longest[4096];
	const char *const words[] = {longest, longer, exact, NULL};

	memset(exact, 'w', sizeof(exact));
	exact[64] = '\0';
	memset(longer, 'w', sizeof(longer));
	longer[65] = '\0';
	memset(longest, 'w', sizeof(longest));
	longest[4095] = '\0';
	check(str_nearest(exact, from_list, words) == exact);
	check(str_nearest(exact + 1, from_list, words) == exact);
	check(str_nearest(longer, from_list, words) == NULL);
	check(str_nearest(longest, from_list, words) == NULL);
}

static void names(void)
{
	static const struct {
		const char *text;
		bool ok;
	} rows[] = {
		{"a", true},
		{"z", true},
		{"A", true},
		{"9", true},
		{"azAZ09_", true},
		{"Z", true},
		{"_", true},
		{"0", true},
		{"main-agent_2.x", true},
		{"a.", false},
		{"a..b", true},
		{".", false},
		{".a", false},
		{"-a", false},
		{"a-", true},
		{"", false},
		{"a b", false},
		{"a/b", false},
		{"..", false},
		{"a\n", false},
		{"é", false},
		{"a\xff", false},
		{"a:b", false},
		{"a@", false},
		{"a[", false},
		{"a`", false},
		{"a{", false},
		{"@", false},
		{"[", false},
		{"`", false},
		{"{", false},
		{":", false},
		{"/", false},
		{"0123456789012345678901234567890123456789012345678901234567890123", true},
		{"01234567890123456789012345678901234567890123456789012345678901234", false},
		{"012345678901234567890123456789012345678901234567890123456789012.", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("'%s'", rows[i].text);
		check(str_is_name(rows[i].text) == rows[i].ok);
	}
}

static void hex_digits(void)
{
	check_int(str_hex_digit('0'), 0);
	check_int(str_hex_digit('9'), 9);
	check_int(str_hex_digit('a'), 10);
	check_int(str_hex_digit('F'), 15);
	check_int(str_hex_digit('g'), -1);
	check_int(str_hex_digit('/'), -1);
	check_int(str_hex_digit('\0'), -1);
}

static void slips(void)
{
	check(str_is_slip("exce", "exec") && str_is_slip("exc", "exec") &&
		str_is_slip("execc", "exec"));
	check(str_is_slip("Exce", "exec") && str_is_slip("ezec", "exec"));
	check(!str_is_slip("exec", "exec") && !str_is_slip("EXEC", "exec"));
	check(!str_is_slip("skill", "shell") && !str_is_slip("", "exec"));
}

static const struct test tests[] = {
	{"equality", equality},
	{"beginnings and ends", beginnings_and_ends},
	{"lists", lists},
	{"nearest word", nearest},
	{"nearest takes the closer of two", nearest_takes_the_closer_of_two},
	{"nearest of an empty list", nearest_and_empty_list},
	{"nearest bounds its words", nearest_bounds_words},
	{"slips", slips},
	{"hex digits", hex_digits},
	{"names", names},
};

TEST_MAIN(tests)
