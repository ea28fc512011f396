/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * TOML 1.0 text to the same tree that JSON5 gives: tables become objects, arrays of tables lists of
 * objects, numbers keep their spelling without underscores and without a leading plus. Owns
 * nothing; the tree lives in the caller's arena. Called by the importers of foreign configurations.
 *
 * Refused, with line and column: dates and times, which no key of ours can hold; keys and tables
 * that are defined twice; and what json5_parse refuses as well: more than 4 MiB, nesting above 64,
 * NUL and other control characters, bytes that are not UTF-8, a byte order mark.
 */

#include "base/err.h"
#include "base/mem.h"
#include "json/tree.h"

#include <stddef.h>

/* name stands in front of errors: "name:line:column: what". */
int toml_parse(struct arena *a, const char *name, const char *text, size_t len, struct node *ret,
	struct err *e);
