/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The way to a file that is about to be trusted: every folder and link on it is looked at, and none
 * may be one that somebody else than root or the caller could change, or that lies where a sandbox
 * writes. What comes out is the file itself, opened once. Owns nothing.
 */

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct trail_place {
	dev_t device;
	ino_t inode;
	const char *what; /* in words: "the workspace" */
};

struct trail_rules {
	uid_t caller;
	const struct trail_place *barred; /* folders, or files, that must not be on the way */
	size_t barred_count;
	bool barred_only; /* whoever else can write there */
};

/* The file, opened for reading; -EPERM: it is there, but not to be trusted. ret_path: where it was
 * found in the end. */
int trail_open(int cwd, const char *path, const struct trail_rules *rules, char ret_path[PATH_MAX],
	struct stat *ret, struct err *e);
/* The same for the way to a folder, itself included. 0: it is there, and to be trusted. */
int trail_folder(const char *path, const struct trail_rules *rules, struct err *e);
/* A folder by its name as it is now; false: there is none. */
int trail_place(const char *path, const char *what, struct trail_place *ret);
