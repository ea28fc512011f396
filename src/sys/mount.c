/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/mount.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "sys/ns.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* libc's <sys/mount.h> and the kernel's header cannot both be included everywhere. */
#define PROPAGATE_PRIVATE (1 << 18)
#define RECURSIVE (1 << 14)

/* A folder that every system has; only this mount namespace sees what is put over it. */
static const char place[] = "/tmp";

static int make_private(void)
{
	long r = syscall(SYS_mount, "none", "/", NULL, RECURSIVE | PROPAGATE_PRIVATE, NULL);

	return r < 0 ? -errno : 0;
}

/* A detached mount of a file system that needs no options. */
static int make_mount(const char *type, int *ret_fd)
{
	auto_fd int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	int fd;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int mount_try_tmpfs(void)
{
	auto_fd int fd = -1;
	int r = make_private();

	if (r >= 0)
		r = make_mount("tmpfs", &fd);
	if (r >= 0 && syscall(SYS_move_mount, fd, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		r = -errno;
	return r;
}

int mount_try_overlay(void)
{
	static const char *const folders[] = {"/tmp/lower", "/tmp/upper", "/tmp/work", "/tmp/both"};
	static const char options[] = "lowerdir=/tmp/lower,upperdir=/tmp/upper,workdir=/tmp/work";
	int r = mount_try_tmpfs();

	for (size_t i = 0; i < ARRAY_LEN(folders) && r >= 0; i++)
		if (mkdir(folders[i], 0700) < 0)
			r = -errno;
	if (r >= 0 && syscall(SYS_mount, "overlay", "/tmp/both", "overlay", 0, options) < 0)
		r = -errno;
	return r;
}

/* In the helper: makes the namespace, says so, and waits to be killed. */
static void hold_user_ns(int out)
{
	char done = ns_enter_user() == 0;

	if (write(out, &done, 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

/* The user namespace of a helper process, which must live until it was opened. */
static int open_user_ns(pid_t helper, int in)
{
	char path[64], done = 0;
	int fd;

	if (read(in, &done, 1) != 1 || !done)
		return -EPERM;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)helper);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* A user namespace that the caller is not in. */
static int make_user_ns(int *ret_fd)
{
	auto_fd int in = -1, out = -1;
	int ends[2], fd;
	pid_t helper;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	in = ends[0];
	out = ends[1];
	helper = fork();
	if (helper < 0)
		return -errno;
	if (helper == 0)
		hold_user_ns(out);
	close(take_fd(&out));
	fd = open_user_ns(helper, in);
	kill(helper, SIGKILL);
	while (waitpid(helper, NULL, 0) < 0 && errno == EINTR)
		;
	if (fd < 0)
		return fd;
	*ret_fd = fd;
	return 0;
}

int mount_try_idmap(void)
{
	auto_fd int tree =
		(int)syscall(SYS_open_tree, AT_FDCWD, ".", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	auto_fd int user_ns = -1;
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP};
	int r = tree < 0 ? -errno : make_user_ns(&user_ns);

	if (r < 0)
		return r;
	attr.userns_fd = (unsigned)user_ns;
	if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return -errno;
	return 0;
}
