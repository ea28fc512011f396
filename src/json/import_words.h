/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A command line as somebody typed it, as a tree: an object whose keys are the options,
 * "--sandbox", with the word that belongs to each, true for those that stand alone, and the other
 * words as a list under "". Quotes, backslashes and # comments as in a shell; nothing is expanded.
 * Called by import_config.
 */

#include "base/err.h"
#include "base/mem.h"
#include "json/tree.h"

#include <stddef.h>

/* flags: the options that take no value whatever follows, NULL at the end. */
int import_words(struct arena *a, const char *name, const char *text, size_t len,
	const char *const *flags, struct node *ret, struct err *e);
