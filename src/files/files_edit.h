/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Exact replacement in a file: a text that stands there once becomes another one, or all of them
 * do. Nothing is guessed: what is not there, or there more often than was meant, is an error that
 * says so, with the lines.
 */

#include "files/files_walk.h"

#define FILES_EDIT_LINES 20 /* that are told */

struct files_edit {
	const char *old_text, *new_text;
	size_t old_len, new_len;
	bool all;
};

struct files_edited {
	const char *path;
	uint64_t size;
	size_t replaced;                /* how many */
	size_t lines[FILES_EDIT_LINES]; /* where, from 1 */
	size_t line_count;              /* of `lines` */
};

int files_edit(const struct files *f, const char *name, const struct files_edit *x, struct arena *a,
	struct files_edited *ret, struct err *e);
