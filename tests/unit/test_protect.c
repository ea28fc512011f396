/* SPDX-License-Identifier: Apache-2.0 */
#include "model/protect.h"

#include "base/glob.h"
#include "base/macro.h"

#include "cases.h"
#include "test.h"

#include <errno.h>

#define PATTERNS_MAX 8

static const char *const places[PROTECT_PLACE_COUNT] = {
	[PROTECT_FREE] = "free",
	[PROTECT_DEEP] = "deep",
	[PROTECT_ABOVE_WILD] = "wild",
	[PROTECT_ABOVE] = "above",
	[PROTECT_FOLDER] = "folder",
	[PROTECT_NAME] = "name",
};

static size_t split_patterns(char *text, const char **patterns)
{
	size_t count = 0;

	for (char *p = strsep(&text, " "); p && count < PATTERNS_MAX; p = strsep(&text, " "))
		patterns[count++] = p;
	return count;
}

static const char *end_of_move(const char *text)
{
	return strcmp(text, "-") == 0 ? NULL : text;
}

static void check_case(char *line, void *ctx)
{
	char text[512], path[512];
	char *patterns_text = cases_column(&line), *path_text = cases_column(&line);
	const char *patterns[PATTERNS_MAX], *want = cases_column(&line);

	(void)ctx;
	if (!check(patterns_text && path_text && want) ||
		!check(cases_decode(patterns_text, text, sizeof(text))) ||
		!check(cases_decode(path_text, path, sizeof(path))))
		return;

	size_t count = split_patterns(text, patterns);

	if (strcmp(want, "MOVE") == 0) {
		const char *to = cases_column(&line), *answer = cases_column(&line);

		if (!check(to && answer))
			return;
		check_str(protect_may_move(patterns, count, end_of_move(path), end_of_move(to))
				  ? "yes"
				  : "no",
			answer);
		return;
	}
	check_str(places[protect_place(patterns, count, path)], want);
}

static void test_table(void)
{
	check(cases_read("tests/data/protect.case", check_case, NULL) > 80);
}

/* A path is protected when it or a folder that it lies in matches as glob_path() says. */
static bool glob_says(const char *pattern, const char *path)
{
	char head[64];

	for (size_t i = 1; i <= strlen(path); i++) {
		if (path[i] && path[i] != '/')
			continue;
		memcpy(head, path, i);
		head[i] = '\0';
		if (glob_path(pattern, head))
			return true;
	}
	return false;
}

/* Every short path over few names against every pattern over few components. */
static void test_agrees_with_glob(void)
{
	static const char *const parts[] = {"a", "b", "*", "**", "?", "{a,b}", "a*"};
	static const char *const names[] = {"a", "b", "ab", "c"};
	char pattern[64], path[64];
	const char *list[] = {pattern};
	size_t named = 0;

	for (size_t i = 0; i < 7 * 7 * 7; i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s/%s", parts[i % 7], parts[i / 7 % 7],
			parts[i / 49]);
		for (size_t k = 0; k < 4 * 4 * 4 * 4; k++) {
			snprintf(path, sizeof(path), "%s/%s/%s/%s", names[k % 4], names[k / 4 % 4],
				names[k / 16 % 4], names[k / 64]);
			path[strlen(path) - (k % 3) * 2] = '\0';
			if (path[strlen(path) - 1] == '/')
				path[strlen(path) - 1] = '\0';

			bool is = protect_place(list, 1, path) == PROTECT_NAME;

			named += is;
			if (is != glob_says(pattern, path))
				check_str(path, pattern);
		}
	}
	check(named > 1000);
}

static void test_verdicts(void)
{
	static const struct {
		enum protect_op op;
		int code[PROTECT_PLACE_COUNT]; /* free, deep, wild, above, folder, name */
	} rows[] = {
		{PROTECT_READ, {0, 0, 0, 0, 0, EACCES}},
		{PROTECT_WRITE, {0, 0, 0, EACCES, EACCES, EACCES}},
		{PROTECT_ATTR, {0, 0, 0, 0, EACCES, EACCES}},
		{PROTECT_CREATE, {0, 0, 0, EACCES, EACCES, EACCES}},
		{PROTECT_SYMLINK, {0, EACCES, EACCES, EACCES, EACCES, EACCES}},
		{PROTECT_MKDIR, {0, 0, 0, 0, EACCES, EACCES}},
		{PROTECT_UNLINK, {0, 0, 0, EACCES, EACCES, EACCES}},
		{PROTECT_RMDIR, {0, 0, 0, 0, EACCES, EACCES}},
		{PROTECT_LINK_FROM, {0, 0, 0, EACCES, EACCES, EACCES}},
		{PROTECT_LINK_TO, {0, 0, 0, EACCES, EACCES, EACCES}},
		{PROTECT_MOVE_FILE, {0, 0, 0, EBUSY, EBUSY, EACCES}},
		{PROTECT_MOVE_DIR, {0, 0, EBUSY, EBUSY, EBUSY, EACCES}},
		{PROTECT_MOVE_FILE_TO, {0, 0, 0, EACCES, EACCES, EACCES}},
		{PROTECT_MOVE_LINK_TO, {0, EACCES, EACCES, EACCES, EACCES, EACCES}},
		{PROTECT_MOVE_DIR_TO, {0, 0, EACCES, EACCES, EACCES, EACCES}},
	};

	check_int(ARRAY_LEN(rows), PROTECT_OP_COUNT);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (int place = 0; place < PROTECT_PLACE_COUNT; place++) {
			test_row("%s at %s", protect_op_name(rows[i].op), places[place]);
			check_int(protect_refuses((enum protect_place)place, rows[i].op),
				rows[i].code[place]);
		}
}

/* Long names and patterns are cut nowhere that matters, and never crash. */
static void test_long(void)
{
	static char path[5000], pattern[5000];
	const char *list[] = {pattern, NULL, ".git/config"};

	memset(path, 'a', 4300);
	memset(pattern, 'a', 4999);
	check_int(protect_place(list, 3, path), PROTECT_FREE);
	memset(pattern, '\0', sizeof(pattern));
	for (size_t i = 0; i < 80; i++)
		memcpy(pattern + 2 * i, "a/", 3);
	check_int(protect_place(list, 3, "a/a/a"), PROTECT_ABOVE);
	for (size_t i = 0; i < 2000; i++)
		memcpy(path + 2 * i, "a/", 3);
	check_int(protect_place(list, 3, path), PROTECT_NAME);
}

static const struct test tests[] = {
	{"paths and patterns", test_table},
	{"the same names as the matcher of paths", test_agrees_with_glob},
	{"what is refused where", test_verdicts},
	{"long names and patterns", test_long},
};

TEST_MAIN(tests)
