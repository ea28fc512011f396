/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Memory. Small allocations abort when there is none left; every size that comes from outside is
 * bounded by the caller before it gets here. An arena owns everything a parsed document needs and
 * frees it at once; what it hands out is zeroed and aligned for any type.
 */

#include "base/macro.h"

#include <stdarg.h>
#include <stddef.h>

void *mem_alloc(size_t size);                          /* zeroed; free() */
void *mem_realloc(void *p, size_t count, size_t size); /* overflow aborts; free() */
char *mem_dup(const char *text);                       /* free() */

struct arena_chunk;
struct arena {
	struct arena_chunk *head;
};

void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size);
void *arena_copy(struct arena *a, const void *data, size_t size);
char *arena_text(struct arena *a, const char *text, size_t len); /* copy, NUL at the end */
char *arena_printf(struct arena *a, const char *fmt, ...) printf_like(2, 3);
void arena_free(struct arena *a); /* everything; the arena is empty and usable again */
