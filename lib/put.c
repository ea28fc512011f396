/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/put.h"

#include "lib/scan.h"
#include "lib/ward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool put_room(struct put *p, size_t more)
{
	size_t most = p->most ? p->most : PUT_MOST, cap = p->cap ? p->cap : 512;
	char *data;

	if (p->failed)
		return false;
	if (more >= most || p->len > most - more - 1) {
		p->failed = WARD_TOO_LARGE;
		return false;
	}
	while (cap < p->len + more + 1)
		cap *= 2;
	if (cap == p->cap)
		return true;
	data = realloc(p->data, cap);
	if (!data) {
		p->failed = WARD_NOMEM;
		return false;
	}
	p->data = data;
	p->cap = cap;
	return true;
}

void put_bytes(struct put *p, const void *data, size_t len)
{
	if (len == 0 || !put_room(p, len))
		return;
	memcpy(p->data + p->len, data, len);
	p->len += len;
	p->data[p->len] = '\0';
}

void put_raw(struct put *p, const char *text)
{
	put_bytes(p, text, strlen(text));
}

void put_number(struct put *p, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	put_raw(p, text);
}

static void put_escape(struct put *p, char c)
{
	char text[8];

	if (c == '"' || c == '\\')
		snprintf(text, sizeof text, "\\%c", c);
	else
		snprintf(text, sizeof text, "\\u%04x", (unsigned)c);
	put_raw(p, text);
}

void put_string(struct put *p, const char *text, size_t len)
{
	size_t plain = 0;

	put_raw(p, "\"");
	for (size_t i = 0, n; i < len; i += n) {
		n = scan_utf8(text + i, len - i);
		if (n == 0) {
			p->failed = p->failed ? p->failed : WARD_INVALID;
			return;
		}
		if ((unsigned char)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\')
			continue;
		put_bytes(p, text + plain, i - plain);
		put_escape(p, text[i]);
		plain = i + 1;
	}
	put_bytes(p, text + plain, len - plain);
	put_raw(p, "\"");
}

void put_base64(struct put *p, const void *data, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *from = data;

	put_raw(p, "\"");
	for (size_t i = 0; i < len && !p->failed; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t bits = (uint32_t)from[i] << 16 | (n > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
				(n > 2 ? from[i + 2] : 0);
		char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
			n > 1 ? digits[bits >> 6 & 63] : '=', n > 2 ? digits[bits & 63] : '='};

		put_bytes(p, four, 4);
	}
	put_raw(p, "\"");
}

void put_key(struct put *p, const char *key)
{
	if (p->len > 0 && p->data[p->len - 1] != '{')
		put_raw(p, ",");
	put_string(p, key, strlen(key));
	put_raw(p, ":");
}

void put_text(struct put *p, const char *key, const char *text)
{
	if (!text)
		return;
	put_key(p, key);
	put_string(p, text, strlen(text));
}

void put_free(struct put *p)
{
	free(p->data);
	*p = (struct put){0};
}
