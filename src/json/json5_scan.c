/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json5_scan.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/where.h"
#include "json/tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The usual text: only newlines matter. */
static void count_simple(struct scan *r, const char *p)
{
	const char *start = r->counted - (r->column - 1); /* of the line */

	for (const char *c = r->counted; c < p; c++)
		if (*c == '\n') {
			r->line++;
			start = c + 1;
		}
	r->column = (uint32_t)(p - start) + 1;
	r->counted = p;
}

/* Positions only go forward, so counting costs one pass over the text in all. */
void scan_count(struct scan *r, const char *p)
{
	if (r->simple && p > r->counted) {
		count_simple(r, p);
		return;
	}
	for (; r->counted < p; r->counted++) {
		unsigned char c = (unsigned char)*r->counted;
		bool crlf = c == '\r' && r->counted + 1 < r->end && r->counted[1] == '\n';

		if (c == '\n' || (c == '\r' && !crlf)) {
			r->line++;
			r->column = 1;
		} else if ((c & 0xc0) != 0x80 && !crlf) {
			r->column++;
		}
	}
}

/* Names of files are foreign text, so where_text() writes them. */
int scan_fail_at(struct scan *r, int code, uint32_t line, uint32_t column, const char *what)
{
	struct source source = {.name = r->name};
	struct where at = {&source, line, column};
	char where[WHERE_TEXT];

	if (r->strict) /* the reader says in which member */
		return err_set(r->e, code, "%s (line %u, character %u)", what, line, column);
	where_text(&at, where);
	return err_set(r->e, code, "%s: %s", where, what);
}

int scan_fail(struct scan *r, const char *at, const char *fmt, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	scan_count(r, at);
	return scan_fail_at(r, EINVAL, r->line, r->column, what);
}

int scan_unexpected(struct scan *r, const char *wanted)
{
	auto_(buf_free) struct buf shown = BUF(64);
	uint32_t c;

	if (r->p >= r->end)
		return scan_fail(r, r->end, "the text ends where %s should stand", wanted);
	escape_bytes(&shown, r->p, utf8_decode(r->p, (size_t)(r->end - r->p), &c));
	return scan_fail(r, r->p, "'%s' where %s should stand", buf_text(&shown), wanted);
}

bool scan_at(const struct scan *r, const char *text)
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
static int skip_line_comment(struct scan *r)
{
	for (; r->p < r->end && *r->p != '\n' && *r->p != '\r'; r->p++)
		if (scan_at(r, "\xe2\x80\xa8") || scan_at(r, "\xe2\x80\xa9"))
			return scan_fail(
				r, r->p, "a line separator inside a comment is not allowed");
	return 0;
}

static int skip_block_comment(struct scan *r)
{
	const char *start = r->p;

	for (r->p += 2; r->p + 1 < r->end; r->p++)
		if (r->p[0] == '*' && r->p[1] == '/') {
			r->p += 2;
			return 0;
		}
	return scan_fail(r, start, "comment without an end");
}

int scan_blank(struct scan *r)
{
	if (r->strict) {
		while (r->p < r->end && strchr(" \t\r\n", *r->p))
			r->p++;
		return 0;
	}
	while (r->p < r->end) {
		uint32_t c;
		size_t len;

		if (*r->p == ' ' || *r->p == '\n' || *r->p == '\t') {
			r->p++;
			continue;
		}
		if (*r->p != '/' &&
			scan_is_plain(*r->p)) /* no blank, and no comment begins with it */
			break;
		len = utf8_decode(r->p, (size_t)(r->end - r->p), &c);
		if (is_space(c)) {
			r->p += len;
		} else if (scan_at(r, "//") || scan_at(r, "/*")) {
			int rc = r->p[1] == '/' ? skip_line_comment(r) : skip_block_comment(r);

			if (rc < 0)
				return rc;
		} else {
			break;
		}
	}
	return 0;
}

bool scan_is_word(uint32_t c)
{
	return c < 0x80 ? scan_is_ascii_word((char)c) : !utf8_is_deceptive(c);
}

static size_t skip_digits(struct scan *r)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return (size_t)(r->p - start);
}

static int read_hex_digits(struct scan *r, const char *start)
{
	const char *digits = r->p += 2;

	while (r->p < r->end && str_hex_digit(*r->p) >= 0)
		r->p++;
	return r->p > digits ? 0 : scan_fail(r, start, "a hex number without digits");
}

static int read_decimal(struct scan *r, const char *start)
{
	const char *digits = r->p;
	size_t before = skip_digits(r), after = 0;

	if (before > 1 && *digits == '0')
		return scan_fail(r, start, "a number with a leading zero");
	if (r->strict && before == 0)
		return scan_unexpected(r, "a digit");
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		after = skip_digits(r);
		if (r->strict && after == 0)
			return scan_unexpected(r, "a digit");
	}
	if (before + after == 0)
		return scan_unexpected(r, "a value");
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		if (skip_digits(r) == 0)
			return scan_fail(r, start, "a number with an empty exponent");
	}
	return 0;
}

int scan_number(struct scan *r, const char **ret)
{
	const char *start = r->p;
	uint32_t c;
	int rc = 0;

	if (*r->p == '-' || (*r->p == '+' && !r->strict))
		r->p++;
	if (r->strict)
		rc = read_decimal(r, start);
	else if (scan_at(r, "Infinity"))
		r->p += 8;
	else if (scan_at(r, "NaN"))
		r->p += 3;
	else if (scan_at(r, "0x") || scan_at(r, "0X"))
		rc = read_hex_digits(r, start);
	else
		rc = read_decimal(r, start);
	if (rc < 0)
		return rc;
	if (r->p < r->end && utf8_decode(r->p, (size_t)(r->end - r->p), &c) && scan_is_word(c))
		return scan_fail(r, start, "a number that runs into a word");
	*ret = arena_text(r->arena, start, (size_t)(r->p - start));
	return 0;
}

/* null, true, false: only when no longer word begins with them. */
bool scan_word(struct scan *r, const char *word)
{
	const char *after = r->p + strlen(word);
	uint32_t c;

	if (!scan_at(r, word))
		return false;
	if (after < r->end && utf8_decode(after, (size_t)(r->end - after), &c) && scan_is_word(c))
		return false;
	r->p = after;
	return true;
}

/* How many bytes from p on are ASCII without NUL and carriage return, eight at a time. */
static size_t simple_run(const char *p, const char *end)
{
	const char *start = p;

	while (end - p >= 8) {
		uint64_t w, cr;

		memcpy(&w, p, sizeof w);
		cr = w ^ UINT64_C(0x0d0d0d0d0d0d0d0d);
		/* A byte above 0x7f; or, of w and of cr, a byte that is zero. */
		if ((w | ((w - UINT64_C(0x0101010101010101)) & ~w) |
			    ((cr - UINT64_C(0x0101010101010101)) & ~cr)) &
			UINT64_C(0x8080808080808080))
			break;
		p += 8;
	}
	return (size_t)(p - start);
}

static int check_bytes(struct scan *r)
{
	const char *p = r->p;

	r->simple = true;
	while (p < r->end) {
		uint32_t c;
		size_t len;

		p += simple_run(p, r->end);
		if (p == r->end)
			break;
		len = utf8_decode(p, (size_t)(r->end - p), &c);
		if (len != 1 || c == '\r')
			r->simple = false;
		if (len == 0)
			return scan_fail(r, p, "byte 0x%02x is not UTF-8", (unsigned char)*p);
		if (c == 0)
			return scan_fail(r, p, "a NUL byte is not allowed");
		p += len;
	}
	return 0;
}

int scan_start(struct scan *r, size_t max)
{
	r->counted = r->p;
	r->line = r->column = 1;
	r->text = BUF(max);
	if ((size_t)(r->end - r->p) > max)
		return scan_fail_at(r, EFBIG, 1, 1, TREE_TOO_LARGE);
	if (scan_at(r, "\xef\xbb\xbf"))
		return scan_fail(
			r, r->p, "a byte order mark is not allowed; save the file as plain UTF-8");
	return check_bytes(r);
}

void scan_end(struct scan *r)
{
	buf_free(&r->text);
}
