/* SPDX-License-Identifier: Apache-2.0 */
#include "json/toml_lex.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/where.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Positions only go forward, so counting costs one pass over the text in all. */
static void count_to(struct toml_lex *l, const char *p)
{
	for (; l->counted < p; l->counted++) {
		unsigned char c = (unsigned char)*l->counted;

		if (c == '\n') {
			l->line++;
			l->column = 1;
		} else if ((c & 0xc0) != 0x80) {
			l->column++;
		}
	}
}

printf_like(4, 0) static int fail_at(
	struct toml_lex *l, uint32_t line, uint32_t column, const char *fmt, va_list ap)
{
	const struct source source = {.name = l->name, .level = LEVEL_CALLER};
	const struct where at = {.source = &source, .line = line, .column = column};
	char where[WHERE_TEXT], what[300];

	where_text(&at, where);
	vsnprintf(what, sizeof what, fmt, ap);
	return err_set(l->e, EINVAL, "%s: %s", where, what);
}

int toml_lex_fail(struct toml_lex *l, const char *at, const char *fmt, ...)
{
	va_list ap;
	int rc;

	count_to(l, at);
	va_start(ap, fmt);
	rc = fail_at(l, l->line, l->column, fmt, ap);
	va_end(ap);
	return rc;
}

int toml_lex_fail_key(struct toml_lex *l, const struct toml_key *key, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = fail_at(l, key->line, key->column, fmt, ap);
	va_end(ap);
	return rc;
}

int toml_lex_unexpected(struct toml_lex *l, const char *wanted)
{
	auto_(buf_free) struct buf shown = BUF(64);
	uint32_t c;

	if (l->p >= l->end)
		return toml_lex_fail(l, l->end, "the text ends where %s should stand", wanted);
	if (*l->p == '\n' || *l->p == '\r')
		return toml_lex_fail(l, l->p, "the line ends where %s should stand", wanted);
	escape_bytes(&shown, l->p, utf8_decode(l->p, (size_t)(l->end - l->p), &c));
	return toml_lex_fail(l, l->p, "'%s' where %s should stand", buf_text(&shown), wanted);
}

void toml_lex_here(struct toml_lex *l, uint32_t *ret_line, uint32_t *ret_column)
{
	count_to(l, l->p);
	*ret_line = l->line;
	*ret_column = l->column;
}

bool toml_lex_at(const struct toml_lex *l, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(l->end - l->p) >= len && memcmp(l->p, text, len) == 0;
}

/* A carriage return is only part of a line end; no other control character but the tab is text. */
static bool is_control(const struct toml_lex *l, const char *p, uint32_t c)
{
	if (c == '\r')
		return p + 1 >= l->end || p[1] != '\n';
	return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

int toml_lex_check(struct toml_lex *l)
{
	const char *p = l->p;

	if (toml_lex_at(l, "\xef\xbb\xbf"))
		return toml_lex_fail(
			l, p, "a byte order mark is not allowed; save the file as plain UTF-8");
	while (p < l->end) {
		uint32_t c;
		size_t len = utf8_decode(p, (size_t)(l->end - p), &c);

		if (len == 0)
			return toml_lex_fail(l, p, "byte 0x%02x is not UTF-8", (unsigned char)*p);
		if (is_control(l, p, c))
			return toml_lex_fail(l, p, "control character 0x%02x is not allowed", c);
		p += len;
	}
	return 0;
}

void toml_lex_blank(struct toml_lex *l)
{
	while (l->p < l->end && (*l->p == ' ' || *l->p == '\t'))
		l->p++;
}

static bool skip_newline(struct toml_lex *l)
{
	if (toml_lex_at(l, "\r\n"))
		l->p += 2;
	else if (toml_lex_at(l, "\n"))
		l->p++;
	else
		return false;
	return true;
}

static void skip_comment(struct toml_lex *l)
{
	if (l->p < l->end && *l->p == '#')
		while (l->p < l->end && *l->p != '\n' && *l->p != '\r')
			l->p++;
}

void toml_lex_lines(struct toml_lex *l)
{
	do {
		toml_lex_blank(l);
		skip_comment(l);
	} while (skip_newline(l));
}

int toml_lex_line_end(struct toml_lex *l)
{
	toml_lex_blank(l);
	skip_comment(l);
	if (l->p < l->end && !skip_newline(l))
		return toml_lex_unexpected(l, "the end of the line");
	return 0;
}

/* After \u or \U: that many hex digits, the number of one character. */
static int read_code_point(struct toml_lex *l, const char *at, unsigned digits)
{
	uint32_t c = 0;
	char bytes[4];

	for (unsigned i = 0; i < digits; i++, l->p++) {
		int digit = l->p < l->end ? str_hex_digit(*l->p) : -1;

		if (digit < 0)
			return toml_lex_fail(l, at, "this escape needs %u hex digits", digits);
		c = c * 16 + (uint32_t)digit;
	}
	if (c == 0)
		return toml_lex_fail(l, at, "a NUL character is not allowed");
	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return toml_lex_fail(l, at, "this escape is not a character");
	buf_add(&l->text, bytes, utf8_encode(c, bytes));
	return 0;
}

/* A backslash at the end of a line: everything blank up to the next word is left out. */
static bool skip_folded(struct toml_lex *l)
{
	const char *start = l->p;

	toml_lex_blank(l);
	if (!skip_newline(l)) {
		l->p = start;
		return false;
	}
	do
		toml_lex_blank(l);
	while (skip_newline(l));
	return true;
}

static int read_escape(struct toml_lex *l, bool multi)
{
	static const char from[] = "btnfr\"\\", to[] = "\b\t\n\f\r\"\\";
	const char *at = l->p++;
	const char *known;

	if (multi && skip_folded(l))
		return 0;
	if (l->p >= l->end)
		return toml_lex_fail(l, at, "the text ends inside a string");
	known = strchr(from, *l->p);
	if (known) {
		l->p++;
		buf_putc(&l->text, to[known - from]);
		return 0;
	}
	if (*l->p == 'u' || *l->p == 'U')
		return read_code_point(l, at, *l->p++ == 'u' ? 4 : 8);
	return toml_lex_fail(
		l, at, "unknown escape; a plain backslash is written \\\\ or in single quotes");
}

/* At the closing quotes? Up to two more quotes in front of the three belong to the string. */
static bool read_closing(struct toml_lex *l, const char *quotes, bool multi)
{
	if (!multi) {
		if (*l->p != quotes[0])
			return false;
		l->p++;
		return true;
	}
	if (!toml_lex_at(l, quotes))
		return false;
	l->p += 3;
	for (int i = 0; i < 2 && l->p < l->end && *l->p == quotes[0]; i++, l->p++)
		buf_putc(&l->text, quotes[0]);
	return true;
}

/* One character or escape of a string. */
static int read_string_part(struct toml_lex *l, bool literal, bool multi)
{
	if (*l->p == '\\' && !literal)
		return read_escape(l, multi);
	if (*l->p == '\r' || *l->p == '\n') {
		if (!multi)
			return toml_lex_fail(l, l->p, "a line ends inside a string");
		skip_newline(l);
		buf_putc(&l->text, '\n');
		return 0;
	}
	buf_putc(&l->text, *l->p++);
	return 0;
}

static int read_string(struct toml_lex *l, bool may_be_multi, const char **ret)
{
	const char *start = l->p;
	bool literal = *start == '\'';
	const char *quotes = literal ? "'''" : "\"\"\"";
	bool multi = may_be_multi && toml_lex_at(l, quotes);

	l->p += multi ? 3 : 1;
	if (multi)
		skip_newline(l);
	buf_reset(&l->text);
	while (l->p < l->end) {
		int rc;

		if (read_closing(l, quotes, multi)) {
			*ret = arena_text(l->arena, buf_text(&l->text), l->text.len);
			return 0;
		}
		rc = read_string_part(l, literal, multi);
		if (rc < 0)
			return rc;
	}
	return toml_lex_fail(l, start, "string without an end");
}

static bool is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

int toml_lex_key(struct toml_lex *l, struct toml_key *ret)
{
	const char *start = l->p;

	toml_lex_here(l, &ret->line, &ret->column);
	if (l->p < l->end && (*l->p == '"' || *l->p == '\''))
		return read_string(l, false, &ret->text);
	while (l->p < l->end && is_bare(*l->p))
		l->p++;
	if (l->p == start)
		return toml_lex_unexpected(l, "a key");
	ret->text = arena_text(l->arena, start, (size_t)(l->p - start));
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 1979-05-27... and 07:32... */
static bool is_date(const char *t)
{
	if (!is_digit(t[0]) || !is_digit(t[1]))
		return false;
	return t[2] == ':' || (is_digit(t[2]) && is_digit(t[3]) && t[4] == '-');
}

/* Digits of that set, single underscores between them. */
static bool eat_digits(const char **io, const char *set)
{
	const char *t = *io;

	if (!*t || !strchr(set, *t))
		return false;
	while (*t && (strchr(set, *t) || (*t == '_' && t[1] && strchr(set, t[1]))))
		t++;
	*io = t;
	return true;
}

static bool is_prefixed_number(const char *t)
{
	static const struct {
		const char *prefix, *set;
	} bases[] = {
		{"0x", "0123456789abcdefABCDEF"},
		{"0o", "01234567"},
		{"0b", "01"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bases); i++)
		if (str_starts(t, bases[i].prefix)) {
			t += 2;
			return eat_digits(&t, bases[i].set) && *t == '\0';
		}
	return false;
}

static bool is_number(const char *t)
{
	static const char digits[] = "0123456789";

	if (is_prefixed_number(t))
		return true;
	if (*t == '+' || *t == '-')
		t++;
	if (str_eq(t, "inf") || str_eq(t, "nan"))
		return true;
	if (*t == '0' && (is_digit(t[1]) || t[1] == '_'))
		return false;
	if (!eat_digits(&t, digits))
		return false;
	if (*t == '.') {
		t++;
		if (!eat_digits(&t, digits))
			return false;
	}
	if (*t == 'e' || *t == 'E') {
		t++;
		if (*t == '+' || *t == '-')
			t++;
		if (!eat_digits(&t, digits))
			return false;
	}
	return *t == '\0';
}

/* The spelling that the rest of the program reads. */
static const char *plain_number(struct toml_lex *l, const char *t)
{
	buf_reset(&l->text);
	for (t += *t == '+'; *t; t++)
		if (*t != '_')
			buf_putc(&l->text, *t);
	return arena_text(l->arena, buf_text(&l->text), l->text.len);
}

static int read_word(struct toml_lex *l, struct node *ret)
{
	auto_(buf_free) struct buf shown = BUF(60);
	const char *start = l->p;
	const char *word;

	while (l->p < l->end && (is_bare(*l->p) || strchr("+.:", *l->p)))
		l->p++;
	if (l->p == start)
		return toml_lex_unexpected(l, "a value");
	word = arena_text(l->arena, start, (size_t)(l->p - start));
	if (str_eq(word, "true") || str_eq(word, "false")) {
		ret->type = NODE_BOOL;
		ret->boolean = word[0] == 't';
		return 0;
	}
	escape_text(&shown, word);
	if (is_date(word))
		return toml_lex_fail(l, start,
			"'%s': dates and times are not supported; write it in quotes",
			buf_text(&shown));
	if (!is_number(word))
		return toml_lex_fail(
			l, start, "'%s' is not a value; texts need quotes", buf_text(&shown));
	ret->type = NODE_NUMBER;
	ret->text = plain_number(l, word);
	return 0;
}

int toml_lex_scalar(struct toml_lex *l, struct node *ret)
{
	int rc;

	if (l->p < l->end && (*l->p == '"' || *l->p == '\'')) {
		const char *text;

		rc = read_string(l, true, &text);
		if (rc < 0)
			return rc;
		ret->type = NODE_TEXT;
		ret->text = text;
		return 0;
	}
	return read_word(l, ret);
}
