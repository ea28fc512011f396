/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <stdint.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_put(struct buf *out, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
			     (left > 2 ? p[i + 2] : 0);
		char four[4] = {
			digits[v >> 18], digits[v >> 12 & 63], digits[v >> 6 & 63], digits[v & 63]};

		if (left < 3)
			four[3] = '=';
		if (left < 2)
			four[2] = '=';
		buf_add_whole(out, four, sizeof four);
	}
}

static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : 63;
}

size_t base64_take(const char *text, size_t len, char *out)
{
	size_t n = 0;
	uint32_t v = 0;

	for (size_t i = 0; i < len; i++) {
		v = v << 6 | (uint32_t)value_of(text[i]);
		if (i % 4 != 0)
			out[n++] = (char)(v >> (6 - 2 * (i % 4)));
	}
	return n;
}
