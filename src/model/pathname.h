/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Paths as text: no file is looked at and no link followed, so an answer holds for the spelling
 * only; what is opened later must be checked again by its descriptor. All questions go component by
 * component, never by string prefix: /tmp/ws_secret is not in /tmp/ws. Empty components and `.` are
 * skipped wherever they stand. `..` has no lexical meaning (links), so pathname_normalise refuses
 * it; the others Mustn't be asked about a path that it refused.
 */

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

#define PATHNAME_MAX 4095

/* The next component, skipping empty ones and `.`; false at the end. */
bool pathname_next(const char **io_path, const char **ret_part, size_t *ret_len);

/* An absolute path without //, /./ and trailing slash; the result lives in the arena. */
int pathname_normalise(struct arena *a, const char *path, const char **ret, struct err *e);
/* The same checks without a result. */
int pathname_check(const char *path, struct err *e);

bool pathname_has_control(const char *text); /* below 0x20, or DEL */
bool pathname_same(const char *a, const char *b);
bool pathname_within(const char *path, const char *folder); /* the folder itself, or below it */
