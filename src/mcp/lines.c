/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/lines.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST ((size_t)64 << 10)
#define KEPT ((size_t)1 << 20) /* a buffer above this is given back when it is empty */

static void empty(struct lines *l)
{
	l->start = l->seen = l->end = 0;
	if (l->cap > KEPT) {
		free(l->data);
		l->data = NULL;
		l->cap = 0;
	}
}

char *lines_room(struct lines *l, size_t *ret_room)
{
	if (l->start == l->end)
		empty(l);
	/* Moved only when that frees much, so that each byte is moved a few times at most. */
	if (l->start > l->cap / 2) {
		memmove(l->data, l->data + l->start, l->end - l->start);
		l->end -= l->start;
		l->seen -= l->start;
		l->start = 0;
	}
	if (l->end == l->cap) {
		l->cap = l->cap ? l->cap * 2 : FIRST;
		l->data = mem_realloc(l->data, l->cap, 1);
	}
	*ret_room = l->cap - l->end;
	return l->data + l->end;
}

void lines_added(struct lines *l, size_t len)
{
	l->end += len;
}

/* No line end so far: either more is to come, or it is too long already. */
static enum lines_kind unfinished(struct lines *l)
{
	l->seen = l->end;
	if (l->skipping) {
		l->start = l->end;
		return LINES_NONE;
	}
	if (l->end - l->start <= LINES_MAX)
		return LINES_NONE;
	l->skipping = true;
	l->start = l->end;
	return LINES_TOO_LONG;
}

enum lines_kind lines_next(struct lines *l, const char **ret, size_t *ret_len)
{
	for (;;) {
		const char *from = l->data + l->start, *end = NULL;
		bool skipped = l->skipping;
		size_t len;

		if (l->end > l->seen)
			end = memchr(l->data + l->seen, '\n', l->end - l->seen);
		if (!end)
			return unfinished(l);
		len = (size_t)(end - from);
		l->start = l->seen = l->start + len + 1;
		l->skipping = false;
		if (skipped)
			continue;
		if (len > LINES_MAX)
			return LINES_TOO_LONG;
		if (len > 0 && from[len - 1] == '\r')
			len--;
		if (len == 0)
			continue;
		*ret = from;
		*ret_len = len;
		return LINES_WHOLE;
	}
}

void lines_free(struct lines *l)
{
	free(l->data);
	*l = (struct lines){0};
}
