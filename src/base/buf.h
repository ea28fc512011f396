/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A growing text buffer with an upper bound. What does not fit is dropped and counted, never
 * written: `dropped` says how many bytes. Once something was dropped nothing more is added, so the
 * text is always a beginning of the whole. Start from BUF(max), where max does not count the NUL;
 * release with buf_free (auto_(buf_free)). What is added must not lie in the buffer itself.
 */

#include "base/macro.h"

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data; /* always NUL-terminated once something was added; NULL before */
	size_t len;
	size_t cap;
	size_t max;
	size_t dropped;
};

#define BUF(limit) ((struct buf){.max = (limit)})

void buf_add(struct buf *b, const void *data, size_t len);
/* All of it or nothing: half of a character or of an escape would read as something else. */
void buf_add_whole(struct buf *b, const void *data, size_t len);
void buf_puts(struct buf *b, const char *text);
void buf_putc(struct buf *b, char c);
void buf_put_unsigned(struct buf *b, uint64_t n); /* in decimal, without a format */
void buf_printf(struct buf *b, const char *fmt, ...) printf_like(2, 3);
const char *buf_text(const struct buf *b); /* "" when empty */
char *buf_take(struct buf *b);             /* the text, now the caller's; free() */
void buf_reset(struct buf *b);             /* empty, keeps the memory */
void buf_cut(struct buf *b, size_t len);   /* back to what it was when it had that length */
void buf_free(struct buf *b);
