/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How the pure parsers say no: the text that was wrong, escaped and cut, then the reason and what
 * would be right. Owns nothing. Called by everything in this layer that reads a text.
 */

#include "base/err.h"

/* Fills the error with "'text': reason"; returns -EINVAL. */
int refuse_text(struct err *e, const char *text, const char *fmt, ...) printf_like(3, 4);
/* For one of a list of words (NULL at the end): suggests the nearest, else says what would be
 * right. */
int refuse_word(struct err *e, const char *text, const char *const *words, const char *right);
