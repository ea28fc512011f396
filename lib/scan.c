/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/scan.h"

#include <string.h>

/* Where we are: `at` moves towards `end`. */
struct cursor {
	const char *at, *end;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_space(struct cursor *c)
{
	while (c->at < c->end && is_space(*c->at))
		c->at++;
}

static bool skip_char(struct cursor *c, char wanted)
{
	if (c->at == c->end || *c->at != wanted)
		return false;
	c->at++;
	return true;
}

size_t scan_utf8(const char *at, size_t len)
{
	/* By the first byte: how many follow, and what the second one may be. */
	static const struct {
		unsigned char first, last, more, low, high;
	} rows[] = {
		{0x01, 0x7f, 0, 0, 0},
		{0xc2, 0xdf, 1, 0x80, 0xbf},
		{0xe0, 0xe0, 2, 0xa0, 0xbf},
		{0xe1, 0xec, 2, 0x80, 0xbf},
		{0xed, 0xed, 2, 0x80, 0x9f},
		{0xee, 0xef, 2, 0x80, 0xbf},
		{0xf0, 0xf0, 3, 0x90, 0xbf},
		{0xf1, 0xf3, 3, 0x80, 0xbf},
		{0xf4, 0xf4, 3, 0x80, 0x8f},
	};
	const unsigned char *p = (const unsigned char *)at;

	for (size_t i = 0; len > 0 && i < sizeof rows / sizeof *rows; i++) {
		if (p[0] < rows[i].first || p[0] > rows[i].last)
			continue;
		if (len <= rows[i].more)
			return 0;
		if (rows[i].more && (p[1] < rows[i].low || p[1] > rows[i].high))
			return 0;
		for (size_t k = 2; k <= rows[i].more; k++)
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		return 1u + rows[i].more;
	}
	return 0;
}

bool scan_is_utf8(const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n)
		if ((n = scan_utf8(text + i, len - i)) == 0)
			return false;
	return true;
}

static int hex_value(char c)
{
	return is_digit(c)            ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The four digits behind \u; -1: they are not. */
static int32_t take_hex(struct cursor *c)
{
	int32_t value = 0;

	if (c->end - c->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_value(c->at[i]);

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	c->at += 4;
	return value;
}

/* Behind \u, with the second half of a pair; -1: no character. */
static int32_t take_unicode(struct cursor *c)
{
	int32_t high = take_hex(c), low;

	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || !skip_char(c, '\\') || !skip_char(c, 'u'))
		return -1;
	low = take_hex(c);
	if (low < 0xdc00 || low > 0xdfff)
		return -1;
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static size_t put_utf8(int32_t code, char *to)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* One character of a string, into `to` (4 bytes); 0: there is none. */
static size_t take_char(struct cursor *c, char *to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name;
	size_t n;

	if (c->at == c->end || (unsigned char)*c->at < 0x20)
		return 0;
	if (*c->at != '\\') {
		n = scan_utf8(c->at, (size_t)(c->end - c->at));
		memcpy(to, c->at, n);
		c->at += n;
		return n;
	}
	if (++c->at == c->end)
		return 0;
	if (skip_char(c, 'u')) {
		int32_t code = take_unicode(c);

		return code < 0 ? 0 : put_utf8(code, to);
	}
	name = memchr(names, *c->at, sizeof names - 1);
	if (!name)
		return 0;
	to[0] = values[name - names];
	c->at++;
	return 1;
}

static bool skip_string(struct cursor *c)
{
	char one[4];

	if (!skip_char(c, '"'))
		return false;
	while (c->at < c->end && *c->at != '"')
		if (take_char(c, one) == 0)
			return false;
	return skip_char(c, '"');
}

static bool skip_digits(struct cursor *c)
{
	const char *start = c->at;

	while (c->at < c->end && is_digit(*c->at))
		c->at++;
	return c->at > start;
}

static bool skip_number(struct cursor *c)
{
	skip_char(c, '-');
	if (!skip_char(c, '0') && !skip_digits(c))
		return false;
	if (skip_char(c, '.') && !skip_digits(c))
		return false;
	if (!skip_char(c, 'e') && !skip_char(c, 'E'))
		return true;
	if (!skip_char(c, '+'))
		skip_char(c, '-');
	return skip_digits(c);
}

static bool skip_word(struct cursor *c)
{
	static const char *const words[] = {"true", "false", "null"};

	for (int i = 0; i < 3; i++) {
		size_t len = strlen(words[i]);

		if ((size_t)(c->end - c->at) >= len && memcmp(c->at, words[i], len) == 0) {
			c->at += len;
			return true;
		}
	}
	return false;
}

/* Over a key and its colon. */
static bool skip_key(struct cursor *c)
{
	if (!skip_string(c))
		return false;
	skip_space(c);
	return skip_char(c, ':');
}

/* Over any value. The kinds of brackets that are open are bits, so that nothing calls itself. */
static bool skip_value(struct cursor *c)
{
	uint64_t objects = 0;
	unsigned depth = 0;

	for (;;) {
		skip_space(c);
		if (c->at == c->end)
			return false;
		if (*c->at == '{' || *c->at == '[') {
			bool object = *c->at++ == '{';

			if (++depth > SCAN_DEPTH)
				return false;
			objects = objects << 1 | object;
			skip_space(c);
			if (c->at == c->end)
				return false;
			if (*c->at != (object ? '}' : ']')) {
				if (object && !skip_key(c))
					return false;
				continue;
			}
		} else if (!(*c->at == '"' ? skip_string(c) : skip_word(c) || skip_number(c))) {
			return false;
		}
		/* Behind a value: what closes, then a comma and the next one. */
		for (;;) {
			if (depth == 0)
				return true;
			skip_space(c);
			if (!skip_char(c, objects & 1 ? '}' : ']'))
				break;
			objects >>= 1;
			depth--;
		}
		if (!skip_char(c, ','))
			return false;
		skip_space(c);
		if (objects & 1 && !skip_key(c))
			return false;
	}
}

bool scan_whole(const char *text, size_t len, struct span *ret)
{
	struct cursor c = {text, text + len};
	const char *start;

	skip_space(&c);
	start = c.at;
	if (!skip_value(&c))
		return false;
	*ret = (struct span){start, (size_t)(c.at - start)};
	skip_space(&c);
	return c.at == c.end;
}

/* The next member, behind '{' or ','. */
static bool next_member(struct cursor *c, struct span *ret_key, struct span *ret)
{
	const char *start;

	skip_space(c);
	start = c->at;
	if (!skip_string(c))
		return false;
	*ret_key = (struct span){start + 1, (size_t)(c->at - start) - 2};
	skip_space(c);
	if (!skip_char(c, ':'))
		return false;
	skip_space(c);
	start = c->at;
	if (!skip_value(c))
		return false;
	*ret = (struct span){start, (size_t)(c->at - start)};
	skip_space(c);
	return true;
}

static bool take_member(struct span key, struct span value, struct scan_wish *w, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!w[i].value.at && key.len == strlen(w[i].key) &&
			memcmp(key.at, w[i].key, key.len) == 0) {
			w[i].value = value;
			return true;
		}
	return false;
}

size_t scan_members(struct span object, struct scan_wish *w, size_t count)
{
	struct cursor c = {object.at, object.at + object.len};
	size_t found = 0;
	struct span key, value;

	for (size_t i = 0; i < count; i++)
		w[i].value = (struct span){NULL, 0};
	if (!object.at || !skip_char(&c, '{'))
		return 0;
	do {
		if (!next_member(&c, &key, &value))
			break;
		found += take_member(key, value, w, count);
	} while (found < count && skip_char(&c, ','));
	return found;
}

bool scan_member(struct span object, const char *key, struct span *ret)
{
	struct scan_wish w = {.key = key};

	if (scan_members(object, &w, 1) == 0)
		return false;
	*ret = w.value;
	return true;
}

bool scan_first(struct span list, struct span *ret)
{
	struct cursor c = {list.at, list.at + list.len};
	const char *start;

	if (!list.at || !skip_char(&c, '['))
		return false;
	skip_space(&c);
	start = c.at;
	if (!skip_value(&c))
		return false;
	*ret = (struct span){start, (size_t)(c.at - start)};
	return true;
}

bool scan_is_object(struct span v)
{
	return v.at && v.len >= 2 && v.at[0] == '{';
}

bool scan_is_true(struct span v)
{
	return v.at && v.len == 4 && memcmp(v.at, "true", 4) == 0;
}

bool scan_is_text(struct span v, const char *text)
{
	size_t len = strlen(text);

	return v.at && v.len == len + 2 && v.at[0] == '"' && memcmp(v.at + 1, text, len) == 0;
}

bool scan_number(struct span v, int64_t *ret)
{
	size_t i = v.at && v.len > 0 && v.at[0] == '-';
	uint64_t value = 0;

	if (!v.at || v.len == i || v.len - i > 18)
		return false;
	for (size_t k = i; k < v.len; k++) {
		if (!is_digit(v.at[k]))
			return false;
		value = value * 10 + (uint64_t)(v.at[k] - '0');
	}
	*ret = i ? -(int64_t)value : (int64_t)value;
	return true;
}

bool scan_text(struct span v, char *to, size_t *ret_len)
{
	struct cursor c = {v.at, v.at + v.len};
	size_t len = 0;

	if (!v.at || !skip_char(&c, '"'))
		return false;
	while (c.at < c.end && *c.at != '"') {
		size_t n = take_char(&c, to + len);

		if (n == 0)
			return false;
		len += n;
	}
	if (!skip_char(&c, '"') || c.at != c.end)
		return false;
	to[len] = '\0';
	*ret_len = len;
	return true;
}

static int base64_value(char c)
{
	return c >= 'A' && c <= 'Z'   ? c - 'A'
	       : c >= 'a' && c <= 'z' ? c - 'a' + 26
	       : is_digit(c)          ? c - '0' + 52
	       : c == '+'             ? 62
	       : c == '/'             ? 63
				      : -1;
}

bool scan_base64(struct span v, char *to, size_t *ret_len)
{
	uint32_t bits = 0;
	size_t len = 0, digits = 0, count;

	if (!scan_text(v, to, &count) || count % 4)
		return false;
	while (count > 0 && to[count - 1] == '=' && digits < 2) {
		count--;
		digits++;
	}
	for (size_t i = 0; i < count; i++) {
		int value = base64_value(to[i]);

		if (value < 0)
			return false;
		bits = bits << 6 | (uint32_t)value;
		if (i % 4 != 0)
			to[len++] = (char)(bits >> (6 - 2 * (i % 4)));
	}
	to[len] = '\0';
	*ret_len = len;
	return true;
}
