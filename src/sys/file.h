/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reading a whole file that somebody else may have prepared. What is checked is what was opened:
 * the folder is held by its descriptor, symbolic links are followed one by one, and only a regular
 * file of bounded size is read. Who may change the file, its links and their folders is reported,
 * so that a caller can refuse what an untrusted hand could have put there. Owns nothing. Called by
 * everything that reads configuration.
 */

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

/* One folder on the way from the name to the file, and the entry that was used in it. */
struct file_step {
	uid_t folder_uid;
	mode_t folder_mode;
	uid_t link_uid; /* owner of the symbolic link; of the last step: of the file */
};

#define FILE_LINKS_MAX 7

struct file_info {
	uid_t uid;
	gid_t gid;
	mode_t mode;
	dev_t dev;
	ino_t ino;
	unsigned links; /* symbolic links followed in the last component of the name */
	struct file_step steps[FILE_LINKS_MAX + 1]; /* links + 1 of them */
};

/*
 * Reads at most max bytes; a larger file is an error (EFBIG), as is anything but a regular file
 * (EISDIR, EINVAL). The data is followed by a NUL that does not count. ret_info may be NULL.
 * free(*ret_data).
 */
int file_read(int dirfd, const char *path, size_t max, struct file_info *ret_info, char **ret_data,
	size_t *ret_len, struct err *e);

/* A pipe or terminal to its end, within the same bounds; the name is only shown. free(*ret_data).
 */
int file_read_stream(
	int fd, const char *name, size_t max, char **ret_data, size_t *ret_len, struct err *e);

/*
 * 0 when only the caller and root can change the file or put another in its place: the file, its
 * links and their folders are owned by one of them, and not writable for group or others (a folder
 * may be when it is sticky). Else -EPERM and a message with the command that mends it. The path is
 * only shown.
 */
int file_check_trusted(const struct file_info *info, uid_t caller, const char *path, struct err *e);

/*
 * A small file such as those in /proc and /sys, cut at size - 1 bytes, NUL at the end, trailing
 * newlines removed. Returns its length or a negative errno.
 */
int file_read_small(const char *path, char *out, size_t size);
