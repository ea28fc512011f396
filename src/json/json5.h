/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * JSON5 text to a tree. Refused, with line and column: anything above 4 MiB, nesting above 64,
 * duplicate keys, NUL bytes (also as an escape), bytes that are not UTF-8, a byte order mark, lone
 * surrogates, text after the end.
 */

#include "base/err.h"
#include "base/mem.h"
#include "json/tree.h"

#include <stddef.h>

/* name stands in front of errors: "name:line:column: what". */
int json5_parse(struct arena *a, const char *name, const char *text, size_t len, struct node *ret,
	struct err *e);

/*
 * JSON as other programs write it, and nothing beyond: what JSON5 adds is refused too. Errors begin
 * with the member, "params.argv[1]: a NUL character is not allowed (line 1, character 40)".
 */
struct json5_limits {
	size_t bytes;
	size_t values; /* of the whole tree: small ones cost many times their text */
};
int json5_parse_strict(struct arena *a, const struct json5_limits *limits, const char *text,
	size_t len, struct node *ret, struct err *e);
