/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json5_scan.h"

#include "base/str.h"
#include "base/utf8.h"

#include <string.h>

/* Strings with their escapes, and keys without quotes. */

static int read_hex(struct scan *r, unsigned digits, uint32_t *ret)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < digits; i++) {
		int digit = r->p < r->end ? str_hex_digit(*r->p) : -1;

		if (digit < 0)
			return scan_fail(r, r->p, "an escape needs %u hex digits", digits);
		value = value * 16 + (uint32_t)digit;
		r->p++;
	}
	*ret = value;
	return 0;
}

static int add_character(struct scan *r, const char *at, uint32_t c)
{
	char bytes[4];

	if (c == 0)
		return scan_fail(r, at, "a NUL character is not allowed");
	buf_add(&r->text, bytes, utf8_encode(c, bytes));
	return 0;
}

/* After "\u": one unit, or two that make up a character beyond U+FFFF. */
static int read_unicode_unit(struct scan *r, const char *at, uint32_t *ret)
{
	uint32_t c = 0, low = 0;
	int rc = read_hex(r, 4, &c);

	if (rc == 0 && c >= 0xd800 && c <= 0xdbff && scan_at(r, "\\u")) {
		r->p += 2;
		rc = read_hex(r, 4, &low);
	}
	if (rc < 0)
		return rc;
	if (low >= 0xdc00 && low <= 0xdfff)
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	if (c >= 0xd800 && c <= 0xdfff)
		return scan_fail(r, at, "half of a surrogate pair");
	*ret = c;
	return 0;
}

static int read_unicode_escape(struct scan *r, const char *at)
{
	uint32_t c;
	int rc = read_unicode_unit(r, at, &c);

	return rc < 0 ? rc : add_character(r, at, c);
}

/* JSON has these besides \u. */
static int read_strict_escape(struct scan *r, const char *at)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *known = strchr(from, *r->p);

	if (*r->p == 'u') {
		r->p++;
		return read_unicode_escape(r, at);
	}
	if (!known)
		return scan_fail(r, at, "an escape that JSON does not have");
	r->p++;
	return add_character(r, at, (unsigned char)to[known - from]);
}

static bool skip_line_end(struct scan *r)
{
	static const char *const ends[] = {"\r\n", "\n", "\r", "\xe2\x80\xa8", "\xe2\x80\xa9"};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (scan_at(r, ends[i])) {
			r->p += strlen(ends[i]);
			return true;
		}
	return false;
}

static int read_escape(struct scan *r)
{
	static const char from[] = "bfnrtv", to[] = "\b\f\n\r\t\v";
	const char *at = r->p++;
	const char *known;
	uint32_t c;
	int rc;

	if (r->p >= r->end)
		return scan_fail(r, at, "the text ends inside a string");
	if (r->strict)
		return read_strict_escape(r, at);
	if (skip_line_end(r))
		return 0;
	known = strchr(from, *r->p);
	if (known) {
		r->p++;
		return add_character(r, at, (unsigned char)to[known - from]);
	}
	if (*r->p >= '1' && *r->p <= '9')
		return scan_fail(r, at, "an octal escape is not allowed");
	if (*r->p == '0')
		return scan_fail(r, at, "a NUL character is not allowed");
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

/* The first character that is not simply part of a string; JSON wants every control escaped. */
static const char *plain_end(const struct scan *r, const char *p, char quote)
{
	const char *end = r->end;

	if (r->strict)
		while (p < end && *p != quote && *p != '\\' && (unsigned char)*p >= ' ')
			p++;
	else
		while (p < end && *p != quote && *p != '\\' && *p != '\n' && *p != '\r')
			p++;
	return p;
}

int scan_string(struct scan *r, const char **ret)
{
	const char *start = r->p;
	char quote = *r->p++;
	const char *plain = plain_end(r, r->p, quote);

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
			return scan_fail(r, r->p, "a line ends inside a string");
		if (r->strict && (unsigned char)*r->p < ' ')
			return scan_fail(r, r->p, "a control character that is not escaped");
		if (*r->p == '\\') {
			rc = read_escape(r);
			if (rc < 0)
				return rc;
			continue;
		}
		r->p = plain_end(r, r->p, quote);
		buf_add(&r->text, run, (size_t)(r->p - run));
	}
	if (r->p >= r->end)
		return scan_fail(r, start, "string without an end");
	r->p++;
	*ret = arena_text(r->arena, buf_text(&r->text), r->text.len);
	return 0;
}

static bool is_key_character(const struct scan *r, uint32_t c)
{
	return scan_is_word(c) && (r->text.len > 0 || c < '0' || c > '9');
}

/* An escape in a key without quotes stands only for what could be written there plainly. */
static int read_identifier_escape(struct scan *r)
{
	const char *at = r->p;
	uint32_t c;
	int rc;

	r->p += 2;
	rc = read_unicode_unit(r, at, &c);
	if (rc < 0)
		return rc;
	if (c != 0 && !is_key_character(r, c))
		return scan_fail(r, at, "this escape is not allowed in a key without quotes");
	return add_character(r, at, c);
}

static const char *keep_key(struct scan *r, const char *key, size_t len)
{
	size_t hash = len * 31 + (unsigned char)key[0] * 7 + (unsigned char)key[len - 1];
	const char **slot = &r->keys[hash % SCAN_KEYS];
	size_t i = 0;

	while (*slot && i < len && (*slot)[i] == key[i])
		i++;
	if (!*slot || i < len || (*slot)[len] != '\0')
		*slot = arena_text(r->arena, key, len);
	return *slot;
}

/* A key without quotes. */
int scan_key(struct scan *r, const char **ret)
{
	const char *p = r->p;

	while (p < r->end && scan_is_ascii_word(*p))
		p++;
	if (p > r->p && p < r->end && (scan_is_plain(*p) || *p == ' ') && *p != '\\' &&
		!(*r->p >= '0' && *r->p <= '9')) {
		*ret = keep_key(r, r->p, (size_t)(p - r->p));
		r->p = p;
		return 0;
	}
	buf_reset(&r->text);
	while (r->p < r->end) {
		uint32_t c;
		size_t len = utf8_decode(r->p, (size_t)(r->end - r->p), &c);

		if (scan_at(r, "\\u")) {
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
		return scan_unexpected(r, "a key");
	*ret = arena_text(r->arena, buf_text(&r->text), r->text.len);
	return 0;
}
