/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct buf *out, const void *data, size_t len)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
			     (left > 2 ? p[i + 2] : 0);
		const char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
			left > 1 ? digits[v >> 6 & 63] : '=', left > 2 ? digits[v & 63] : '='};

		buf_add_whole(out, four, sizeof four);
	}
}

static int value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters; `pad` of them, at the end, stand for nothing. */
static int decode_group(const char *text, unsigned pad, unsigned char out[3])
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 4; i++) {
		int digit = i + pad < 4 ? value(text[i]) : 0;

		if (digit < 0)
			return -EINVAL;
		v = v << 6 | (uint32_t)digit;
	}
	if ((pad > 0 && (v & 0xff)) || (pad > 1 && (v & 0xffff)))
		return -EINVAL;
	out[0] = (unsigned char)(v >> 16);
	out[1] = (unsigned char)(v >> 8);
	out[2] = (unsigned char)v;
	return 0;
}

int base64_decode(const char *text, void *ret, size_t *ret_len)
{
	size_t len = strlen(text), pad = 0, done = 0;
	unsigned char group[3];

	if (len % 4)
		return -EINVAL;
	while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
		pad++;
	for (size_t i = 0; i < len; i += 4) {
		size_t skip = i + 4 == len ? pad : 0;

		if (decode_group(text + i, (unsigned)skip, group) < 0)
			return -EINVAL;
		memcpy((unsigned char *)ret + done, group, 3 - skip);
		done += 3 - skip;
	}
	*ret_len = done;
	return 0;
}

size_t base64_take(const char *text, size_t len, char *out)
{
	size_t n = 0;
	uint32_t v = 0;

	for (size_t i = 0; i < len; i++) {
		int digit = text[i] == '-' ? 62 : value(text[i]);

		v = v << 6 | (digit < 0 ? 63u : (uint32_t)digit);
		if (i % 4 != 0)
			out[n++] = (char)(v >> (6 - 2 * (i % 4)));
	}
	return n;
}
