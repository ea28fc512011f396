/* SPDX-License-Identifier: Apache-2.0 */
#include "model/argrisk.h"

#include "base/macro.h"
#include "model/argrisk_rows.h"
#include "model/runner.h"
#include "model/wordlist.h"

#include <string.h>
#include <strings.h>

/* Nobody writes more letters behind one dash; what might be hidden there is not worth the time. */
#define BUNDLE_MAX 64

static const char *const effects[] = {
	[ARGRISK_RUNS] = "it makes the program run other code",
	[ARGRISK_CONFIG] =
		"it makes the program take settings, sources or its target from elsewhere",
	[ARGRISK_FILES] = "it makes the program read or write files of any name",
	[ARGRISK_RIGHTS] = "it gives what the program starts more of the host",
};
_Static_assert(ARRAY_LEN(effects) == ARGRISK_EFFECTS, "one sentence for each effect");

static const char why_unnamed[] =
	"a command of the program runs other programs or code, which have to be written out";
static const char why_value[] =
	"a risky option takes the next word as its value, which has to be written out";
static const char why_variable[] = "it sets a variable of the program";

static const struct argrisk_row *find_row(const char *program)
{
	for (int versioned = 0; versioned < 2; versioned++)
		for (const struct argrisk_row *row = argrisk_rows; row->programs; row++)
			if (wordlist_names(row->programs, program, versioned))
				return row;
	return NULL;
}

/* A command of which the words before `first` are fixed. */
struct command {
	const struct argrisk_row *row; /* NULL: none for this program */
	char *const *argv;
	size_t count;
	size_t first;
	size_t sub; /* index of the subcommand, or count; 0 = it cannot be told */
};

/* What an item says about a word. */
enum match {
	MATCH_NO,
	MATCH_YES,
	MATCH_NEXT, /* yes, and about the word behind it too */
};

/* Is the text the item, or with `cut` its beginning? Some programs write _ for -. */
static bool same(const char *text, size_t len, const char *item, size_t item_len, bool cut)
{
	if (len == 0 || len > item_len || (!cut && len != item_len))
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] != item[i] && !(text[i] == '_' && item[i] == '-'))
			return false;
	return true;
}

/* The item without the marks at its end; returns how many there were. */
static size_t strip_marks(struct wordlist_item *it, char mark)
{
	size_t marks = 0;

	for (; it->len > 0 && it->text[it->len - 1] == mark; it->len--)
		marks++;
	return marks;
}

static bool is_fine(const struct command *c, const char *text, size_t len)
{
	return wordlist_has(argrisk_rows_any.fine, text, len) ||
	       (c->row && (wordlist_has(c->row->fine, text, len) ||
				  wordlist_has(c->row->flags, text, len)));
}

/* Number of dashes that begin a long option in this word, 0 when it is none. */
static size_t long_dashes(const struct command *c, const char *word)
{
	size_t dashes = strspn(word, "-");

	if (c->row && c->row->dashes)
		return dashes > 1 || (dashes == 1 && strlen(word) > 2) ? dashes : 0;
	return dashes >= 2 ? 2 : 0;
}

static enum match match_long(const struct command *c, struct wordlist_item it, const char *word)
{
	size_t dashes = long_dashes(c, word), len = strcspn(word, "=");
	bool value = strip_marks(&it, '=') > 0;

	if (dashes == 0 || len <= dashes || is_fine(c, word, len))
		return MATCH_NO;
	if (!same(word + dashes, len - dashes, it.text + 2, it.len - 2, true))
		return MATCH_NO;
	return value && word[len] == '\0' ? MATCH_NEXT : MATCH_YES;
}

/* Long options with one dash; two are the same to the programs that use them. */
static enum match match_single(const struct command *c, struct wordlist_item it, const char *word)
{
	size_t dashes = strspn(word, "-"), len = strcspn(word, "=");
	bool value = strip_marks(&it, '=') > 0, cut = c->row && c->row->cut;

	if (dashes == 0 || dashes > 2 || len <= dashes)
		return MATCH_NO;
	if (!same(word + dashes, len - dashes, it.text + 1, it.len - 1, cut))
		return MATCH_NO;
	return value && word[len] == '\0' ? MATCH_NEXT : MATCH_YES;
}

/* Is the word at the index below the subcommand of that name? Yes also where nobody can tell. */
static bool is_below(const struct command *c, size_t index, const char *name, size_t len)
{
	if (c->sub == 0)
		return true;
	if (len == 0 || index <= c->sub)
		return len == 0 && index < c->sub;
	return same(c->argv[c->sub], strlen(c->argv[c->sub]), name, len, c->row && c->row->cut);
}

/* A harmless letter with a value: what follows it in a bundle is no option. Only where that is
 * certain. */
static bool takes_value(const struct command *c, size_t index, char letter)
{
	const char *list = c->row ? c->row->values : NULL;
	struct wordlist_item it;

	while (wordlist_next(&list, &it)) {
		const char *mark = memchr(it.text, '>', it.len);
		size_t name = mark ? (size_t)(mark - it.text) : 0;
		size_t skip = mark ? name + 1 : 0;

		if (mark && (c->sub == 0 || !is_below(c, index, it.text, name)))
			continue;
		if (memchr(it.text + skip, letter, it.len - skip))
			return true;
	}
	return false;
}

static enum match match_letter(const struct command *c, struct wordlist_item it, size_t index)
{
	const char *word = c->argv[index];
	char mark = it.len == 3 ? it.text[2] : '\0';
	bool dash = word[0] == '-';

	if (dash ? word[1] == '-' : !(index == 1 && c->row && c->row->bare))
		return MATCH_NO;
	for (const char *p = word + dash; *p; p++) {
		if (p - word > BUNDLE_MAX)
			return MATCH_YES;
		if (*p == it.text[1] && (mark != '@' || p[1] == '@'))
			return mark == ':' && p[1] == '\0' ? MATCH_NEXT : MATCH_YES;
		if (dash && takes_value(c, index, *p))
			return MATCH_NO;
	}
	return MATCH_NO;
}

/* text*, *text and *text*; those that begin with a dash mean options, where case counts. */
static bool match_glob(struct wordlist_item it, const char *word)
{
	bool open = it.text[0] == '*', ends = it.text[it.len - 1] != '*';
	const char *text = it.text + open;
	size_t part = it.len - open - !ends, len = strlen(word);

	if (len < part)
		return false;
	if (!open)
		return (text[0] == '-' ? strncmp : strncasecmp)(word, text, part) == 0;
	if (ends)
		return strncasecmp(word + len - part, text, part) == 0;
	for (size_t i = 0; i + part <= len; i++)
		if (strncasecmp(word + i, text, part) == 0)
			return true;
	return false;
}

static enum match match_text(struct wordlist_item it, const char *word)
{
	const char *value = word[0] == '-' ? strchr(word, '=') : NULL;

	return match_glob(it, word) || (value && match_glob(it, value + 1)) ? MATCH_YES : MATCH_NO;
}

/* The subcommand itself; with `below` a second one, anywhere behind the first. */
static enum match match_command(
	const struct command *c, struct wordlist_item it, size_t index, bool below)
{
	const char *word = c->argv[index];
	size_t len = strlen(word);
	bool cut = c->row && c->row->cut;

	strip_marks(&it, '=');
	if (c->sub && !below && index != c->sub)
		return MATCH_NO;
	return !is_fine(c, word, len) && same(word, len, it.text, it.len, cut) ? MATCH_YES
									       : MATCH_NO;
}

static bool is_letter(const struct wordlist_item *it)
{
	return it->len == 2 || (it->len == 3 && strchr(":@", it->text[2]));
}

static enum match match_item(const struct command *c, struct wordlist_item it, size_t index)
{
	const char *word = c->argv[index], *mark = memchr(it.text, '>', it.len);
	bool below = mark != NULL;

	if (mark) {
		size_t name = (size_t)(mark - it.text);

		if (!is_below(c, index, it.text, name))
			return MATCH_NO;
		it.text += name + 1;
		it.len -= name + 1;
	}
	if (memchr(it.text, '*', it.len))
		return match_text(it, word);
	if (it.text[0] != '-')
		return match_command(c, it, index, below);
	if (it.text[1] == '-')
		return match_long(c, it, word);
	return is_letter(&it) ? match_letter(c, it, index) : match_single(c, it, word);
}

/* What a row says about a word: the first item that matches, or with `next` the first that has the
 * next word as its value. */
static const char *match_row(
	const struct command *c, const struct argrisk_row *row, size_t index, bool next)
{
	for (size_t i = 0; i < ARGRISK_EFFECTS; i++) {
		const char *list = row->risk[i];
		struct wordlist_item it;

		while (wordlist_next(&list, &it)) {
			enum match m = match_item(c, it, index);

			if (next ? m == MATCH_NEXT : m != MATCH_NO)
				return effects[i];
		}
	}
	return NULL;
}

static const char *match_word(const struct command *c, size_t index, bool next)
{
	const char *why = c->row ? match_row(c, c->row, index, next) : NULL;

	if (!why)
		why = match_row(c, &argrisk_rows_any, index, next);
	if (!why && !next && c->row && c->row->assign && c->argv[index][0] != '-' &&
		strchr(c->argv[index], '='))
		why = why_variable;
	return why;
}

/* Operands between a word and the first one that is not fixed. */
static size_t operands_behind(const struct command *c, size_t index)
{
	size_t n = 0;

	for (size_t i = index + 1; i < c->first; i++)
		n += c->argv[i][0] != '-';
	return n;
}

/* A fixed subcommand that runs something (`poetry run`), without saying what. */
static const char *open_command(const struct command *c, size_t index)
{
	const char *list = c->row->risk[ARGRISK_RUNS];
	struct wordlist_item it;

	while (wordlist_next(&list, &it)) {
		const char *mark = memchr(it.text, '>', it.len);
		struct wordlist_item bare = it;
		size_t wanted = strip_marks(&bare, '=');

		if (wanted == 0 || it.text[0] == '-' || (mark && mark[1] == '-'))
			continue;
		if (match_item(c, it, index) != MATCH_NO && operands_behind(c, index) < wanted)
			return why_unnamed;
	}
	return NULL;
}

/* Fixed words can leave it to the next word what the program does. */
static const char *left_open(const struct command *c)
{
	const char *why = NULL;

	if (c->first > 1 && match_word(c, c->first - 1, true))
		return why_value;
	for (size_t i = 1; !why && c->row && i < c->first; i++)
		why = open_command(c, i);
	return why;
}

/* How many words an option in front of the subcommand takes; 0 when that is not certain. */
static size_t option_words(const struct command *c, size_t index)
{
	const char *word = c->argv[index];
	bool is_long = word[1] == '-';

	if (!c->row || c->row->dashes || c->row->bare)
		return 0;
	if ((is_long && strchr(word, '=')) || wordlist_has(c->row->flags, word, strlen(word)))
		return 1;
	if (match_row(c, c->row, index, true))
		return is_long || strlen(word) == 2 ? 2 : 0;
	return !is_long && strlen(word) == 2 && takes_value(c, index, word[1]) ? 2 : 0;
}

static size_t find_subcommand(const struct command *c)
{
	struct command head = *c;

	/* Up to where it is found, nothing stands behind a subcommand. */
	head.sub = c->count;
	for (size_t i = 1, step; i < c->count; i += step) {
		if (c->argv[i][0] != '-')
			return i;
		step = option_words(&head, i);
		if (step == 0)
			break;
	}
	return 0;
}

static struct command read_command(char *const *argv, size_t count, size_t first)
{
	struct command c = {.row = find_row(argv[0]), .argv = argv, .count = count, .first = first};

	c.sub = find_subcommand(&c);
	return c;
}

static const char *scan(const struct command *c, const char **ret_why)
{
	const char *why = left_open(c);

	for (size_t i = c->first; i < c->count; i++) {
		if (!why)
			why = match_word(c, i, false);
		if (why) {
			*ret_why = why;
			return c->argv[i];
		}
	}
	return NULL;
}

const char *argrisk_find(char *const *argv, size_t count, size_t first, const char **ret_why)
{
	size_t program = 0;
	bool script = false;
	const char *why;

	if (first >= count)
		return NULL;
	why = runner_find(argv, first, &program, &script);
	if (why) {
		*ret_why = why;
		return argv[first];
	}
	if (script)
		return NULL;

	struct command c = read_command(argv + program, count - program, first - program);

	return scan(&c, ret_why);
}

const char *argrisk_open(char *const *argv, size_t fixed)
{
	size_t program = 0;
	bool script = false;
	const char *why = runner_find(argv, fixed, &program, &script);

	if (why || script)
		return why;

	struct command c = read_command(argv + program, fixed - program, fixed - program);

	return left_open(&c);
}
