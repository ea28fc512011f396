/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * File operations as rows, performed by the bare system call: a letter for each column is a path.
 * In a path, @ in front is the folder where the rows run and % one outside of it, both as full
 * names. Used by the tests of the broker.
 */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

enum fileop {
	OP_OPEN,   /* opened and closed; what can be written gets a letter */
	OP_OPENAT, /* relative to the folder b */
	OP_CREAT,
	OP_MKDIR,
	OP_RMDIR,
	OP_UNLINK,
	OP_UNLINKAT,
	OP_RENAME,
	OP_RENAME2,
	OP_LINK,
	OP_LINKAT,
	OP_SYMLINK,
	OP_MKNOD,
	OP_CHMOD,
	OP_FCHMOD,   /* of a descriptor, opened with the flags */
	OP_FCHMODAT, /* with flags */
	OP_CHOWN,
	OP_LCHOWN,
	OP_FCHOWN,
	OP_TRUNCATE,
	OP_SETXATTR,
	OP_LSETXATTR,
	OP_FSETXATTR,
	OP_REMOVEXATTR,
	OP_UMASK,
	OP_CHDIR,
	OP_REOPEN,  /* opens a to read, then /proc/self/fd/N with the flags */
	OP_TMPLINK, /* a file without a name in the folder a gets the name b by /proc/self/fd */
};

struct fileop_row {
	enum fileop op;
	const char *a, *b;
	int flags;
	mode_t mode;
};

struct fileop_dirs {
	const char *here, *outside;
};

static inline const char *fileop_path(const struct fileop_dirs *d, const char *text, char *out)
{
	if (!text)
		return NULL;
	if (text[0] == '@' || text[0] == '%')
		snprintf(out, PATH_MAX, "%s%s", text[0] == '@' ? d->here : d->outside, text + 1);
	else
		snprintf(out, PATH_MAX, "%s", text);
	return out;
}

static inline long fileop_done(long fd)
{
	long r = fd < 0 ? -errno : 0;

	if (fd >= 0) {
		if (write((int)fd, "w", 1) < 0)
			r = 1; /* not opened for writing */
		close((int)fd);
	}
	return r;
}

static inline long fileop_result(long r)
{
	return r < 0 ? -errno : r;
}

static inline long fileop_reopen(const char *path, int flags, mode_t mode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char self[32];
	long r;

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	r = fileop_done(syscall(SYS_openat, AT_FDCWD, self, flags, mode));
	close(fd);
	return r;
}

static inline long fileop_tmplink(const char *dir, const char *to, int flags, mode_t mode)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, dir, O_TMPFILE | O_WRONLY | flags, mode);
	long r;
	char self[32];

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	r = fileop_result(write(fd, "tmp", 3));
	if (r >= 0)
		r = fileop_result(
			syscall(SYS_linkat, AT_FDCWD, self, AT_FDCWD, to, AT_SYMLINK_FOLLOW));
	close(fd);
	return r;
}

static inline long fileop_by_fd(const struct fileop_row *row, const char *a)
{
	int fd = open(a, row->flags | O_CLOEXEC);
	long r = 0;

	if (fd < 0)
		return -errno;
	if (row->op == OP_FCHMOD)
		r = fileop_result(syscall(SYS_fchmod, fd, row->mode));
	else if (row->op == OP_FCHOWN)
		r = fileop_result(syscall(SYS_fchown, fd, getuid(), getgid()));
	else
		r = fileop_result(syscall(SYS_fsetxattr, fd, "user.f", "v", 1, 0));
	close(fd);
	return r;
}

static inline long fileop_openat(const char *a, const char *b, int flags, mode_t mode)
{
	int dir = open(b, O_PATH | O_CLOEXEC);
	long r = fileop_done(syscall(SYS_openat, dir, a, flags, mode));

	close(dir);
	return r;
}

static inline long fileop_run(const struct fileop_dirs *d, const struct fileop_row *row)
{
	static char text_a[PATH_MAX], text_b[PATH_MAX];
	const char *a = fileop_path(d, row->a, text_a), *b = fileop_path(d, row->b, text_b);
	int flags = row->flags;

	switch (row->op) {
	case OP_OPEN:
		return fileop_done(syscall(SYS_openat, AT_FDCWD, a, flags, row->mode));
	case OP_OPENAT:
		return fileop_openat(a, b, flags, row->mode);
	case OP_CREAT:
		return fileop_done(creat(a, row->mode));
	case OP_MKDIR:
		return fileop_result(syscall(SYS_mkdirat, AT_FDCWD, a, row->mode));
	case OP_RMDIR:
		return fileop_result(syscall(SYS_unlinkat, AT_FDCWD, a, AT_REMOVEDIR));
	case OP_UNLINK:
		return fileop_result(syscall(SYS_unlinkat, AT_FDCWD, a, 0));
	case OP_UNLINKAT:
		return fileop_result(syscall(SYS_unlinkat, AT_FDCWD, a, flags));
	case OP_RENAME:
		return fileop_result(syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 0));
	case OP_RENAME2:
		return fileop_result(syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, flags));
	case OP_LINK:
		return fileop_result(syscall(SYS_linkat, AT_FDCWD, a, AT_FDCWD, b, 0));
	case OP_LINKAT:
		return fileop_result(syscall(SYS_linkat, AT_FDCWD, a, AT_FDCWD, b, flags));
	case OP_SYMLINK:
		return fileop_result(syscall(SYS_symlinkat, a, AT_FDCWD, b));
	case OP_MKNOD:
		return fileop_result(syscall(SYS_mknodat, AT_FDCWD, a, row->mode, 0));
	case OP_CHMOD:
		return fileop_result(syscall(SYS_fchmodat, AT_FDCWD, a, row->mode));
	case OP_FCHMODAT:
		return fileop_result(syscall(SYS_fchmodat2, AT_FDCWD, a, row->mode, flags));
	case OP_CHOWN:
		return fileop_result(syscall(SYS_fchownat, AT_FDCWD, a, getuid(), getgid(), flags));
	case OP_LCHOWN:
		return fileop_result(lchown(a, getuid(), getgid()));
	case OP_TRUNCATE:
		return fileop_result(syscall(SYS_truncate, a, (long)row->flags));
	case OP_SETXATTR:
		return fileop_result(setxattr(a, b, "value", 5, flags));
	case OP_LSETXATTR:
		return fileop_result(lsetxattr(a, b, "value", 5, flags));
	case OP_REMOVEXATTR:
		return fileop_result(removexattr(a, b));
	case OP_FCHMOD:
	case OP_FCHOWN:
	case OP_FSETXATTR:
		return fileop_by_fd(row, a);
	case OP_UMASK:
		umask(row->mode);
		return 0;
	case OP_CHDIR:
		return fileop_result(chdir(a));
	case OP_REOPEN:
		return fileop_reopen(a, flags, row->mode);
	case OP_TMPLINK:
		return fileop_tmplink(a, b, flags, row->mode);
	}
	return -ENOSYS;
}
