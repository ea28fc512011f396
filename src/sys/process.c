/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/process.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <net/if.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t process_start(unsigned long namespaces, int cgroup)
{
	struct clone_args args = {
		.flags = namespaces | (cgroup >= 0 ? CLONE_INTO_CGROUP : 0),
		.exit_signal = SIGCHLD,
		.cgroup = cgroup >= 0 ? (uint64_t)cgroup : 0,
	};
	long pid = syscall(SYS_clone3, &args, sizeof args);

	return pid < 0 ? -errno : (pid_t)pid;
}

static int write_at(int dirfd, const char *name, const char *text)
{
	auto_fd int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int write_map(int dirfd, const char *name, unsigned inside, unsigned outside)
{
	char line[64];

	snprintf(line, sizeof line, "%u %u 1\n", inside, outside);
	return write_at(dirfd, name, line);
}

int process_map(pid_t pid, uid_t inside_uid, uid_t host_uid, gid_t inside_gid, gid_t host_gid,
	bool deny_setgroups)
{
	auto_fd int dir = -1;
	char path[32];
	int r;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	dir = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	r = write_map(dir, "uid_map", inside_uid, host_uid);
	/* Without rights of its own a process may map its group only when nobody in there can leave
	 * groups that take rights away. */
	if (r == 0 && deny_setgroups)
		r = write_at(dir, "setgroups", "deny");
	if (r == 0)
		r = write_map(dir, "gid_map", inside_gid, host_gid);
	return r;
}

int process_user_namespace(pid_t pid)
{
	char path[48];
	int fd;

	snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
	fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int process_wait(pid_t pid, unsigned ms)
{
	struct timespec now, end, left;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	for (;;) {
		pid_t r = waitpid(pid, NULL, WNOHANG);

		if (r == pid || (r < 0 && errno != EINTR))
			return r == pid ? 0 : -errno;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > end.tv_sec)
			return -ETIMEDOUT;
		left = (struct timespec){.tv_sec = end.tv_sec - now.tv_sec + 1};
		sigtimedwait(&child, NULL, &left);
	}
}

/* In runs between those that stay. */
int process_close_but(const int *kept, size_t count)
{
	unsigned first = STDERR_FILENO + 1, next;

	for (;; first = next + 1) {
		next = UINT_MAX;
		for (size_t i = 0; i < count; i++)
			if (kept[i] >= (int)first && (unsigned)kept[i] < next)
				next = (unsigned)kept[i];
		if (next == UINT_MAX)
			return syscall(SYS_close_range, first, next, 0u) < 0 ? -errno : 0;
		if (next > first && syscall(SYS_close_range, first, next - 1, 0u) < 0)
			return -errno;
	}
}

int process_raise_lo(void)
{
	auto_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};

	if (fd < 0)
		return -errno;
	return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
}
