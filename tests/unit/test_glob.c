/* SPDX-License-Identifier: Apache-2.0 */
#include "base/glob.h"

#include "base/macro.h"
#include "test.h"

struct row {
	const char *pattern, *text;
	bool match;
};

static void check_rows(
	bool (*match)(const char *, const char *), const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		test_row("'%s' on '%s'", rows[i].pattern, rows[i].text);
		check(match(rows[i].pattern, rows[i].text) == rows[i].match);
	}
}

static void words(void)
{
	static const struct row rows[] = {
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"abc", "abc", true},
		{"abc", "ab", false},
		{"ab", "abc", false},
		{"abc", "ABC", false},
		{"*", "", true},
		{"*", "anything", true},
		{"*", "a/b", true},
		{"**", "", true},
		{"?", "", false},
		{"?", "a", true},
		{"?", "ab", false},
		{"?", "\xc3\xbc", true},
		{"??", "\xc3\xbc", false},
		{"?", "\xff", true},
		{"*?", "\xc3\xbc", true},
		{"*??", "\xc3\xbc", false},
		{"?*", "\xc3\xbc", true},
		{"LC_*", "LC_ALL", true},
		{"LC_*", "LC_", true},
		{"LC_*", "LC", false},
		{"LC_*", "XLC_A", false},
		{"*.pem", "key.pem", true},
		{"*.pem", ".pem", true},
		{"*.pem", "key.pem.bak", false},
		{"a*b*c", "abc", true},
		{"a*b*c", "aXbYc", true},
		{"a*b*c", "aXbYcZ", false},
		{"a*b*c", "aXcYb", false},
		{"a*bc", "abbbc", true},
		{"*ab*ab*", "xabab", true},
		{"*ab*ab*", "xaba", false},
		{"a**b", "ab", true},
		{"*a*", "bab", true},
		{"mcp__*__read", "mcp__files__read", true},
		{"[a]", "a", false},
		{"[a]", "[a]", true},
		{"{a,b}", "a", false},
		{"{a,b}", "{a,b}", true},
		{"\\*", "*", false},
		{"\\*", "\\x", true},
		{"a?c", "a/c", true},
	};

	check_rows(glob_word, rows, ARRAY_LEN(rows));
}

static void paths(void)
{
	static const struct row rows[] = {
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"a/b", "a/b", true},
		{"a/b", "a/b/c", false},
		{"a/b/c", "a/b", false},
		{"*", "a", true},
		{"*", "a/b", false},
		{"*", "", true},
		{"*", ".hidden", true},
		{"?", "/", false},
		{"a?b", "a/b", false},
		{"a?b", "axb", true},
		{"?", "\xe2\x82\xac", true},
		{"??", "\xe2\x82\xac", false},
		{"\xe2\x82\xac*", "\xe2\x82\xac.txt", true},
		{"*\xbc", "\xc3\xbc", false}, /* half of a character */
		{"*", "\xff\xfe", true},
		{"?\xff", "\xfe\xff", true},
		{"a/*", "a/b", true},
		{"a/*", "a/", true},
		{"a/*", "a", false},
		{"a/*", "a/b/c", false},
		{"*/b", "a/b", true},
		{"*/b", "x/a/b", false},
		{".env.*", ".env.local", true},
		{".env.*", ".env", false},
		{"*.pem", "a.pem", true},
		{"*.pem", "dir/a.pem", false},
		{"a**b", "axxb", true},
		{"a**b", "ax/xb", false},
		{"***", "a/b", false},
		{"***", "ab", true},
		{"a/**x", "a/bx", true},
		{"a/**x", "a/b/x", false},
		{"a/x**", "a/xb", true},
		{"a/x**", "a/xb/c", false},
	};

	check_rows(glob_path, rows, ARRAY_LEN(rows));
}

static void any_depth(void)
{
	static const struct row rows[] = {
		{"**", "a", true},
		{"**", "a/b/c", true},
		{"**", "", false},
		{"a/**", "a/x", true},
		{"a/**", "a/x/y", true},
		{"a/**", "a", false},
		{"a/**", "a/", false},
		{"a/**", "ab", false},
		{"a/**", "b/a/x", false},
		{"**/a", "a", true},
		{"**/a", "x/a", true},
		{"**/a", "x/y/a", true},
		{"**/a", "xa", false},
		{"**/a", "x/ya", false},
		{"**/a", "a/x", false},
		{"**/a", "/a", true},
		{"**/*.pem", "k.pem", true},
		{"**/*.pem", "a/b/k.pem", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/x/b", true},
		{"a/**/b", "a/x/y/b", true},
		{"a/**/b", "ab", false},
		{"a/**/b", "a/xb", false},
		{"a/**/b", "a/b/c", false},
		{"a/**/b/**/c", "a/b/c", true},
		{"a/**/b/**/c", "a/x/b/y/z/c", true},
		{"a/**/b/**/c", "a/x/y/z/c", false},
		{"**/**/a", "a", true},
		{"**/**/a", "x/a", true},
		{"**/**", "a", true},
		{"a/**/**", "a", false},
		{"a/**/**", "a/b", true},
		{"**/a/**", "a", false},
		{"**/a/**", "a/b", true},
		{"**/a/**", "x/a/b/c", true},
		{"/**", "/etc/x", true},
		{"/**/x", "/x", true},
		{".git/hooks/**", ".git/hooks/pre-commit", true},
		{".git/hooks/**", ".git/hooks", false},
		{"**/node_modules/*/x", "a/node_modules/b/x", true},
		{"**/node_modules/*/x", "a/node_modules/b/c/x", false},
	};

	check_rows(glob_path, rows, ARRAY_LEN(rows));
}

static void groups(void)
{
	static const struct row rows[] = {
		{"{a,b}", "a", true}, {"{a,b}", "b", true}, {"{a,b}", "ab", false},
		{"{a,b}", "", false}, {"{a,b}", "{a,b}", false}, {"{a}", "a", true},
		{"{}", "", true}, {"x{}y", "xy", true}, {"{,a}b", "b", true}, {"{,a}b", "ab", true},
		{"{a,}b", "b", true}, {"x{a,bc,d}y", "xay", true}, {"x{a,bc,d}y", "xbcy", true},
		{"x{a,bc,d}y", "xdy", true}, {"x{a,bc,d}y", "xby", false},
		{"x{a,bc,d}y", "xabcdy", false}, {"{a,b}{c,d}", "ad", true},
		{"{a,b}{c,d}", "ab", false}, {"{a,b},{c,d}", "b,c", true}, {"{a,b},c", "a,c", true},
		{"a,b", "a,b", true}, {"a,b*", "a,bc", true}, {"a,b{c,d}", "a,bd", true},
		{"*.{c,h}", "x.c", true}, {"*.{c,h}", "x.o", false}, {"{*.c,x?}", "abc.c", true},
		{"{*.c,x?}", "xy", true}, {"{*.c,x?}", "xyz", false}, {"{a/b,c}/d", "a/b/d", true},
		{"{a/b,c}/d", "c/d", true}, {"{**,x}", "a/b", false}, /* in a group ** is like * */
		{"{**,x}", "ab", true}, {"{a/**/b,x}", "a/y/b", true},
		{"{a/**/b,x}", "a/y/z/b", false}, {"{a,b}/**", "b/c/d", true},
		{"{a,b}/**", "b", false},
		{".git/modules/**/{hooks,config}", ".git/modules/x/hooks", true},
		{".git/modules/**/{hooks,config}", ".git/modules/hooks", true},
		{".git/modules/**/{hooks,config}", ".git/modules/x/y/config", true},
		{".git/modules/**/{hooks,config}", ".git/modules/x/HEAD", false},
		{".git/modules/**/{hooks,config}", ".git/modules/x/hooks/y", false},
		{".git/modules/**/{hooks,config}/**", ".git/modules/x/hooks/y", true},
		/* Braces that do not pair up, or nest, mean themselves: all of them. */
		{"{a,b", "{a,b", true}, {"{a,b", "a", false}, {"a}", "a}", true},
		{"}{a,b}", "}{a,b}", true}, {"}{a,b}", "}a", false}, {"{a,b}{", "{a,b}{", true},
		{"{a,b}{", "a{", false}, {"{a,{b,c}}", "{a,{b,c}}", true},
		{"{a,{b,c}}", "b", false}, {"{a}}*", "{a}}x", true}, {"{a,**", "{a,xy", true},
		{"{/**", "{/x/y", true}, /* and then ** is no part of a group */
	};

	check_rows(glob_path, rows, ARRAY_LEN(rows));
}

static void magic(void)
{
	check(!glob_has_magic(""));
	check(!glob_has_magic("a/b.c,d}[e]"));
	check(glob_has_magic("a*"));
	check(glob_has_magic("?a"));
	check(glob_has_magic("a{b"));
}

/*
 * The same question asked by trying everything: groups are written out, then each star is tried at
 * every length. Slow, but with nothing in it that could be clever.
 */
#define SOME '\1' /* a star */
#define DEEP '\2' /* a component ** with its slash */
#define REST '\3' /* a last component ** */

static bool try_all(const char *p, const char *s)
{
	if (!*p)
		return !*s;
	if (*p == REST)
		return *s;
	if (*p == SOME)
		return try_all(p + 1, s) || (*s && *s != '/' && try_all(p, s + 1));
	if (*p == DEEP) {
		if (try_all(p + 1, s))
			return true;
		while ((s = strchr(s, '/')))
			if (try_all(p + 1, ++s))
				return true;
		return false;
	}
	return *s && (*p == '?' ? *s != '/' : *p == *s) && try_all(p + 1, s + 1);
}

static bool try_groups(const char *p, const char *s)
{
	const char *open = strchr(p, '{');
	const char *close = open ? strchr(open, '}') : NULL;

	if (!open)
		return try_all(p, s);
	for (const char *from = open + 1; from <= close;) {
		const char *end = from + strcspn(from, ",}");
		char one[64];

		snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(open - p), p, (int)(end - from),
			from, close + 1);
		if (try_groups(one, s))
			return true;
		from = end + 1;
	}
	return false;
}

static bool braces_pair_up(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		depth += (*p == '{') - (*p == '}');
		if (depth < 0 || depth > 1)
			return false;
	}
	return depth == 0;
}

static bool slow_match(const char *pattern, const char *path)
{
	char marked[64];
	size_t len = 0;
	bool group = false, pairs = braces_pair_up(pattern);

	for (const char *p = pattern; *p; p++) {
		bool first = p == pattern || p[-1] == '/';

		group = pairs && (*p == '{' || (group && *p != '}'));
		if (!group && first && strcmp(p, "**") == 0)
			marked[len++] = REST, p++;
		else if (!group && first && strncmp(p, "**/", 3) == 0)
			marked[len++] = DEEP, p += 2;
		else
			marked[len++] = *p == '*' ? SOME : *p;
	}
	marked[len] = '\0';
	return pairs ? try_groups(marked, path) : try_all(marked, path);
}

static uint32_t draw(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 10;
}

static void draw_text(uint32_t *state, const char *letters, size_t max, char *out)
{
	size_t len = draw(state) % (max + 1);

	for (size_t i = 0; i < len; i++)
		out[i] = letters[draw(state) % strlen(letters)];
	out[len] = '\0';
}

static void same_as_trying_everything(void)
{
	uint32_t state = 1;
	size_t matches = 0;

	for (int i = 0; i < 300000; i++) {
		char pattern[32], path[32];

		draw_text(&state, i % 2 ? "ab/**?" : "aab/**{},,{}?", i % 2 ? 8 : 11, pattern);
		draw_text(&state, i % 16 ? "aab/" : "ab/{,}", 6, path);
		bool want = slow_match(pattern, path);

		matches += want;
		test_row("'%s' on '%s'", pattern, path);
		if (!check(glob_path(pattern, path) == want))
			break;
	}
	check(matches > 3000); /* or nothing was tried */
}

/* Patterns that take forever when alternatives are tried one after the other. */
static void no_pattern_is_slow(void)
{
	static const char *const units[] = {
		"*a", "{a,*}", "{,a}", "?*", "**/", "{a,a,a,a,a}", "{,,,,}", "*"};
	static char pattern[4097], path[4097];

	memset(path, 'a', sizeof(path) - 1);
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		size_t len = 0, step = strlen(units[i]);

		for (; len + step < 400; len += step)
			memcpy(pattern + len, units[i], step);
		snprintf(pattern + len, sizeof(pattern) - len, "b");
		test_row("%s", units[i]);
		check(!glob_path(pattern, path));
		check(!glob_word(pattern, path));
	}
}

static void length_is_bounded(void)
{
	static char pattern[4098], path[4098];

	memset(pattern, '*', 4096);
	memset(path, 'a', 4097);
	check(glob_path(pattern, "a"));
	pattern[4096] = '*';
	check(!glob_path(pattern, "a"));
	check(!glob_path(path, path));
	path[4096] = '\0';
	check(glob_path(path, path));
	memset(pattern, 'a', 4094);
	memcpy(pattern + 4094, "**", 3);
	check(glob_path(pattern, path));
	memcpy(pattern + 4093, "/**", 4);
	memcpy(path + 4093, "/bc", 4);
	check(glob_path(pattern, path));
	memcpy(pattern + 4092, "{aa}", 5);
	check(glob_path(pattern, path) == false);
	memcpy(path + 4092, "aa", 3);
	check(glob_path(pattern, path));
}

/* Around the places where the set of positions goes on to its next word. */
static void every_pattern_length(void)
{
	size_t wrong = 0;

	for (size_t n = 1; n < 200; n++) {
		char pattern[256], path[256];

		memset(pattern, 'a', n);
		memset(path, 'a', n);
		memcpy(pattern + n, "/**/{x,y*}/**", 14);
		memcpy(path + n, "/b/c/yz/e", 10);
		wrong += !glob_path(pattern, path);
		wrong += glob_path(pattern, path + 1);
		memcpy(path + n, "/x/e", 5);
		wrong += !glob_path(pattern, path);
		memcpy(path + n, "/x", 3);
		wrong += glob_path(pattern, path);
	}
	check_u64(wrong, 0);
}

static const struct test tests[] = {
	{"words", words},
	{"paths", paths},
	{"any depth", any_depth},
	{"groups", groups},
	{"magic characters", magic},
	{"same as trying everything", same_as_trying_everything},
	{"no pattern is slow", no_pattern_is_slow},
	{"length is bounded", length_is_bounded},
	{"every pattern length", every_pattern_length},
};

TEST_MAIN(tests)
