/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A growing array on an arena, for readers that do not know the number of items beforehand: a
 * pointer, a count and a capacity, all starting at zero. What is outgrown stays in the arena, at
 * most as much again as the array itself. Owns nothing.
 */

#include "base/mem.h"

#include <stddef.h>
#include <string.h>

/* vec_push(arena, &items, &count, &capacity, item) */
#define vec_push(arena, items, count, cap, ...)                                           \
	do {                                                                              \
		if (*(count) == *(cap))                                                   \
			*(items) = vec_grow((arena), *(items), (cap), sizeof(**(items))); \
		(*(items))[(*(count))++] = (__VA_ARGS__);                                 \
	} while (0)

static inline void *vec_grow(struct arena *a, const void *old, size_t *cap, size_t size)
{
	size_t larger = *cap ? *cap * 2 : 8;
	void *items = arena_array(a, larger, size);

	if (*cap)
		memcpy(items, old, *cap * size);
	*cap = larger;
	return items;
}
