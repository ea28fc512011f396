/* SPDX-License-Identifier: Apache-2.0 */
#include "model/elevate.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "model/shell.h"
#include "test.h"

#include <errno.h>

static const char cases[] = "tests/data/elevate.case";

static const char *const verdicts[] = {
	[ELEVATE_NO] = "no", [ELEVATE_RISK] = "risk", [ELEVATE_YES] = "yes"};

/* What the policy does with a text: first its words, then the pattern. */
static enum elevate_match decide(const char *pattern, const char *text, struct err *why)
{
	auto_(arena_free) struct arena a = {0};
	struct words w = {0};

	if (shell_words(&a, text, &w, why) < 0)
		return ELEVATE_NO;
	return elevate_match(pattern, w.v, w.count, why);
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* \n \t \r \\ and \xNN, in place; false when there is anything else behind a backslash. */
static bool decode(char *text)
{
	char *out = text;

	for (const char *p = text; *p; p++) {
		if (*p != '\\') {
			*out++ = *p;
			continue;
		}
		p++;
		if (*p == 'n' || *p == 't' || *p == 'r' || *p == '\\') {
			*out++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == 'r' ? '\r' : '\\';
		} else if (*p == 'x' && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
			*out++ = (char)(hex(p[1]) * 16 + hex(p[2]));
			p += 2;
		} else {
			return false;
		}
	}
	*out = '\0';
	return true;
}

/* Cuts at the next tab. */
static char *next_field(char **line)
{
	return strsep(line, "\t");
}

static void run_case(char *line)
{
	char *pattern = next_field(&line), *text = next_field(&line), *verdict = next_field(&line);
	struct err why = {0};

	if (!check(pattern && text && verdict && !line))
		return;
	if (!check(decode(pattern) && decode(text)))
		return;

	enum elevate_match got = decide(pattern, text, &why);

	check_str(verdicts[got], verdict);
	check((got == ELEVATE_YES) == (why.code == 0));
	check((got == ELEVATE_YES) == (why.text[0] == '\0'));
}

static void test_cases(void)
{
	FILE *file = fopen(cases, "re");
	auto_free char *line = NULL;
	size_t size = 0, number = 0, done = 0;
	ssize_t len;

	if (!file) {
		check_str("no such file", cases);
		return;
	}
	while ((len = getline(&line, &size, file)) > 0) {
		number++;
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || line[0] == '\0')
			continue;
		test_row("%s:%zu: %s", cases, number, line);
		run_case(line);
		done++;
	}
	fclose(file);
	test_row("%s", "");
	check(done >= 200);
}

/* A command whose dangerous part is far behind what anybody looks at. */
static void test_long_text(void)
{
	static const size_t blanks[] = {1, 1000, 100000, 131000, 131072, 200000};

	for (size_t i = 0; i < ARRAY_LEN(blanks); i++) {
		auto_(buf_free) struct buf bad = BUF(1 << 20), good = BUF(1 << 20);

		buf_puts(&good, "git push origin");
		for (size_t k = 0; k < blanks[i]; k++)
			buf_putc(&good, ' ');
		buf_puts(&bad, buf_text(&good));
		buf_puts(&bad, "; id");
		test_row("%zu blanks", blanks[i]);
		check_int(decide("git push *", buf_text(&bad), NULL), ELEVATE_NO);
		check_int(decide("git push *", buf_text(&good), NULL),
			good.len <= SHELL_MAX_TEXT ? ELEVATE_YES : ELEVATE_NO);
	}
}

static void test_many_commands(void)
{
	for (size_t n = 1; n <= 200; n++) {
		auto_(buf_free) struct buf text = BUF(1 << 20);

		for (size_t i = 0; i < n; i++)
			buf_puts(&text, "true;");
		buf_puts(&text, " git push origin");
		test_row("%zu commands", n);
		check_int(decide("git push *", buf_text(&text), NULL), ELEVATE_NO);
		check_int(decide("true *", buf_text(&text), NULL), ELEVATE_NO);
	}
}

static void test_deep_wrappers(void)
{
	auto_(buf_free) struct buf pattern = BUF(1 << 20), text = BUF(1 << 20);

	for (size_t i = 0; i < 1000; i++) {
		buf_puts(&pattern, "env ");
		buf_puts(&text, "env ");
	}
	buf_puts(&pattern, "git push *");
	buf_puts(&text, "git push --receive-pack=x");
	check_int(decide(buf_text(&pattern), buf_text(&text), NULL), ELEVATE_RISK);
}

static enum elevate_match match_argv(const char *const *argv, size_t count, struct err *why)
{
	return elevate_match("git push *", (char *const *)argv, count, why);
}

/* Commands that arrive as words are held to the same rules. */
static void test_argv(void)
{
	static const char *const newline[] = {"git", "push", "a\nb"};
	static const char *const chained[] = {"git", "push", "x", "&&", "id"};
	static const char *const hidden[] = {"git", "push", "a\xe2\x80\xae"};
	static const char *const fine[] = {"git", "push", "a b"};
	struct err why = {0};

	check_int(match_argv(newline, 3, &why), ELEVATE_NO);
	check_has(why.text, "newline in word 3");
	check_int(match_argv(chained, 5, &why), ELEVATE_NO);
	check_has(why.text, "word 4 is the shell operator '&&'");
	check_int(match_argv(hidden, 3, NULL), ELEVATE_NO);
	check_int(match_argv(fine, 3, NULL), ELEVATE_YES);
	check_int(match_argv(fine, 0, NULL), ELEVATE_NO);
}

static void test_reasons(void)
{
	static const struct {
		const char *pattern, *text, *reason;
	} rows[] = {
		{"git push *", "git push --exec=x",
			"word 3 '--exec=x', which '*' or '?' may not cover: it makes the program"},
		{"git push *", "git pull", "word 2 'pull' is not what the pattern has there"},
		{"git push *", "git", "the command has 1 words, the pattern at least 2"},
		{"make deploy", "make deploy x", "the pattern ends before word 3 'x'"},
		{"env *", "env x", "no command can match: the program runs other programs"},
		{"cat a/*", "cat a/../b", "word 2 'a/../b': '..' leads out"},
		{"git push *", "git push $(id)", "command substitution '$(' at column 10"},
		{"git commit *", "git commit -m 'ab' --exec='\\'", "word 5 '--exec=\\\\', which"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err why = {0};

		test_row("%s: %s", rows[i].pattern, rows[i].text);
		check(decide(rows[i].pattern, rows[i].text, &why) != ELEVATE_YES);
		check_has(why.text, rows[i].reason);
	}
}

/* A long word does not push the reason out of the message. */
static void test_long_word_in_reason(void)
{
	char word[5000] = "--exec=";
	const char *const argv[] = {"git", "push", word};
	struct err why = {0};

	memset(word + 7, 'x', sizeof(word) - 8);
	check_int(match_argv(argv, 3, &why), ELEVATE_RISK);
	check_has(why.text, "xxx...', which");
	check_has(why.text, "run other code");
}

static void test_check_pattern(void)
{
	static const struct {
		const char *pattern, *reason; /* NULL: good */
	} rows[] = {
		{"git push *", NULL},
		{"git", NULL},
		{"/usr/bin/git push *", NULL},
		{"git push 'a b' *", NULL},
		{"git push a*b?c", NULL},
		{"make deploy", NULL},
		{"env *", NULL},
		{"'time' git", NULL},
		{"", "no command"},
		{"   ", "no command"},
		{"*", "has to name its program"},
		{"?", "has to name its program"},
		{"g*t push", "has to name its program"},
		{"/opt/tools/*", "has to name its program"},
		{"'' x", "empty program name"},
		{"git push **", "'**' in word 3"},
		{"git push a**b", "'**' in word 3"},
		{"git push; id", "command list ';' at column 9"},
		{"git push $HOME", "parameter expansion '$' at column 10"},
		{"git push > f", "redirection '>'"},
		{"git push {a,b}", "brace '{'"},
		{"git push [a]", "file name pattern '['"},
		{"A=b git push", "assignment"},
		{"if git push", "reserved word 'if'"},
		{"git push\nid", "newline"},
		{"git push 'x", "open quote"},
		{"git push ';' x", "word 3 is the shell operator ';'"},
		{"cd /tmp", "'cd' is part of the shell"},
		{"export *", "'export' is part of the shell"},
		{"eval *", "'eval' is part of the shell"},
		{". x", "'.' is part of the shell"},
		{"exec git push", "'exec' is part of the shell"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		int r = elevate_check_pattern(rows[i].pattern, &e);

		test_row("%s", rows[i].pattern);
		check_int(r, rows[i].reason ? -EINVAL : 0);
		if (rows[i].reason) {
			check_has(e.text, rows[i].reason);
			check(str_starts(e.text, "pattern '"));
			/* What is no pattern matches nothing, not even itself. */
			check_int(decide(rows[i].pattern, rows[i].pattern, NULL), ELEVATE_NO);
			check(elevate_never(rows[i].pattern) != NULL);
		}
	}
}

static void test_never(void)
{
	static const struct {
		const char *pattern;
		bool never;
	} rows[] = {
		{"env *", true},
		{"sudo -u bob *", true},
		{"bash -c *", true},
		{"python3 *", true},
		{"xargs rm *", true},
		{"ssh host *", true},
		{"poetry run *", true},
		{"git -c *", true},
		{"docker run -v *", true},
		{"rsync -e * a b", true},
		{"ip netns exec blue *", true},
		{"make *", true},
		{"make deploy", false},
		{"make deploy *", false},
		{"env", false},
		{"bash script.sh *", false},
		{"git push *", false},
		{"git *", false},
		{"docker *", false},
		{"docker run -v /a:/a *", false},
		{"poetry run pytest *", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].pattern);
		check_int(elevate_never(rows[i].pattern) != NULL, rows[i].never);
		check_int(elevate_check_pattern(rows[i].pattern, NULL), 0);
	}
}

static const struct test tests[] = {
	{"patterns and commands", test_cases},
	{"what is far behind is seen", test_long_text},
	{"no number of commands is one command", test_many_commands},
	{"wrappers of any depth are looked through", test_deep_wrappers},
	{"commands that arrive as words", test_argv},
	{"the reason says which word and why", test_reasons},
	{"a long word leaves room for the reason", test_long_word_in_reason},
	{"which texts are patterns", test_check_pattern},
	{"patterns that can never match", test_never},
};

TEST_MAIN(tests)
