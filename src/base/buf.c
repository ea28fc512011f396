/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/cleanup.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define CAP_FIRST 64

/* Room for len more bytes and the NUL; len fits below max. */
static void reserve(struct buf *b, size_t len)
{
	size_t need = b->len + len + 1;
	size_t cap = b->cap ? b->cap : CAP_FIRST;

	if (need <= b->cap)
		return;
	/* Doubled, so that adding byte by byte costs a constant amount each. */
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	if (cap > b->max && b->max >= CAP_FIRST && b->max < SIZE_MAX)
		cap = b->max + 1;
	b->data = mem_realloc(b->data, cap, 1);
	b->cap = cap;
}

/* Most pieces are a few bytes, for which a call of memcpy costs several times the copy. */
#define SHORT 96

static void copy_short(char *to, const char *from, size_t len)
{
	uint64_t eight;

	for (; len >= sizeof eight; len -= sizeof eight) {
		__builtin_memcpy(&eight, from, sizeof eight);
		__builtin_memcpy(to, &eight, sizeof eight);
		to += sizeof eight;
		from += sizeof eight;
	}
	for (; len > 0; len--) {
		*to++ = *from++;
		__asm__(""); /* or the compiler makes a call of it again */
	}
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	/* Once something was dropped nothing follows: the text is a prefix of the whole. */
	size_t room = b->dropped ? 0 : b->max - b->len;
	size_t fits = len < room ? len : room;

	b->dropped += len - fits;
	if (!fits)
		return;
	reserve(b, fits);
	if (fits < SHORT)
		copy_short(b->data + b->len, data, fits);
	else
		memcpy(b->data + b->len, data, fits);
	b->len += fits;
	b->data[b->len] = '\0';
}

void buf_add_whole(struct buf *b, const void *data, size_t len)
{
	if (len > b->max - b->len)
		b->dropped += len;
	else
		buf_add(b, data, len);
}

void buf_puts(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_putc(struct buf *b, char c)
{
	/* The common case at once: copying a single byte costs more than all the rest. */
	if (b->len + 1 >= b->cap || b->len >= b->max || b->dropped) {
		buf_add(b, &c, 1);
		return;
	}
	b->data[b->len++] = c;
	b->data[b->len] = '\0';
}

void buf_put_unsigned(struct buf *b, uint64_t n)
{
	char digits[20];
	size_t at = sizeof digits;

	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	buf_add(b, digits + at, sizeof digits - at);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	char small[256];
	auto_free char *large = NULL;
	va_list ap;

	va_start(ap, fmt);
	int len = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	if ((size_t)len < sizeof(small)) {
		buf_add(b, small, (size_t)len);
		return;
	}
	large = mem_realloc(NULL, (size_t)len + 1, 1);
	va_start(ap, fmt);
	vsnprintf(large, (size_t)len + 1, fmt, ap);
	va_end(ap);
	buf_add(b, large, (size_t)len);
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *text = b->data ? b->data : mem_dup("");

	*b = BUF(b->max);
	return text;
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->dropped = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_cut(struct buf *b, size_t len)
{
	b->len = len;
	b->dropped = 0;
	if (b->data)
		b->data[len] = '\0';
}

void buf_free(struct buf *b)
{
	cleanup_free(&b->data);
	*b = BUF(b->max);
}
