/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Patches: what should happen to which files. Two forms are read: unified diffs, plain or as git
 * writes them, and the form between "*** Begin Patch" and "*** End Patch", which finds its places
 * by context alone. Applying is exact: lines may have moved, but what is taken away and what stands
 * around it must be there as the patch has it; only how lines end is not insisted on. Pure; the
 * texts of a patch lie in the text that was parsed. Called by files/.
 */

#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATCH_MAX ((size_t)10 << 20) /* bytes */
#define PATCH_FILES_MAX 1000

enum patch_op { PATCH_ADD, PATCH_UPDATE, PATCH_DELETE, PATCH_OPS };

struct patch_line {
	const char *text; /* without its end */
	size_t len;
	char kind; /* ' ', '-', '+' */
	bool cr;   /* ends in CR LF */
	bool open; /* the last one, without a newline */
};

struct patch_hunk {
	uint64_t old_start;                /* line, from 1; 0: not known */
	bool placed;                       /* old_start was written */
	bool at_end;                       /* its last line is the file's */
	const struct patch_line *headings; /* lines that stand somewhere before it, in this order */
	size_t heading_count;
	const struct patch_line *lines;
	size_t count;
	size_t line; /* of the patch, from 1 */
};

struct patch_file {
	enum patch_op op;
	const char *path;
	const char *new_path; /* UPDATE: it is moved there; NULL: it is not */
	int mode;             /* 0644, 0755; 0: not told */
	const struct patch_hunk *hunks;
	size_t hunk_count;
};

struct patch {
	const struct patch_file *files;
	size_t count;
};

/* -EINVAL with the line; -EFBIG. The text must stay. */
int patch_parse(struct arena *a, const char *text, size_t len, struct patch *ret, struct err *e);

/*
 * The text of a file after it; for one that is added, from nothing. -EINVAL says which hunk fails
 * and why; -EFBIG: it would take too long, or the result be larger than max.
 */
int patch_apply(struct arena *a, const struct patch_file *p, const char *text, size_t len,
	size_t max, const char **ret, size_t *ret_len, struct err *e);
