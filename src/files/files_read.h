/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reading a file of the workspace, whole or in part. Only regular files are read: pipes, devices
 * and sockets are refused before they can block. A file with several names that does not belong to
 * the owner of the workspace is refused too: its other name may be somewhere else, and whoever gave
 * it this one had no right to it.
 */

#include "files/files_walk.h"

/* From a byte (0 is the first) or from a line (1 is the first); count 0: to the end. */
struct files_range {
	bool lines;
	uint64_t from, count;
};

struct files_data {
	const char *path; /* the true one */
	const char *data; /* NUL behind it, which does not count */
	size_t len;
	uint64_t size;        /* of the whole file */
	uint64_t from, count; /* what was read, in bytes or lines as it was asked for */
	bool text;            /* UTF-8 without NUL */
	bool more;            /* the file goes on behind it */
};

/* NULL range: all of it. More than the limit at once: -EFBIG. */
int files_read(const struct files *f, const char *name, const struct files_range *range,
	struct arena *a, struct files_data *ret, struct err *e);

/* For the other tools: opens what was found, and checks what was opened. A descriptor or -errno. */
int files_read_open(
	const struct files *f, const struct files_place *p, struct stat *ret_st, struct err *e);
/* All of an opened file, at most limit bytes. */
int files_read_all(int fd, const char *path, uint64_t limit, struct arena *a, char **ret,
	size_t *ret_len, struct err *e);
