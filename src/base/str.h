/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Questions about C strings. Owns nothing. */

#include <stdbool.h>
#include <stddef.h>

bool str_eq(const char *a, const char *b); /* NULL equals only NULL */
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
bool str_in(const char *text, const char *const *list); /* list ends with NULL */

/*
 * The closest word of a list, for "did you mean": step i is names(i, ctx), NULL ends the list.
 * Only a plausible typing error counts (Damerau-Levenshtein distance at most 1 for words of up to 4
 * letters, 2 up to 8, 3 above; case does not count; something must be left in common); NULL when
 * nothing is that close. Of equally close ones the first. Words above 64 bytes are close to
 * nothing.
 */
const char *str_nearest(
	const char *word, const char *(*names)(size_t i, const void *ctx), const void *ctx);

/* One letter wrong, missing, too many or swapped with its neighbour; case does not count. */
bool str_is_slip(const char *word, const char *name);

/* A safe name for agents, profiles, groups: [A-Za-z0-9_][A-Za-z0-9_.-]{0,63}, no trailing dot. */
bool str_is_name(const char *text);

int str_hex_digit(char c); /* its value; -1: no hex digit */
