/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Folders and what lies in them, without ever leaving them. A path below a folder is followed by
 * the kernel with no symbolic link on the way: whoever can write there cannot lead anybody
 * elsewhere. All return a descriptor or 0, or a negative errno.
 */

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

enum folder_flag {
	FOLDER_MAKE = 1 << 0,     /* where it is not there */
	FOLDER_NO_LINKS = 1 << 1, /* on the way to it: -ELOOP */
};
/* One of the caller's own; -EPERM: somebody else could write in it. */
int folder_own(const char *path, unsigned flags);
/* A file or folder below it; "" is the folder itself. flags and mode as for open(). */
int folder_open(int folder, const char *path, int flags, mode_t mode);
/* The same for an entry of the folder that its own mode forbids to open: its owner may change that,
 * and changes it back at once. */
int folder_open_anyway(int folder, const char *name, int flags);
/* The same on the file system of the folder itself: -EXDEV. */
int folder_open_here(int folder, const char *path, int flags);
/* The folder that a path lies in; *ret_name is the path's last part. */
int folder_parent(int folder, const char *path, const char **ret_name);
/* Its entries; closedir(). NULL and errno: it is not one, or cannot be read. */
DIR *folder_list(int folder, const char *path);
/* "." and "..". */
bool folder_is_dots(const char *name);
void folder_close(DIR **d);
/* Removes it and all that is in it, however deep it is and however its modes forbid it. */
int folder_remove(int folder, const char *name);
