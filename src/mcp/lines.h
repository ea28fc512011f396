/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Bytes of a stream into lines, within a bound: a line that is longer is reported once, the rest of
 * it is dropped, and the next line counts again. What stands behind the last line end is no line.
 * Owns the buffer; it knows nothing of descriptors. Used by both directions of mcp/rpc.h and by
 * mcp/wrap.h.
 */

#include <stdbool.h>
#include <stddef.h>

#define LINES_MAX ((size_t)16 << 20)

struct lines {
	char *data;
	size_t start, seen, end, cap; /* of the line; looked at; filled; room */
	bool skipping;                /* in the rest of a line that was too long */
};

enum lines_kind { LINES_NONE, LINES_WHOLE, LINES_TOO_LONG };

/* Room for more, at least one byte: what was handed out before is no longer valid. */
char *lines_room(struct lines *l, size_t *ret_room);
void lines_added(struct lines *l, size_t len);
/* The next line, without its end; empty ones are left out. Valid until lines_room(). */
enum lines_kind lines_next(struct lines *l, const char **ret, size_t *ret_len);
void lines_free(struct lines *l);
