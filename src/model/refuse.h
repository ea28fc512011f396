/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How the pure parsers say no: the text that was wrong, escaped and cut, then the reason and what
 * would be right. Owns nothing. Called by everything in this layer that reads a text.
 */

#include "base/err.h"

/* Fills the error with "'text': reason"; returns -EINVAL. */
int refuse_text(struct err *e, const char *text, const char *fmt, ...) printf_like(3, 4);
