/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_words.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/where.h"

#include <errno.h>
#include <string.h>

/* A command line is short; whatever is longer is another kind of file. */
#define WORDS_MAX 1000

struct word {
	const char *text;
	uint32_t line;
	uint32_t column;
};

struct reader {
	const char *name;
	const char *p;
	const char *end;
	uint32_t line;
	uint32_t column;
	struct buf text; /* the word that is being read */
	struct err *e;
};

static void reader_free(struct reader *r)
{
	buf_free(&r->text);
}

static int fail(
	struct reader *r, uint32_t line, uint32_t column, const char *what, const char *word)
{
	const struct source source = {.name = r->name, .level = LEVEL_CALLER};
	const struct where at = {.source = &source, .line = line, .column = column};
	auto_(buf_free) struct buf shown = BUF(80);
	char place[WHERE_TEXT];

	where_text(&at, place);
	escape_text(&shown, word);
	return err_set(r->e, EINVAL, "%s: %s%s", place, buf_text(&shown), what);
}

static char next(struct reader *r)
{
	char c = *r->p++;

	if (c == '\n') {
		r->line++;
		r->column = 1;
	} else if (((unsigned char)c & 0xc0) != 0x80) {
		r->column++;
	}
	return c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Blanks, comments, and the backslash at the end of a line that goes on below. */
static void skip_blank(struct reader *r)
{
	while (r->p < r->end) {
		bool joins = r->end - r->p >= 2 && r->p[0] == '\\' && r->p[1] == '\n';

		if (*r->p == '#')
			while (r->p < r->end && *r->p != '\n')
				next(r);
		else if (is_blank(*r->p) || joins)
			next(r);
		else
			break;
	}
}

/* From one quote to the next. */
static int read_quoted(struct reader *r)
{
	uint32_t line = r->line, column = r->column;
	char quote = next(r);

	while (r->p < r->end && *r->p != quote) {
		if (quote == '"' && *r->p == '\\' && r->end - r->p >= 2 &&
			strchr("\"\\$`", r->p[1]))
			next(r);
		buf_putc(&r->text, next(r));
	}
	if (r->p >= r->end)
		return fail(r, line, column, "quote without an end", "");
	next(r);
	return 0;
}

static int read_word(struct reader *r, struct arena *a, struct word *ret)
{
	ret->line = r->line;
	ret->column = r->column;
	buf_reset(&r->text);
	while (r->p < r->end && !is_blank(*r->p)) {
		if (*r->p == '\'' || *r->p == '"') {
			int rc = read_quoted(r);

			if (rc < 0)
				return rc;
			continue;
		}
		if (*r->p == '\\' && r->end - r->p >= 2)
			next(r);
		buf_putc(&r->text, next(r));
	}
	ret->text = arena_text(a, buf_text(&r->text), r->text.len);
	return 0;
}

static struct node text_node(const struct word *w, const char *text)
{
	return (struct node){.type = NODE_TEXT, .line = w->line, .column = w->column, .text = text};
}

struct collected {
	struct member *options;
	size_t option_count;
	struct node *plain;
	uint32_t plain_count;
};

/* One option; *io_at moves on to its value when that is the next word. */
static void add_option(struct arena *a, const struct word *words, size_t count, size_t *io_at,
	const char *const *flags, struct collected *c)
{
	const struct word *w = &words[*io_at];
	const char *equals = strchr(w->text, '=');
	const struct word *value = *io_at + 1 < count ? &words[*io_at + 1] : NULL;
	struct member *m = &c->options[c->option_count++];

	m->key = equals ? arena_text(a, w->text, (size_t)(equals - w->text)) : w->text;
	m->line = w->line;
	m->column = w->column;
	if (equals) {
		m->value = text_node(w, equals + 1);
	} else if (!value || value->text[0] == '-' || str_in(w->text, flags)) {
		m->value = text_node(w, NULL);
		m->value.type = NODE_BOOL;
		m->value.boolean = true;
	} else {
		m->value = text_node(value, value->text);
		++*io_at;
	}
}

static int collect(struct reader *r, struct arena *a, const struct word *words, size_t count,
	const char *const *flags, struct collected *ret)
{
	struct collected c = {
		.options = arena_array(a, count + 1, sizeof *c.options),
		.plain = arena_array(a, count, sizeof *c.plain),
	};
	size_t twice;

	for (size_t i = 0; i < count; i++) {
		if (str_starts(words[i].text, "-"))
			add_option(a, words, count, &i, flags, &c);
		else
			c.plain[c.plain_count++] = text_node(&words[i], words[i].text);
	}
	if (tree_has_duplicate(c.options, c.option_count, &twice))
		return fail(r, c.options[twice].line, c.options[twice].column, " stands here twice",
			c.options[twice].key);
	*ret = c;
	return 0;
}

static void build(struct collected *c, struct node *ret)
{
	if (c->plain_count)
		c->options[c->option_count++] = (struct member){
			.key = "",
			.line = c->plain[0].line,
			.column = c->plain[0].column,
			.value = {.type = NODE_ARRAY,
				.line = c->plain[0].line,
				.column = c->plain[0].column,
				.count = c->plain_count,
				.items = c->plain},
		};
	*ret = (struct node){.type = NODE_OBJECT,
		.line = 1,
		.column = 1,
		.count = (uint32_t)c->option_count,
		.members = c->options};
}

int import_words(struct arena *a, const char *name, const char *text, size_t len,
	const char *const *flags, struct node *ret, struct err *e)
{
	auto_(reader_free) struct reader r = {.name = name,
		.p = text,
		.end = text + len,
		.line = 1,
		.column = 1,
		.text = BUF(TREE_MAX_BYTES),
		.e = e};
	struct word *words = arena_array(a, WORDS_MAX, sizeof *words);
	struct collected c = {0};
	size_t count = 0;
	int rc;

	if (len > TREE_MAX_BYTES || !utf8_valid(text, len) || memchr(text, '\0', len))
		return fail(&r, 1, 1, "neither a command line nor JSON", "");
	for (skip_blank(&r); r.p < r.end; skip_blank(&r)) {
		if (count == WORDS_MAX)
			return fail(&r, r.line, r.column, "too many words for a command line", "");
		rc = read_word(&r, a, &words[count++]);
		if (rc < 0)
			return rc;
	}
	rc = collect(&r, a, words, count, flags, &c);
	if (rc < 0)
		return rc;
	build(&c, ret);
	return 0;
}
