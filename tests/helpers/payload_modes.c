/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

/*
 * Files that would run with the rights of their owner, by each call that takes a mode, and devices.
 * Each is left as DIR/NAME, DIR being the argument, for somebody on the host to look at.
 */

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

struct place {
	char path[256];
};

static struct place place(const struct attempt *self, int argc, char **argv)
{
	struct place p;

	snprintf(p.path, sizeof p.path, "%s/%s", argc > 0 ? argv[0] : ".", self->name);
	return p;
}

/* A plain file of that name. */
static int plain(const char *path)
{
	return open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0755);
}

static int run_chmod(const struct attempt *self, int argc, char **argv)
{
	struct place p = place(self, argc, argv);
	int fd = plain(p.path);

	if (fd < 0)
		return -errno;
	if (self->nr == SYS_fchmod)
		return payload_result(syscall(self->nr, fd, self->arg[0]));
	if (self->nr == SYS_fchmodat || self->nr == SYS_fchmodat2)
		return payload_result(syscall(self->nr, AT_FDCWD, p.path, self->arg[0], 0));
	return payload_result(syscall(self->nr, p.path, self->arg[0]));
}

static int run_chmod_folder(const struct attempt *self, int argc, char **argv)
{
	struct place p = place(self, argc, argv);

	if (mkdir(p.path, 0755) < 0)
		return -errno;
	return payload_result(syscall(SYS_fchmodat, AT_FDCWD, p.path, self->arg[0]));
}

static int run_open(const struct attempt *self, int argc, char **argv)
{
	struct place p = place(self, argc, argv);

	if (self->nr == SYS_openat)
		return payload_result(
			syscall(self->nr, AT_FDCWD, p.path, self->arg[0], self->arg[1]));
	return payload_result(syscall(self->nr, p.path, self->arg[0], self->arg[1]));
}

static int run_openat2(const struct attempt *self, int argc, char **argv)
{
	struct place p = place(self, argc, argv);
	struct open_how how = {.flags = O_CREAT | O_WRONLY, .mode = self->arg[0]};

	return payload_result(syscall(SYS_openat2, AT_FDCWD, p.path, &how, sizeof how));
}

static int run_tmpfile(const struct attempt *self, int argc, char **argv)
{
	struct place p = place(self, argc, argv);
	char name[64];
	long fd = syscall(
		SYS_openat, AT_FDCWD, argc > 0 ? argv[0] : ".", O_TMPFILE | O_WRONLY, self->arg[0]);

	if (fd < 0)
		return -errno;
	snprintf(name, sizeof name, "/proc/self/fd/%ld", fd);
	return payload_result(linkat(AT_FDCWD, name, AT_FDCWD, p.path, AT_SYMLINK_FOLLOW));
}

static int run_mknod(const struct attempt *self, int argc, char **argv)
{
	struct place p = place(self, argc, argv);

	if (self->nr == SYS_mknodat)
		return payload_result(
			syscall(self->nr, AT_FDCWD, p.path, self->arg[0], self->arg[1]));
	return payload_result(syscall(self->nr, p.path, self->arg[0], self->arg[1]));
}

/* All capabilities for whoever runs the file: version 2 of the attribute. */
static int run_filecap(const struct attempt *self, int argc, char **argv)
{
	static const uint32_t all[] = {0x02000001, 0xffffffff, 0, 0xffffffff, 0};
	struct place p = place(self, argc, argv);
	int fd = plain(p.path);

	if (fd < 0)
		return -errno;
	return payload_result(fsetxattr(fd, "security.capability", all, sizeof all, 0));
}

/* Without O_CREAT the mode means nothing, and is whatever the register held. */
static int run_open_plain(const struct attempt *self, int argc, char **argv)
{
	struct place p = place(self, argc, argv);
	int fd = plain(p.path);

	if (fd < 0)
		return -errno;
	return payload_result(syscall(SYS_openat, AT_FDCWD, p.path, O_RDONLY, self->arg[0]));
}

#define UID_MODE 04755UL
#define GID_MODE 02755UL
#define HIGH (1UL << 32)
#define NEW (O_CREAT | O_WRONLY)

const struct attempt payload_modes[] = {
#ifdef SYS_chmod
	{"mode", "chmod", run_chmod, SYS_chmod, {UID_MODE}},
	{"mode", "chmod-gid", run_chmod, SYS_chmod, {GID_MODE}},
	{"mode", "chmod-high", run_chmod, SYS_chmod, {UID_MODE | HIGH}},
	{"mode", "creat", run_open, SYS_creat, {UID_MODE}},
	{"mode", "open", run_open, SYS_open, {NEW, UID_MODE}},
	{"mode", "open-gid", run_open, SYS_open, {NEW, GID_MODE}},
	{"mode", "open-high", run_open, SYS_open, {NEW | HIGH, UID_MODE | HIGH}},
	{"mode", "mknod", run_mknod, SYS_mknod, {S_IFREG | UID_MODE}},
#endif
	{"mode", "fchmod", run_chmod, SYS_fchmod, {UID_MODE}},
	{"mode", "fchmod-gid", run_chmod, SYS_fchmod, {GID_MODE}},
	{"mode", "fchmodat", run_chmod, SYS_fchmodat, {UID_MODE}},
	{"mode", "fchmodat-high", run_chmod, SYS_fchmodat, {UID_MODE | HIGH}},
	{"mode", "fchmodat2", run_chmod, SYS_fchmodat2, {UID_MODE}},
	{"mode", "fchmodat2-gid", run_chmod, SYS_fchmodat2, {GID_MODE}},
	{"mode", "folder-gid", run_chmod_folder, 0, {GID_MODE}},
	{"mode", "openat", run_open, SYS_openat, {NEW, UID_MODE}},
	{"mode", "openat-gid", run_open, SYS_openat, {NEW, GID_MODE}},
	{"mode", "openat2", run_openat2, 0, {UID_MODE}},
	{"mode", "tmpfile", run_tmpfile, 0, {UID_MODE}},
	{"mode", "mknodat", run_mknod, SYS_mknodat, {S_IFREG | UID_MODE}},
	{"mode", "mknodat-gid", run_mknod, SYS_mknodat, {S_IFREG | GID_MODE}},
	{"filecap", "filecap", run_filecap, 0, {0}},

	{"device", "block", run_mknod, SYS_mknodat, {S_IFBLK | 0666, 0xfe00}},
	{"device", "memory", run_mknod, SYS_mknodat, {S_IFCHR | 0666, 0x0101}},
	{"device", "null", run_mknod, SYS_mknodat, {S_IFCHR | 0666, 0x0103}},

	{"mode-needed", "open-plain", run_open_plain, 0, {07777}},
	{"mode-needed", "chmod-plain", run_chmod, SYS_fchmodat, {0700}},
	{"mode-needed", "fifo", run_mknod, SYS_mknodat, {S_IFIFO | 0600}},
	{0},
};
