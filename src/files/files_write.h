/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writing a file of the workspace: the text goes to a new file in the same folder, which takes the
 * name when all of it is on the disk. Whoever reads sees the old text or the new one, and a
 * further name of the old file (a hard link) keeps the old text, wherever it is. The mode is
 * kept, but no bit of setuid or setgid; a file without any permission to write is refused.
 */

#include "files/files_walk.h"

struct files_text {
	const char *data;
	size_t len;
	mode_t mode;      /* of a file that is made, less the umask; 0: the usual one */
	bool set_mode;    /* exactly, also of a file that is there */
	bool create_only; /* -EEXIST where there is one */
	bool parents;     /* makes the folders that are missing */
};

struct files_written {
	const char *path; /* the true one */
	uint64_t size;
	bool created;
};

int files_write(const struct files *f, const char *name, const struct files_text *t,
	struct arena *a, struct files_written *ret, struct err *e);

/*
 * Parts, for tools that change several files. The place is what files_walk found; `seen` is what
 * was read from there: a file that is another one by now is not written (-ESTALE).
 */
int files_write_check(const struct files *f, const struct files_place *p, struct err *e);
int files_write_put(const struct files *f, const struct files_place *p, const struct stat *seen,
	const struct files_text *t, struct err *e);
int files_write_remove(
	const struct files *f, const struct files_place *p, const struct stat *seen, struct err *e);
/* The folders that a true path lies in; *ret_made: how many of them are new. */
int files_write_parents(const struct files *f, const char *path, unsigned *ret_made, struct err *e);
