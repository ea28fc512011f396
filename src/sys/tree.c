/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/tree.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* libc's <sys/mount.h> and the kernel's header cannot both be included everywhere. */
#define RECURSIVE 0x8000 /* AT_RECURSIVE */
#define PROPAGATE_PRIVATE (1 << 18)
#define DETACH 2 /* MNT_DETACH */

int tree_open(int dirfd, const char *path)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | RECURSIVE | AT_SYMLINK_NOFOLLOW;
	long fd = syscall(SYS_open_tree, dirfd, path, flags | (path[0] ? 0u : AT_EMPTY_PATH));

	return fd < 0 ? -errno : (int)fd;
}

int tree_set(int tree, unsigned flags, int idmap)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | (flags & TREE_READ_ONLY ? MOUNT_ATTR_RDONLY : 0) |
			    (flags & TREE_NOEXEC ? MOUNT_ATTR_NOEXEC : 0) |
			    (flags & TREE_DEVICES ? 0 : MOUNT_ATTR_NODEV) |
			    (idmap >= 0 ? MOUNT_ATTR_IDMAP : 0),
		.propagation = PROPAGATE_PRIVATE,
		.userns_fd = idmap >= 0 ? (uint64_t)idmap : 0,
	};
	long r =
		syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | RECURSIVE, &attr, sizeof attr);

	return r < 0 ? -errno : 0;
}

int tree_attach(int tree, int dirfd, const char *target)
{
	long r = syscall(SYS_move_mount, tree, "", dirfd, target, MOVE_MOUNT_F_EMPTY_PATH);

	return r < 0 ? -errno : 0;
}

int tree_mount(const char *type, const char *target, unsigned long flags, const char *options)
{
	return syscall(SYS_mount, type, target, type, flags, options) < 0 ? -errno : 0;
}

int tree_pivot(void)
{
	/* The old root ends up mounted over the new one, from where it is taken away. */
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return -errno;
	return syscall(SYS_umount2, ".", DETACH) < 0 ? -errno : 0;
}

static int write_own(const char *path, const char *text)
{
	auto_fd int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int write_map(const char *path, unsigned inside, unsigned outside)
{
	char line[64];

	snprintf(line, sizeof line, "%u %u 1\n", inside, outside);
	return write_own(path, line);
}

struct idmap {
	uid_t disk_uid, host_uid;
	gid_t disk_gid, host_gid;
	int fd; /* or a negative errno */
};

/*
 * Takes on the ids of the sandbox first: a process may map its own ids without asking anybody. It
 * shares memory and descriptors with its parent, so the descriptor stays when it ends.
 */
static int make_idmap(void *arg)
{
	struct idmap *m = arg;
	int r = 0;

	if (syscall(SYS_setresgid, m->host_gid, m->host_gid, m->host_gid) < 0 ||
		syscall(SYS_setresuid, m->host_uid, m->host_uid, m->host_uid) < 0 ||
		prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(CLONE_NEWUSER) < 0)
		r = -errno;
	if (r == 0)
		r = write_map("/proc/self/uid_map", m->disk_uid, m->host_uid);
	if (r == 0)
		r = write_own("/proc/self/setgroups", "deny");
	if (r == 0)
		r = write_map("/proc/self/gid_map", m->disk_gid, m->host_gid);
	if (r == 0) {
		m->fd = openat(AT_FDCWD, "/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
		r = m->fd < 0 ? -errno : 0;
	}
	if (r < 0)
		m->fd = r;
	return 0;
}

int tree_idmap(uid_t disk_uid, gid_t disk_gid, uid_t host_uid, gid_t host_gid)
{
	static char stack[16384] __attribute__((aligned(16)));
	struct idmap m = {disk_uid, host_uid, disk_gid, host_gid, -ECHILD};
	pid_t pid = clone(make_idmap, stack + sizeof stack,
		CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &m);

	if (pid < 0)
		return -errno;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return m.fd;
}
