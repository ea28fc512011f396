/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/ns.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const kinds[NS_COUNT] = {
	[NS_USER] = "user",
	[NS_MOUNT] = "mnt",
	[NS_PID] = "pid",
	[NS_NET] = "net",
	[NS_IPC] = "ipc",
	[NS_UTS] = "uts",
	[NS_CGROUP] = "cgroup",
	[NS_TIME] = "time",
};

void ns_look(bool ret_there[NS_COUNT])
{
	auto_fd int dir = open("/proc/self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	for (int k = 0; k < NS_COUNT; k++)
		ret_there[k] = dir >= 0 && fstatat(dir, kinds[k], &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int ns_enter(int flags)
{
	return unshare(flags) < 0 ? -errno : 0;
}

int ns_filtered(void)
{
	/* CLONE_VFORK means nothing here: the kernel refuses the whole call before it looks at the
	 * rest. */
	if (unshare(CLONE_NEWUSER | CLONE_VFORK) == 0)
		return 0;
	return errno == EINVAL ? 0 : -errno;
}

static int write_file(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int write_map(const char *path, unsigned id)
{
	char line[64];

	snprintf(line, sizeof(line), "%u %u 1\n", id, id);
	return write_file(path, line);
}

int ns_enter_user(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int r = ns_enter(CLONE_NEWUSER);

	if (r >= 0)
		r = write_file("/proc/self/setgroups", "deny");
	if (r >= 0)
		r = write_map("/proc/self/uid_map", uid);
	if (r >= 0)
		r = write_map("/proc/self/gid_map", gid);
	return r;
}
