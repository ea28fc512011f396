/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which lines of a text came and which went, and both as a unified diff. The fewest lines as a rule
 * (Myers); where two texts have next to nothing in common, whole blocks. Pure; owns nothing.
 */

#include "base/buf.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

struct textdiff_line {
	const char *text; /* without the newline */
	size_t len;
	uint64_t hash;
	bool open;    /* the last one, without a newline */
	bool changed; /* only in this text */
};

struct textdiff {
	struct textdiff_line *old_lines, *new_lines;
	size_t old_count, new_count;
	size_t deleted, inserted; /* lines */
};

/* The texts must stay until the result is no longer used. */
void textdiff_compare(struct arena *a, const char *old_text, size_t old_len, const char *new_text,
	size_t new_len, struct textdiff *ret);

/* One line of output without its newline: ' ', '-', '+', '\\' (a remark) or '@' (a heading). */
typedef void textdiff_fn(void *ctx, char kind, const char *text, size_t len);
void textdiff_show(const struct textdiff *d, textdiff_fn *fn, void *ctx);
