/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json5.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "base/where.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Long because it is one grammar: each function reads one of its rules. */

/*
 * A recursive reader, at most TREE_MAX_DEPTH deep. Children are collected on two stacks that all
 * levels share and copied to the arena when their array or object ends. The text was checked as a
 * whole before the first token (UTF-8, no NUL, no byte order mark), so the tokens need not look at
 * bytes again.
 */
#define READER_KEYS 64

struct reader {
	struct arena *arena;
	const char *name;
	const char *p;
	const char *end;
	const char *counted; /* up to here line and column are known */
	uint32_t line;
	uint32_t column;
	unsigned depth;
	struct node *nodes;
	size_t nodes_top, nodes_cap;
	struct member *members;
	size_t members_top, members_cap;
	const char *keys[READER_KEYS]; /* keys seen lately: a file of many agents has few of them */
	struct buf text;               /* the string that is being read */
	struct err *e;
};

static void reader_free(struct reader *r)
{
	free(r->nodes);
	free(r->members);
	buf_free(&r->text);
}

/* ASCII that is neither a blank nor a control. */
static bool is_plain(char c)
{
	return (unsigned char)c > ' ' && (unsigned char)c < 0x7f;
}

/* Positions only go forward, so counting costs one pass over the text in all. */
static void count_to(struct reader *r, const char *p)
{
	for (; r->counted < p; r->counted++) {
		unsigned char c = (unsigned char)*r->counted;
		bool crlf;

		if (is_plain(*r->counted) || c == ' ') { /* most of the text */
			r->column++;
			continue;
		}
		crlf = c == '\r' && r->counted + 1 < r->end && r->counted[1] == '\n';
		if (c == '\n' || (c == '\r' && !crlf)) {
			r->line++;
			r->column = 1;
		} else if ((c & 0xc0) != 0x80 && !crlf) {
			r->column++;
		}
	}
}

/* Names of files are foreign text, so where_text() writes them. */
static int fail_at(struct reader *r, int code, uint32_t line, uint32_t column, const char *what)
{
	struct source source = {.name = r->name};
	struct where at = {&source, line, column};
	char where[WHERE_TEXT];

	where_text(&at, where);
	return err_set(r->e, code, "%s: %s", where, what);
}

printf_like(3, 4) static int fail(struct reader *r, const char *at, const char *fmt, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	count_to(r, at);
	return fail_at(r, EINVAL, r->line, r->column, what);
}

static int fail_character(struct reader *r, const char *wanted)
{
	auto_(buf_free) struct buf shown = BUF(64);
	uint32_t c;

	if (r->p >= r->end)
		return fail(r, r->end, "the text ends where %s should stand", wanted);
	escape_bytes(&shown, r->p, utf8_decode(r->p, (size_t)(r->end - r->p), &c));
	return fail(r, r->p, "'%s' where %s should stand", buf_text(&shown), wanted);
}

static bool at_text(const struct reader *r, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(r->end - r->p) >= len && memcmp(r->p, text, len) == 0;
}

static bool is_space(uint32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
	       c == 0x205f || c == 0x3000;
}

/*
 * JSON5 ends a line at U+2028 and U+2029 as well, most editors do not: what stands behind one would
 * be a comment to the eye and a setting to the program, so neither reading is taken.
 */
static int skip_line_comment(struct reader *r)
{
	for (; r->p < r->end && *r->p != '\n' && *r->p != '\r'; r->p++)
		if (at_text(r, "\xe2\x80\xa8") || at_text(r, "\xe2\x80\xa9"))
			return fail(r, r->p, "a line separator inside a comment is not allowed");
	return 0;
}

static int skip_block_comment(struct reader *r)
{
	const char *start = r->p;

	for (r->p += 2; r->p + 1 < r->end; r->p++)
		if (r->p[0] == '*' && r->p[1] == '/') {
			r->p += 2;
			return 0;
		}
	return fail(r, start, "comment without an end");
}

static int skip_blank(struct reader *r)
{
	while (r->p < r->end) {
		uint32_t c;
		size_t len;

		if (*r->p == ' ' || *r->p == '\n' || *r->p == '\t') {
			r->p++;
			continue;
		}
		if (*r->p != '/' && is_plain(*r->p)) /* no blank, and no comment begins with it */
			break;
		len = utf8_decode(r->p, (size_t)(r->end - r->p), &c);
		if (is_space(c)) {
			r->p += len;
		} else if (at_text(r, "//") || at_text(r, "/*")) {
			int rc = r->p[1] == '/' ? skip_line_comment(r) : skip_block_comment(r);

			if (rc < 0)
				return rc;
		} else {
			break;
		}
	}
	return 0;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int read_hex(struct reader *r, unsigned digits, uint32_t *ret)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < digits; i++) {
		int digit = r->p < r->end ? hex_value(*r->p) : -1;

		if (digit < 0)
			return fail(r, r->p, "an escape needs %u hex digits", digits);
		value = value * 16 + (uint32_t)digit;
		r->p++;
	}
	*ret = value;
	return 0;
}

static int add_character(struct reader *r, const char *at, uint32_t c)
{
	char bytes[4];

	if (c == 0)
		return fail(r, at, "a NUL character is not allowed");
	buf_add(&r->text, bytes, utf8_encode(c, bytes));
	return 0;
}

/* After "\u": one unit, or two that make up a character beyond U+FFFF. */
static int read_unicode_unit(struct reader *r, const char *at, uint32_t *ret)
{
	uint32_t c, low = 0;
	int rc = read_hex(r, 4, &c);

	if (rc == 0 && c >= 0xd800 && c <= 0xdbff && at_text(r, "\\u")) {
		r->p += 2;
		rc = read_hex(r, 4, &low);
	}
	if (rc < 0)
		return rc;
	if (low >= 0xdc00 && low <= 0xdfff)
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	if (c >= 0xd800 && c <= 0xdfff)
		return fail(r, at, "half of a surrogate pair");
	*ret = c;
	return 0;
}

static int read_unicode_escape(struct reader *r, const char *at)
{
	uint32_t c;
	int rc = read_unicode_unit(r, at, &c);

	return rc < 0 ? rc : add_character(r, at, c);
}

static bool skip_line_end(struct reader *r)
{
	static const char *const ends[] = {"\r\n", "\n", "\r", "\xe2\x80\xa8", "\xe2\x80\xa9"};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (at_text(r, ends[i])) {
			r->p += strlen(ends[i]);
			return true;
		}
	return false;
}

static int read_escape(struct reader *r)
{
	static const char from[] = "bfnrtv", to[] = "\b\f\n\r\t\v";
	const char *at = r->p++;
	const char *known;
	uint32_t c;
	int rc;

	if (r->p >= r->end)
		return fail(r, at, "the text ends inside a string");
	if (skip_line_end(r))
		return 0;
	known = strchr(from, *r->p);
	if (known) {
		r->p++;
		return add_character(r, at, (unsigned char)to[known - from]);
	}
	if (*r->p >= '1' && *r->p <= '9')
		return fail(r, at, "an octal escape is not allowed");
	if (*r->p == '0')
		return fail(r, at, "a NUL character is not allowed");
	if (*r->p == 'u') {
		r->p++;
		return read_unicode_escape(r, at);
	}
	if (*r->p == 'x') {
		r->p++;
		rc = read_hex(r, 2, &c);
		return rc < 0 ? rc : add_character(r, at, c);
	}
	r->p += utf8_decode(r->p, (size_t)(r->end - r->p), &c);
	return add_character(r, at, c);
}

/* The first character that is not simply part of a string. */
static const char *plain_end(const char *p, const char *end, char quote)
{
	while (p < end && *p != quote && *p != '\\' && *p != '\n' && *p != '\r')
		p++;
	return p;
}

static int read_string(struct reader *r, const char **ret)
{
	const char *start = r->p;
	char quote = *r->p++;
	const char *plain = plain_end(r->p, r->end, quote);

	if (plain < r->end && *plain == quote) { /* nothing escaped: as it stands */
		*ret = arena_text(r->arena, r->p, (size_t)(plain - r->p));
		r->p = plain + 1;
		return 0;
	}
	buf_reset(&r->text);
	while (r->p < r->end && *r->p != quote) {
		const char *run = r->p;
		int rc;

		if (*r->p == '\n' || *r->p == '\r')
			return fail(r, r->p, "a line ends inside a string");
		if (*r->p == '\\') {
			rc = read_escape(r);
			if (rc < 0)
				return rc;
			continue;
		}
		r->p = plain_end(r->p, r->end, quote);
		buf_add(&r->text, run, (size_t)(r->p - run));
	}
	if (r->p >= r->end)
		return fail(r, start, "string without an end");
	r->p++;
	*ret = arena_text(r->arena, buf_text(&r->text), r->text.len);
	return 0;
}

static bool is_ascii_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

static bool is_word(uint32_t c)
{
	return c < 0x80 ? is_ascii_word((char)c) : !utf8_is_deceptive(c);
}

static bool is_key_character(const struct reader *r, uint32_t c)
{
	return is_word(c) && (r->text.len > 0 || c < '0' || c > '9');
}

/* An escape in a key without quotes stands only for what could be written there plainly. */
static int read_identifier_escape(struct reader *r)
{
	const char *at = r->p;
	uint32_t c;
	int rc;

	r->p += 2;
	rc = read_unicode_unit(r, at, &c);
	if (rc < 0)
		return rc;
	if (c != 0 && !is_key_character(r, c))
		return fail(r, at, "this escape is not allowed in a key without quotes");
	return add_character(r, at, c);
}

static const char *keep_key(struct reader *r, const char *key, size_t len)
{
	size_t hash = len * 31 + (unsigned char)key[0] * 7 + (unsigned char)key[len - 1];
	const char **slot = &r->keys[hash % READER_KEYS];

	if (!*slot || strncmp(*slot, key, len) != 0 || (*slot)[len] != '\0')
		*slot = arena_text(r->arena, key, len);
	return *slot;
}

/* A key without quotes. */
static int read_identifier(struct reader *r, const char **ret)
{
	const char *p = r->p;

	while (p < r->end && is_ascii_word(*p))
		p++;
	if (p > r->p && p < r->end && (is_plain(*p) || *p == ' ') && *p != '\\' &&
		!(*r->p >= '0' && *r->p <= '9')) {
		*ret = keep_key(r, r->p, (size_t)(p - r->p));
		r->p = p;
		return 0;
	}
	buf_reset(&r->text);
	while (r->p < r->end) {
		uint32_t c;
		size_t len = utf8_decode(r->p, (size_t)(r->end - r->p), &c);

		if (at_text(r, "\\u")) {
			int rc = read_identifier_escape(r);

			if (rc < 0)
				return rc;
			continue;
		}
		if (!is_key_character(r, c))
			break;
		buf_add(&r->text, r->p, len);
		r->p += len;
	}
	if (r->text.len == 0)
		return fail_character(r, "a key");
	*ret = arena_text(r->arena, buf_text(&r->text), r->text.len);
	return 0;
}

static size_t skip_digits(struct reader *r)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return (size_t)(r->p - start);
}

static int read_hex_digits(struct reader *r, const char *start)
{
	const char *digits = r->p += 2;

	while (r->p < r->end && hex_value(*r->p) >= 0)
		r->p++;
	return r->p > digits ? 0 : fail(r, start, "a hex number without digits");
}

static int read_decimal(struct reader *r, const char *start)
{
	const char *digits = r->p;
	size_t before = skip_digits(r), after = 0;

	if (before > 1 && *digits == '0')
		return fail(r, start, "a number with a leading zero");
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		after = skip_digits(r);
	}
	if (before + after == 0)
		return fail_character(r, "a value");
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		if (skip_digits(r) == 0)
			return fail(r, start, "a number with an empty exponent");
	}
	return 0;
}

static int read_number(struct reader *r, struct node *ret)
{
	const char *start = r->p;
	uint32_t c;
	int rc = 0;

	if (*r->p == '+' || *r->p == '-')
		r->p++;
	if (at_text(r, "Infinity"))
		r->p += 8;
	else if (at_text(r, "NaN"))
		r->p += 3;
	else if (at_text(r, "0x") || at_text(r, "0X"))
		rc = read_hex_digits(r, start);
	else
		rc = read_decimal(r, start);
	if (rc < 0)
		return rc;
	if (r->p < r->end && utf8_decode(r->p, (size_t)(r->end - r->p), &c) && is_word(c))
		return fail(r, start, "a number that runs into a word");
	ret->type = NODE_NUMBER;
	ret->text = arena_text(r->arena, start, (size_t)(r->p - start));
	return 0;
}

static int read_value(struct reader *r, struct node *ret);

static void push_node(struct reader *r, const struct node *node)
{
	if (r->nodes_top == r->nodes_cap) {
		r->nodes_cap = r->nodes_cap ? 2 * r->nodes_cap : 32;
		r->nodes = mem_realloc(r->nodes, r->nodes_cap, sizeof *r->nodes);
	}
	r->nodes[r->nodes_top++] = *node;
}

static void push_member(struct reader *r, const struct member *member)
{
	if (r->members_top == r->members_cap) {
		r->members_cap = r->members_cap ? 2 * r->members_cap : 32;
		r->members = mem_realloc(r->members, r->members_cap, sizeof *r->members);
	}
	r->members[r->members_top++] = *member;
}

/* After an item: 1 = another one may follow, 0 = the closing character was read. */
static int read_separator(struct reader *r, char close, const char *wanted)
{
	int rc = skip_blank(r);

	if (rc < 0)
		return rc;
	if (r->p < r->end && *r->p == ',') {
		r->p++;
		rc = skip_blank(r);
		if (rc < 0)
			return rc;
		if (r->p >= r->end || *r->p != close)
			return 1;
	}
	if (r->p >= r->end || *r->p != close)
		return fail_character(r, wanted);
	r->p++;
	return 0;
}

static int read_array(struct reader *r, struct node *ret)
{
	size_t base = r->nodes_top;
	int more = 1;

	r->p++;
	more = skip_blank(r);
	if (more == 0 && (r->p >= r->end || *r->p != ']'))
		more = 1;
	else if (more == 0)
		r->p++;
	while (more > 0) {
		struct node item = {0};
		int rc = read_value(r, &item);

		if (rc < 0)
			return rc;
		push_node(r, &item);
		more = read_separator(r, ']', "',' or ']'");
	}
	if (more < 0)
		return more;
	ret->type = NODE_ARRAY;
	ret->count = (uint32_t)(r->nodes_top - base);
	if (ret->count > 0)
		ret->items = arena_copy(r->arena, r->nodes + base, ret->count * sizeof *ret->items);
	r->nodes_top = base;
	return 0;
}

static int read_member(struct reader *r, struct member *ret)
{
	const char *start = r->p;
	int rc;

	if (r->p >= r->end)
		return fail_character(r, "a key or '}'");
	count_to(r, start);
	ret->line = r->line;
	ret->column = r->column;
	if (*start == '"' || *start == '\'')
		rc = read_string(r, &ret->key);
	else
		rc = read_identifier(r, &ret->key);
	if (rc == 0)
		rc = skip_blank(r);
	if (rc < 0)
		return rc;
	if (r->p >= r->end || *r->p != ':')
		return fail_character(r, "':'");
	r->p++;
	return read_value(r, &ret->value);
}

static int check_duplicates(struct reader *r, size_t base)
{
	auto_(buf_free) struct buf shown = BUF(120);
	const struct member *second;
	char what[160];
	size_t index;

	if (r->members_top == base ||
		!tree_has_duplicate(r->members + base, r->members_top - base, &index))
		return 0;
	second = &r->members[base + index];
	escape_text(&shown, second->key);
	snprintf(what, sizeof what, "duplicate key '%s%s'", buf_text(&shown),
		shown.dropped ? "..." : "");
	return fail_at(r, EINVAL, second->line, second->column, what);
}

static int read_object(struct reader *r, struct node *ret)
{
	size_t base = r->members_top;
	int more, rc;

	r->p++;
	more = skip_blank(r);
	if (more == 0 && (r->p >= r->end || *r->p != '}'))
		more = 1;
	else if (more == 0)
		r->p++;
	while (more > 0) {
		struct member member = {0};

		rc = read_member(r, &member);
		if (rc < 0)
			return rc;
		push_member(r, &member);
		more = read_separator(r, '}', "',' or '}'");
	}
	if (more < 0)
		return more;
	rc = check_duplicates(r, base);
	if (rc < 0)
		return rc;
	ret->type = NODE_OBJECT;
	ret->count = (uint32_t)(r->members_top - base);
	if (ret->count > 0)
		ret->members =
			arena_copy(r->arena, r->members + base, ret->count * sizeof *ret->members);
	r->members_top = base;
	return 0;
}

/* null, true, false: only when no longer word begins with them. */
static bool read_word(struct reader *r, const char *word)
{
	const char *after = r->p + strlen(word);
	uint32_t c;

	if (!at_text(r, word))
		return false;
	if (after < r->end && utf8_decode(after, (size_t)(r->end - after), &c) && is_word(c))
		return false;
	r->p = after;
	return true;
}

static int read_nested(struct reader *r, struct node *ret)
{
	int rc;

	if (++r->depth > TREE_MAX_DEPTH)
		return fail(r, r->p, "nested more than %d deep", TREE_MAX_DEPTH);
	rc = *r->p == '{' ? read_object(r, ret) : read_array(r, ret);
	r->depth--;
	return rc;
}

static int read_value(struct reader *r, struct node *ret)
{
	int rc = skip_blank(r);

	if (rc < 0)
		return rc;
	count_to(r, r->p);
	ret->line = r->line;
	ret->column = r->column;
	if (r->p >= r->end)
		return fail_character(r, "a value");
	if (*r->p == '{' || *r->p == '[')
		return read_nested(r, ret);
	if (*r->p == '"' || *r->p == '\'') {
		ret->type = NODE_TEXT;
		return read_string(r, &ret->text);
	}
	if ((*r->p >= '0' && *r->p <= '9') || strchr("+-.IN", *r->p))
		return read_number(r, ret);
	if (read_word(r, "null")) {
		ret->type = NODE_NULL;
		return 0;
	}
	ret->type = NODE_BOOL;
	ret->boolean = read_word(r, "true");
	if (ret->boolean || read_word(r, "false"))
		return 0;
	return fail_character(r, "a value");
}

/* What no token may contain, looked for once over the whole text. */
static int check_bytes(struct reader *r)
{
	const char *p = r->p;

	if (at_text(r, "\xef\xbb\xbf"))
		return fail(r, p, "a byte order mark is not allowed; save the file as plain UTF-8");
	while (p < r->end) {
		uint32_t c;
		size_t len;

		if (is_plain(*p) || *p == ' ') { /* most of the text */
			p++;
			continue;
		}
		len = utf8_decode(p, (size_t)(r->end - p), &c);
		if (len == 0)
			return fail(r, p, "byte 0x%02x is not UTF-8", (unsigned char)*p);
		if (c == 0)
			return fail(r, p, "a NUL byte is not allowed");
		p += len;
	}
	return 0;
}

int json5_parse(struct arena *a, const char *name, const char *text, size_t len, struct node *ret,
	struct err *e)
{
	auto_(reader_free) struct reader r = {
		.arena = a,
		.name = name,
		.p = text,
		.end = text + len,
		.counted = text,
		.line = 1,
		.column = 1,
		.text = BUF(TREE_MAX_BYTES),
		.e = e,
	};
	struct node root = {0};
	int rc;

	if (len > TREE_MAX_BYTES)
		return fail_at(&r, EFBIG, 1, 1, TREE_TOO_LARGE);
	rc = check_bytes(&r);
	if (rc == 0)
		rc = read_value(&r, &root);
	if (rc == 0)
		rc = skip_blank(&r);
	if (rc < 0)
		return rc;
	if (r.p < r.end)
		return fail_character(&r, "the end of the text");
	*ret = root;
	return 0;
}
