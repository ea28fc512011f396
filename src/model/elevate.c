/* SPDX-License-Identifier: Apache-2.0 */
#include "model/elevate.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/argrisk.h"
#include "model/shell.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Part of a shell only: there is no program that would do this, and without a shell it would mean
 * nothing. */
static const char *const builtins[] = {".", ":", "alias", "bg", "bind", "break", "builtin",
	"caller", "cd", "compgen", "complete", "compopt", "continue", "coproc", "declare", "dirs",
	"disown", "enable", "eval", "exec", "exit", "export", "fc", "fg", "getopts", "hash",
	"history", "jobs", "let", "local", "logout", "mapfile", "popd", "pushd", "read",
	"readarray", "readonly", "return", "set", "shift", "shopt", "source", "suspend", "times",
	"trap", "type", "typeset", "ulimit", "umask", "unalias", "unset", "wait", NULL};

static const char magic[] = {SHELL_ANY, SHELL_ONE, '\0'};
static const char rest[] = {SHELL_ANY, '\0'};

static bool has_magic(const char *word)
{
	return strpbrk(word, magic) != NULL;
}

/* Does the pattern end in a `*` that stands for any further words? */
static bool is_open(const struct words *p)
{
	return str_eq(p->v[p->count - 1], rest);
}

/* A word as it can be shown: escaped, and cut where it is long. */
struct shown {
	char text[100];
};

static struct shown show(const char *word)
{
	auto_(buf_free) struct buf out = BUF(sizeof(((struct shown *)0)->text) - 4);
	struct shown s = {0};

	escape_text(&out, word);
	memcpy(s.text, buf_text(&out), out.len);
	if (out.dropped)
		memcpy(s.text + out.len, "...", 3);
	return s;
}

static int check_program(const char *word, struct err *e)
{
	if (has_magic(word))
		return err_set(e, EINVAL,
			"a pattern has to name its program: no '*' or '?' in its first word");
	if (str_in(word, builtins))
		return err_set(e, EINVAL,
			"'%s' is part of the shell and not a program: commands "
			"that match run without a shell",
			word);
	return 0;
}

static int check_words(const struct words *p, struct err *e)
{
	int r = check_program(p->v[0], e);

	for (size_t i = 1; r == 0 && i < p->count; i++)
		if (strstr(p->v[i], (const char[]){SHELL_ANY, SHELL_ANY, '\0'}))
			r = err_set(e, EINVAL, "'**' in word %zu: write '*' once", i + 1);
	return r;
}

/* The words of a usable pattern. */
static int read_pattern(struct arena *a, const char *pattern, struct words *ret, struct err *e)
{
	struct words p = {0}, literal;
	int r = shell_pattern(a, pattern, &p, e);

	if (r == 0)
		r = check_words(&p, e);
	if (r < 0)
		return r;
	/* What no command may hold, no pattern can ask for. */
	literal.v = arena_array(a, p.count, sizeof(*literal.v));
	literal.count = 0;
	for (size_t i = 0; i < p.count; i++)
		if (!has_magic(p.v[i]))
			literal.v[literal.count++] = p.v[i];
	r = shell_check_argv(literal.v, literal.count, e);
	if (r < 0)
		return r;
	*ret = p;
	return 0;
}

int elevate_check_pattern(const char *pattern, struct err *e)
{
	auto_(arena_free) struct arena a = {0};
	struct words p = {0};
	int r = read_pattern(&a, pattern, &p, e);

	return r < 0 ? err_ctx(e, r, "pattern '%s'", show(pattern).text) : 0;
}

static size_t char_len(const char *text)
{
	uint32_t c = 0;
	size_t len = utf8_decode(text, strnlen(text, 4), &c);

	return len ? len : 1;
}

/* Goes back only to the last *, so time is bounded by the product of both lengths. */
static bool word_fits(const char *p, const char *word)
{
	const char *star = NULL, *retry = NULL;

	while (*word) {
		if (*p == SHELL_ANY) {
			star = p++;
			retry = word;
		} else if (*p == SHELL_ONE) {
			p++;
			word += char_len(word);
		} else if (*p == *word) {
			p++;
			word++;
		} else if (star) {
			p = star + 1;
			retry += char_len(retry);
			word = retry;
		} else {
			return false;
		}
	}
	while (*p == SHELL_ANY)
		p++;
	return *p == '\0';
}

static int fit_words(const struct words *p, char *const *argv, size_t count, struct err *why)
{
	size_t named = p->count - is_open(p);

	if (count < named)
		return err_set(why, ENOENT, "the command has %zu words, the pattern at least %zu",
			count, named);
	for (size_t i = 0; i < named; i++)
		if (!word_fits(p->v[i], argv[i]))
			return err_set(why, ENOENT,
				"word %zu '%s' is not what the pattern has there", i + 1,
				show(argv[i]).text);
	if (count > named && !is_open(p))
		return err_set(why, ENOENT, "the pattern ends before word %zu '%s'", named + 1,
			show(argv[named]).text);
	return 0;
}

/* Is the word, which fits, covered by * or ? of the pattern? */
static bool is_covered(const struct words *p, size_t index)
{
	return index >= p->count || has_magic(p->v[index]);
}

/* Words that the pattern spells out from its beginning on. */
static size_t fixed_words(const struct words *p)
{
	size_t n = 0;

	while (n < p->count && !has_magic(p->v[n]))
		n++;
	return n;
}

/* Parts of a path that lead upwards. */
static size_t count_climbs(const char *word)
{
	static const char ends[] = "/=:,";
	size_t n = 0;

	for (const char *p = strstr(word, ".."); p; p = strstr(p + 1, ".."))
		n += (p == word || strchr(ends, p[-1])) && (p[2] == '\0' || strchr(ends, p[2]));
	return n;
}

/* `cat /var/log/app-*` names a directory, and * does not lead out of it. */
static int check_climb(const struct words *p, char *const *argv, size_t count, struct err *why)
{
	for (size_t i = 0; i < p->count && i < count; i++)
		if (has_magic(p->v[i]) && !str_eq(p->v[i], rest) &&
			count_climbs(argv[i]) > count_climbs(p->v[i]))
			return err_set(why, EPERM,
				"word %zu '%s': '..' leads out of what the pattern names", i + 1,
				show(argv[i]).text);
	return 0;
}

static size_t index_of(char *const *argv, size_t from, const char *word)
{
	size_t i = from;

	while (argv[i] != word)
		i++;
	return i;
}

/* The first covered word that is risky; risky words that the pattern spells out are the operator's
 * wish. */
static int check_risk(const struct words *p, char *const *argv, size_t count, struct err *why)
{
	const char *reason = NULL, *word;

	for (size_t from = fixed_words(p); from < count; from++) {
		word = argrisk_find(argv, count, from, &reason);
		if (!word)
			return 0;
		from = index_of(argv, from, word);
		if (is_covered(p, from))
			return err_set(why, EPERM,
				"word %zu '%s', which '*' or '?' may not cover: %s", from + 1,
				show(word).text, reason);
	}
	return 0;
}

/* Does the pattern leave open what is run? */
static const char *find_never(const struct words *p)
{
	size_t fixed = fixed_words(p);

	return fixed < p->count ? argrisk_open(p->v, fixed) : NULL;
}

enum elevate_match elevate_match(
	const char *pattern, char *const *argv, size_t count, struct err *why)
{
	auto_(arena_free) struct arena a = {0};
	struct words p = {0};
	const char *never;

	if (shell_check_argv(argv, count, why) < 0 || read_pattern(&a, pattern, &p, why) < 0 ||
		fit_words(&p, argv, count, why) < 0)
		return ELEVATE_NO;
	never = find_never(&p);
	if (never) {
		err_set(why, EPERM, "no command can match: %s", never);
		return ELEVATE_RISK;
	}
	if (check_climb(&p, argv, count, why) < 0 || check_risk(&p, argv, count, why) < 0)
		return ELEVATE_RISK;
	return ELEVATE_YES;
}

const char *elevate_never(const char *pattern)
{
	auto_(arena_free) struct arena a = {0};
	struct words p = {0};

	if (read_pattern(&a, pattern, &p, NULL) < 0)
		return "it is not a pattern";
	return find_never(&p);
}
