/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The way from a name that was asked for to what it really names. Links are read and put into the
 * text one by one; what is opened in the end is opened by a path in which the kernel accepts no
 * link at all, so that the path is the true one, whoever renames what meanwhile. A path never
 * leaves the workspace, and one that cannot be followed is refused, never taken as it is.
 *
 * Names: x, ./x, /workspace/x, /agent/x and, where the workspace has a further name, that. `..` is
 * followed as the kernel does, and refused at the top. Links to absolute paths: only below one of
 * these names.
 */

#include "files/files.h"

#include <limits.h>
#include <sys/stat.h>

struct files_place {
	int object;          /* O_PATH; -1: none */
	bool exists;         /* there is something of that name */
	bool linked;         /* it was reached by a symbolic link */
	struct stat st;      /* of the object */
	char path[PATH_MAX]; /* from the workspace, without a link; "" is the workspace */
};

#define FILES_PLACE_NONE ((struct files_place){.object = -1})

/* 0 also when only the last component is missing, or (anyhow) several are. */
int files_walk(const struct files *f, const char *name, bool anyhow, struct files_place *ret,
	struct err *e);
void files_walk_close(struct files_place *p);
/* A folder or file by its true path; flags as for open. -errno. */
int files_walk_open(const struct files *f, const char *path, int flags);
/* The folder that a true path lies in, to work in it; *ret_name: the last component. -errno. */
int files_walk_parent(const struct files *f, const char *path, const char **ret_name);
