/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the readers of both forms share: the text line by line, and growing lists. */

#include "model/patch.h"

struct patch_reader {
	struct arena *a;
	const char *next, *end; /* what has not been read */
	struct patch_line now;  /* the line that is looked at; kind is not set */
	size_t number;          /* its number, from 1 */
	bool have;              /* there is one */
	struct patch_file *files;
	size_t count, cap;
};

struct patch_hunks {
	struct patch_hunk *items;
	size_t count, cap;
};

struct patch_lines {
	struct patch_line *items;
	size_t count, cap;
};

void patch_step(struct patch_reader *r); /* to the next line */
bool patch_starts(const struct patch_reader *r, const char *prefix);
/* Is the line that mark, whatever stands around it? */
bool patch_is_mark(const struct patch_reader *r, const char *mark);
/* -EINVAL with the number of the line. */
int patch_wrong(const struct patch_reader *r, struct err *e, const char *why);
/* The line without its first byte, or all of it when it has none. */
struct patch_line patch_line_of(const struct patch_reader *r, char kind);
/* Behind the prefix to the end of the line, without blanks at its end; NULL: nothing is left. */
const char *patch_rest(const struct patch_reader *r, const char *prefix);
int patch_add_file(struct patch_reader *r, const struct patch_file *f, struct err *e);

int patch_read_unified(struct patch_reader *r, struct err *e);
int patch_read_begin(struct patch_reader *r, struct err *e);
