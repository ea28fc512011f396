/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include "base/macro.h"

#include <string.h>

#define UNICODE_LAST 0x10ffff

/* What the first byte says about the others; the second byte's range shuts out overlong forms,
 * surrogates and what lies above the last character. */
struct lead {
	uint8_t first, last;
	uint8_t len;
	uint8_t bits; /* of the first byte that belong to the character */
	uint8_t second_first, second_last;
};

static const struct lead leads[] = {
	{0xc2, 0xdf, 2, 0x1f, 0x80, 0xbf},
	{0xe0, 0xe0, 3, 0x0f, 0xa0, 0xbf},
	{0xe1, 0xec, 3, 0x0f, 0x80, 0xbf},
	{0xed, 0xed, 3, 0x0f, 0x80, 0x9f},
	{0xee, 0xef, 3, 0x0f, 0x80, 0xbf},
	{0xf0, 0xf0, 4, 0x07, 0x90, 0xbf},
	{0xf1, 0xf3, 4, 0x07, 0x80, 0xbf},
	{0xf4, 0xf4, 4, 0x07, 0x80, 0x8f},
};

static const struct lead *find_lead(uint8_t byte)
{
	for (size_t i = 0; i < ARRAY_LEN(leads); i++)
		if (byte >= leads[i].first && byte <= leads[i].last)
			return &leads[i];
	return NULL;
}

size_t utf8_decode(const char *p, size_t len, uint32_t *ret_char)
{
	const uint8_t *bytes = (const uint8_t *)p;

	if (len == 0)
		return 0;
	if (bytes[0] < 0x80) {
		*ret_char = bytes[0];
		return 1;
	}

	const struct lead *lead = find_lead(bytes[0]);

	if (!lead || len < lead->len || bytes[1] < lead->second_first ||
		bytes[1] > lead->second_last)
		return 0;

	uint32_t c = bytes[0] & lead->bits;

	for (size_t i = 1; i < lead->len; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (bytes[i] & 0x3f);
	}
	*ret_char = c;
	return lead->len;
}

size_t utf8_encode(uint32_t c, char out[4])
{
	static const uint8_t marks[] = {0, 0x00, 0xc0, 0xe0, 0xf0};
	size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = len - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	out[0] = (char)(marks[len] | c);
	return len;
}

/* How many bytes from here on are ASCII, eight at a time. */
static size_t ascii_run(const char *p, size_t len)
{
	size_t i = 0;
	uint64_t eight;

	for (; len - i >= sizeof eight; i += sizeof eight) {
		memcpy(&eight, p + i, sizeof eight);
		if (eight & 0x8080808080808080u)
			break;
	}
	while (i < len && (unsigned char)p[i] < 0x80)
		i++;
	return i;
}

bool utf8_valid(const char *p, size_t len)
{
	uint32_t c;

	for (size_t i = 0, step; i < len; i += step) {
		step = ascii_run(p + i, len - i);
		if (step == 0)
			step = utf8_decode(p + i, len - i, &c);
		if (step == 0)
			return false;
	}
	return true;
}

struct range {
	uint32_t first, last;
};

/* In ascending order. The plain blank is the only space that is shown as what it is. */
static const struct range deceptive[] = {
	{0x0000, 0x001f},   /* C0 controls */
	{0x007f, 0x00a0},   /* DEL, C1 controls, no-break space */
	{0x00ad, 0x00ad},   /* soft hyphen */
	{0x034f, 0x034f},   /* combining grapheme joiner */
	{0x061c, 0x061c},   /* Arabic letter mark */
	{0x115f, 0x1160},   /* Hangul fillers */
	{0x1680, 0x1680},   /* Ogham space */
	{0x17b4, 0x17b5},   /* Khmer inherent vowels */
	{0x180b, 0x180f},   /* Mongolian variation selectors */
	{0x2000, 0x200f},   /* spaces, zero width characters, direction marks */
	{0x2028, 0x202f},   /* separators, direction embeddings and overrides, narrow space */
	{0x205f, 0x206f},   /* mathematical space, invisible operators, direction isolates */
	{0x2800, 0x2800},   /* Braille pattern without dots */
	{0x3000, 0x3000},   /* ideographic space */
	{0x3164, 0x3164},   /* Hangul filler */
	{0xd800, 0xdfff},   /* surrogates: no characters at all */
	{0xfdd0, 0xfdef},   /* noncharacters */
	{0xfe00, 0xfe0f},   /* variation selectors */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xffa0, 0xffa0},   /* half-width Hangul filler */
	{0xfff0, 0xfffb},   /* unassigned ignorables, annotation marks */
	{0x1bca0, 0x1bca3}, /* shorthand format controls */
	{0x1d173, 0x1d17a}, /* musical format controls */
	{0xe0000, 0xe0fff}, /* tags, variation selectors */
};

bool utf8_is_deceptive(uint32_t c)
{
	size_t low = 0, high = ARRAY_LEN(deceptive);

	/* The last two of each plane are noncharacters. */
	if (c > UNICODE_LAST || (c & 0xfffe) == 0xfffe)
		return true;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c < deceptive[mid].first)
			high = mid;
		else if (c > deceptive[mid].last)
			low = mid + 1;
		else
			return true;
	}
	return false;
}
