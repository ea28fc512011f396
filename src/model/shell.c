/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is accepted is the part of the shell language in which sh, dash, bash, ksh and zsh agree
 * whatever their options are. Therefore more is refused than POSIX asks for: braces, history,
 * `=program`, `^`. Two passes: the first refuses characters that may stand nowhere, so the second
 * can go by bytes.
 */
#include "model/shell.h"

#include "base/macro.h"
#include "base/str.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What an unquoted character starts; the longest comes first. */
struct special {
	const char *text;
	const char *what;
};

static const struct special specials[] = {
	{"$((", "arithmetic expansion"},
	{"$(", "command substitution"},
	{"${", "parameter expansion"},
	{"$[", "arithmetic expansion"},
	{"$'", "quoting with escapes"},
	{"$\"", "quoting with translation"},
	{"$", "parameter expansion"},
	{"`", "command substitution"},
	{"<(", "process substitution"},
	{">(", "process substitution"},
	{"<<<", "here-string"},
	{"<<", "here-document"},
	{"<>", "redirection"},
	{"<&", "redirection"},
	{"<", "redirection"},
	{">>", "redirection"},
	{">&", "redirection"},
	{">|", "redirection"},
	{">", "redirection"},
	{"&&", "command list"},
	{"&>", "redirection"},
	{"&", "background command"},
	{"||", "command list"},
	{"|&", "pipe"},
	{"|", "pipe"},
	{";;", "case separator"},
	{";", "command list"},
	{"(", "subshell"},
	{")", "subshell"},
	{"{", "brace"},
	{"}", "brace"},
	{"!", "history or negation"},
	{"*", "file name pattern"},
	{"?", "file name pattern"},
	{"[", "file name pattern"},
	{NULL, NULL},
};

/* The same at the start of a word only. */
static const struct special starts[] = {
	{"#", "comment"},
	{"~", "home directory"},
	{"=", "program lookup"},
	{"^", "history"},
	{NULL, NULL},
};

/* The same inside double quotes. */
static const struct special inside[] = {
	{"$(", "command substitution"},
	{"${", "parameter expansion"},
	{"$", "parameter expansion"},
	{"`", "command substitution"},
	{"!", "history"},
	{NULL, NULL},
};

/* Of any shell in use, also where only some know them. */
static const char *const reserved[] = {"if", "then", "else", "elif", "fi", "do", "done", "case",
	"esac", "while", "until", "for", "in", "function", "select", "time", "coproc", "[[", "]]",
	"{", "}", "!", "repeat", "foreach", "end", "nocorrect", NULL};

static const char *const operators[] = {";", ";;", ";&", ";;&", "&", "&&", "|", "||", "|&", "<",
	"<<", "<<-", "<<<", "<>", "<&", ">", ">>", ">|", ">&", "&>", "&>>", "(", ")", "((", "))",
	"{", "}", "!", "[[", "]]", NULL};

struct lexer {
	const char *text;
	size_t len, pos;
	bool pattern;
	char *out;       /* words, each with its NUL, never longer than the text */
	size_t used;     /* of out */
	size_t start;    /* of the present word in out */
	size_t start_at; /* ... and in text */
	bool bare;       /* nothing in the present word was quoted */
	struct err *e;
};

static size_t column(const char *text, size_t pos)
{
	size_t n = 1;

	for (size_t i = 0; i < pos; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

static int refuse(const struct lexer *l, size_t pos, const char *what, const char *shown)
{
	return err_set(l->e, EINVAL, "%s '%s' at column %zu", what, shown, column(l->text, pos));
}

/* Characters that may stand nowhere, quoted or not; *ret_pos is where the first one is. */
static int check_characters(const char *text, size_t len, size_t *ret_pos, struct err *e)
{
	uint32_t c = 0;

	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(text + i, len - i, &c);
		*ret_pos = i;
		if (step == 0)
			return err_set(e, EINVAL, "byte \\x%02x that is not UTF-8",
				(unsigned char)text[i]);
		if (c == '\n')
			return err_set(e, EINVAL, "newline");
		if (c < 0x20 || c == 0x7f)
			return err_set(e, EINVAL, "control character \\x%02x", (unsigned)c);
		if (utf8_is_deceptive(c))
			return err_set(e, EINVAL, "character \\u{%04x}, which a reader cannot see",
				(unsigned)c);
	}
	return 0;
}

static int check_text(const char *text, size_t len, struct err *e)
{
	size_t pos = 0;
	struct err inner = {0};

	if (len > SHELL_MAX_TEXT)
		return err_set(e, EINVAL, "command of more than %zu KiB", SHELL_MAX_TEXT >> 10);
	if (check_characters(text, len, &pos, &inner) < 0)
		return err_set(e, EINVAL, "%s at column %zu", inner.text, column(text, pos));
	return 0;
}

static const struct special *find_special(const struct special *list, const char *at)
{
	for (; list->text; list++)
		if (*at == *list->text && str_starts(at, list->text))
			return list;
	return NULL;
}

static void keep(struct lexer *l, char c)
{
	l->out[l->used++] = c;
}

/* Bash and zsh find home directories inside words too, in what may be an assignment. */
static bool is_tilde_place(const struct lexer *l)
{
	return l->used > l->start && strchr(":=", l->out[l->used - 1]);
}

static int lex_plain(struct lexer *l)
{
	const char *at = l->text + l->pos;
	const struct special *s = NULL;

	if (l->pattern && (*at == '*' || *at == '?')) {
		keep(l, *at == '*' ? SHELL_ANY : SHELL_ONE);
		l->pos++;
		return 0;
	}
	/* A word that began with empty quotes still counts as empty: shells differ there. */
	if (l->used == l->start || (*at == '~' && is_tilde_place(l)))
		s = find_special(starts, at);
	if (!s)
		s = find_special(specials, at);
	if (s)
		return refuse(l, l->pos, s->what, s->text);
	keep(l, *at);
	l->pos++;
	return 0;
}

static int lex_single(struct lexer *l)
{
	const char *from = l->text + l->pos + 1, *end = strchr(from, '\'');

	l->bare = false;
	if (!end)
		return refuse(l, l->pos, "open quote", "'");
	memcpy(l->out + l->used, from, (size_t)(end - from));
	l->used += (size_t)(end - from);
	l->pos = (size_t)(end - l->text) + 1;
	return 0;
}

/* A backslash that means something inside double quotes. */
static bool is_escape(const char *at)
{
	return at[0] == '\\' && at[1] && strchr("$`\"\\", at[1]);
}

static int lex_double(struct lexer *l)
{
	size_t open = l->pos++;

	l->bare = false;
	while (l->text[l->pos] != '"') {
		const char *at = l->text + l->pos;
		const struct special *s = find_special(inside, at);

		if (*at == '\0')
			return refuse(l, open, "open quote", "\"");
		if (s)
			return refuse(l, l->pos, s->what, s->text);
		if (is_escape(at))
			l->pos++;
		keep(l, l->text[l->pos++]);
	}
	l->pos++;
	return 0;
}

static int lex_backslash(struct lexer *l)
{
	l->bare = false;
	if (l->text[l->pos + 1] == '\0')
		return refuse(l, l->pos, "backslash with nothing behind it", "\\");
	/* The rest of a longer character follows as plain bytes, which mean nothing to a shell. */
	keep(l, l->text[l->pos + 1]);
	l->pos += 2;
	return 0;
}

static int lex_word(struct lexer *l)
{
	int r = 0;

	l->start = l->used;
	l->start_at = l->pos;
	l->bare = true;
	while (r == 0 && l->pos < l->len && l->text[l->pos] != ' ') {
		if (l->text[l->pos] == '\'')
			r = lex_single(l);
		else if (l->text[l->pos] == '"')
			r = lex_double(l);
		else if (l->text[l->pos] == '\\')
			r = lex_backslash(l);
		else
			r = lex_plain(l);
	}
	keep(l, '\0');
	return r;
}

/* The word that names the program. */
static int check_first(const struct lexer *l, const char *word)
{
	if (*word == '\0')
		return err_set(l->e, EINVAL, "empty program name at column %zu",
			column(l->text, l->start_at));
	if (l->bare && str_in(word, reserved))
		return refuse(l, l->start_at, "reserved word", word);
	/* Quoted it would be a program of that name, which nobody has. */
	if (strchr(word, '='))
		return err_set(l->e, EINVAL, "assignment in front of the command at column %zu",
			column(l->text, l->start_at));
	return 0;
}

static int lex_all(struct lexer *l, struct words *found)
{
	int r = 0;

	while (r == 0) {
		while (l->text[l->pos] == ' ')
			l->pos++;
		if (l->pos == l->len)
			break;
		if (found->count == SHELL_MAX_WORDS)
			return err_set(
				l->e, EINVAL, "command of more than %d words", SHELL_MAX_WORDS);
		r = lex_word(l);
		if (r == 0 && found->count == 0)
			r = check_first(l, l->out + l->start);
		found->v[found->count++] = l->out + l->start;
	}
	if (r == 0 && found->count == 0)
		return err_set(l->e, EINVAL, "no command");
	return r;
}

static int lex(struct arena *a, const char *text, bool pattern, struct words *ret, struct err *e)
{
	size_t len = strnlen(text, SHELL_MAX_TEXT + 1);
	int r = check_text(text, len, e);

	if (r < 0)
		return r;

	size_t most = len / 2 + 1 < SHELL_MAX_WORDS ? len / 2 + 1 : SHELL_MAX_WORDS;
	struct words found = {.v = arena_array(a, most + 1, sizeof(*found.v))};
	struct lexer l = {.text = text, .len = len, .pattern = pattern, .e = e};

	l.out = arena_alloc(a, len + 2);
	r = lex_all(&l, &found);
	if (r < 0)
		return r;
	*ret = found;
	return 0;
}

int shell_words(struct arena *a, const char *text, struct words *ret, struct err *e)
{
	return lex(a, text, false, ret, e);
}

int shell_pattern(struct arena *a, const char *text, struct words *ret, struct err *e)
{
	return lex(a, text, true, ret, e);
}

static int check_word(const char *word, size_t len, size_t index, struct err *e)
{
	size_t pos = 0;
	struct err inner = {0};

	if (check_characters(word, len, &pos, &inner) < 0)
		return err_set(e, EINVAL, "%s in word %zu", inner.text, index + 1);
	if (str_in(word, operators))
		return err_set(e, EINVAL, "word %zu is the shell operator '%s'", index + 1, word);
	return 0;
}

int shell_check_argv(char *const *argv, size_t count, struct err *e)
{
	size_t total = 0;

	if (count == 0 || !argv[0] || argv[0][0] == '\0')
		return err_set(e, EINVAL, "no program name");
	if (count > SHELL_MAX_WORDS)
		return err_set(e, EINVAL, "command of more than %d words", SHELL_MAX_WORDS);
	if (strchr(argv[0], '='))
		return err_set(e, EINVAL, "assignment in place of the program name");
	for (size_t i = 0; i < count; i++) {
		size_t len = argv[i] ? strnlen(argv[i], SHELL_MAX_TEXT + 1) : 0;
		int r;

		total += len + 1;
		if (total > SHELL_MAX_TEXT + 1)
			return err_set(
				e, EINVAL, "command of more than %zu KiB", SHELL_MAX_TEXT >> 10);
		if (!argv[i])
			return err_set(e, EINVAL, "word %zu is missing", i + 1);
		r = check_word(argv[i], len, i, e);
		if (r < 0)
			return r;
	}
	return 0;
}
