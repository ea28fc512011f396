/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Lists in constant tables: a text with blanks between its items. Owns nothing. Used by the tables
 * of argrisk.h and runner.h.
 */

#include <stdbool.h>
#include <stddef.h>

struct wordlist_item {
	const char *text; /* within the list, not terminated */
	size_t len;
};

/* Moves *list (NULL is empty) behind its next item; false at the end. */
bool wordlist_next(const char **list, struct wordlist_item *ret);
bool wordlist_has(const char *list, const char *text, size_t len);
/* Is the program, whose directory does not count, in the list? versioned: without the version at
 * the end of its name (python3.11, gcc-12). */
bool wordlist_names(const char *list, const char *program, bool versioned);
