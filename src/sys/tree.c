/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/tree.h"

#include "base/cleanup.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/stat.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* libc's <sys/mount.h> and the kernel's header cannot both be included everywhere. */
#define RECURSIVE 0x8000 /* AT_RECURSIVE */
#define PROPAGATE_PRIVATE (1 << 18)
#define DETACH_TRIES 64
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
		.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
			    (flags & TREE_READ_ONLY ? MOUNT_ATTR_RDONLY : 0) |
			    (flags & TREE_NOEXEC ? MOUNT_ATTR_NOEXEC : 0) |
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

int tree_swap(int *ret_old)
{
	auto_fd int old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (old < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || chdir("/") < 0)
		return -errno;
	*ret_old = take_fd(&old);
	return 0;
}

/* The mount that a path is on. */
static int mount_of(const char *path, uint64_t *ret)
{
	struct statx st;

	if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_MNT_ID, &st) < 0)
		return -errno;
	*ret = st.stx_mnt_id;
	return st.stx_mask & STATX_MNT_ID ? 0 : -ENOSYS;
}

/* What was mounted on the old root meanwhile lies above it. */
int tree_detach(int old)
{
	for (int i = 0; i < DETACH_TRIES; i++) {
		uint64_t root, above;
		int r;

		if (fchdir(old) < 0 || syscall(SYS_umount2, ".", DETACH) < 0 || chdir("/") < 0)
			return -errno;
		r = mount_of("/", &root);
		if (r == 0)
			r = mount_of("/..", &above);
		if (r < 0 || root == above)
			return r;
	}
	return -EBUSY;
}

/* The child of tree_idmap: is there until it is killed, or its parent is gone. */
static int be_there(void *parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (getppid() == *(pid_t *)parent)
		pause();
	return 0;
}

int tree_idmap(uid_t disk_uid, gid_t disk_gid, uid_t host_uid, gid_t host_gid)
{
	static char stack[16384] __attribute__((aligned(16)));
	static pid_t self;
	pid_t pid;
	int fd;

	self = getpid();
	/* Shares the memory, which it does nothing with, and keeps the ids of this process: nobody
	 * else may look into it. */
	pid = clone(be_there, stack + sizeof stack, CLONE_VM | CLONE_NEWUSER | SIGCHLD, &self);
	if (pid < 0)
		return -errno;
	fd = process_map(pid, disk_uid, host_uid, disk_gid, host_gid, false);
	if (fd == 0)
		fd = process_user_namespace(pid);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return fd;
}
