/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"

#include "base/macro.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static void put_hex(struct buf *out, char byte)
{
	char unit[8];

	buf_add_whole(
		out, unit, (size_t)snprintf(unit, sizeof(unit), "\\x%02x", (unsigned char)byte));
}

/* The short escapes; 0 when the byte has none. */
static char short_escape(char byte)
{
	switch (byte) {
	case '\n':
		return 'n';
	case '\t':
		return 't';
	case '\\':
		return '\\';
	default:
		return 0;
	}
}

/* One character at p, of which len bytes are left; returns its length. */
static size_t escape_one(struct buf *out, const char *p, size_t len)
{
	uint32_t c = 0;
	size_t step = utf8_decode(p, len, &c);
	char letter = short_escape(*p);
	char unit[16];

	if (letter)
		buf_add_whole(out, (const char[]){'\\', letter}, 2);
	else if (step == 0 || (step == 1 && utf8_is_deceptive(c)))
		put_hex(out, *p);
	else if (utf8_is_deceptive(c))
		buf_add_whole(
			out, unit, (size_t)snprintf(unit, sizeof(unit), "\\u{%04x}", (unsigned)c));
	else
		buf_add_whole(out, p, step);
	return step ? step : 1;
}

void escape_bytes(struct buf *out, const char *data, size_t len)
{
	for (size_t i = 0; i < len;)
		i += escape_one(out, data + i, len - i);
}

void escape_text(struct buf *out, const char *text)
{
	escape_bytes(out, text, strlen(text));
}

/* How much quoting a word needs. */
enum quoting { QUOTING_NONE, QUOTING_SINGLE, QUOTING_DOLLAR };

/* c is not NUL. */
static bool is_harmless(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("_@%+=:,./-", c);
}

static enum quoting quoting_of(const char *word, size_t len)
{
	enum quoting need = len ? QUOTING_NONE : QUOTING_SINGLE;
	uint32_t c = 0;

	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(word + i, len - i, &c);
		if (step == 0 || utf8_is_deceptive(c))
			return QUOTING_DOLLAR;
		if (!is_harmless(word[i]))
			need = QUOTING_SINGLE;
	}
	return need;
}

/* The word is UTF-8 throughout. */
static void quote_single(struct buf *out, const char *word, size_t len)
{
	uint32_t c = 0;

	buf_add_whole(out, "'", 1);
	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(word + i, len - i, &c);
		if (c == '\'')
			buf_add_whole(out, "'\\''", 4);
		else
			buf_add_whole(out, word + i, step);
	}
	buf_add_whole(out, "'", 1);
}

/* bash reads \xNN as one byte, so a character that cannot be shown is written byte by byte. */
static void quote_dollar(struct buf *out, const char *word, size_t len)
{
	uint32_t c = 0;

	buf_add_whole(out, "$'", 2);
	for (size_t i = 0, step; i < len; i += step) {
		char letter = word[i] == '\'' ? '\'' : short_escape(word[i]);

		step = utf8_decode(word + i, len - i, &c);
		if (letter)
			buf_add_whole(out, (const char[]){'\\', letter}, 2);
		else if (step && !utf8_is_deceptive(c))
			buf_add_whole(out, word + i, step);
		else
			for (size_t k = 0; k < (step ? step : 1); k++)
				put_hex(out, word[i + k]);
		step = step ? step : 1;
	}
	buf_add_whole(out, "'", 1);
}

void escape_word(struct buf *out, const char *word)
{
	size_t len = strlen(word);

	switch (quoting_of(word, len)) {
	case QUOTING_NONE:
		buf_add(out, word, len);
		break;
	case QUOTING_SINGLE:
		quote_single(out, word, len);
		break;
	case QUOTING_DOLLAR:
		quote_dollar(out, word, len);
		break;
	}
}
