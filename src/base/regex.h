/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Regular expressions from strangers, over texts of strangers: the time is bounded by the length of
 * the text times that of the expression, and an expression that would need more memory than fits
 * into REGEX_MAX steps is refused. All ways are followed at once; there is no going back.
 *
 * What there is: . [a-z] [^a-z] [[:alpha:]] \d \w \s \D \W \S \b \B ^ $ | ( ) (?: ) * + ? {m,n}
 * and the lazy forms of the latter, \t \n \r \f \v \xNN, (?i) in front. A . and a negated class
 * match one character of UTF-8, or one byte that belongs to none, and never a newline; a class may
 * have characters of its own. What is not there: references, look-around.
 */

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

#define REGEX_MAX 4000 /* steps */

struct regex;

/* -EINVAL with the position; -EFBIG. It lives in the arena. */
int regex_compile(
	struct arena *a, const char *pattern, bool ignore_case, struct regex **ret, struct err *e);
/* The leftmost match, and of those the longest; false: there is none. */
bool regex_find(struct regex *x, const char *text, size_t len, size_t *ret_at, size_t *ret_len);
