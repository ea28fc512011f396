/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where a value was written: a source (a file, the command line, ward itself) with line and column.
 * Owns nothing.
 */

#include <stdint.h>

/* Who wrote it; later levels override earlier ones, within what trust allows. */
enum level { LEVEL_BUILTIN, LEVEL_SYSTEM, LEVEL_USER, LEVEL_WORKSPACE, LEVEL_CALLER, LEVEL_COUNT };

struct source {
	const char *name; /* path, or "command line", or "built in" */
	enum level level;
};

struct where {
	const struct source *source; /* NULL = nobody wrote it */
	uint32_t line;               /* from 1; 0 = the source has no lines */
	uint32_t column;
};

#define WHERE_TEXT 320
/*
 * "file:3:7", "command line", "built in", or "not set" when nobody wrote it; foreign bytes escaped,
 * long paths cut in front.
 */
void where_text(const struct where *at, char out[WHERE_TEXT]);
