/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A patch for files of the workspace (model/patch.h has the forms): all of it or nothing. What
 * every file will be is worked out first; only when all of it fits are they written, one by one as
 * files_write does. Where one of them fails then, those before it are put back.
 *
 * Sections for the same file follow each other. What is deleted or moved is named itself, not by
 * a link to it, and nothing is moved or added over a file that exists.
 */

#include "files/files_walk.h"
#include "model/patch.h"

struct files_change {
	enum patch_op op;
	const char *path, *new_path; /* the true ones; new_path NULL: it was not moved */
	uint64_t size;               /* afterwards */
	size_t hunks;
};

struct files_patched {
	const struct files_change *changes;
	size_t count;
};

int files_patch(const struct files *f, const char *text, size_t len, struct arena *a,
	struct files_patched *ret, struct err *e);
