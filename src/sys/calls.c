/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/calls.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

/* The kernel answers a senseless request with one of its own errors; ENOSYS and a filter's EPERM
 * are not. */
static int answer(long r, int expected)
{
	if (r >= 0 || errno == expected)
		return 0;
	return -errno;
}

int calls_openat2(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
	auto_fd int fd = (int)syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof(how));

	return answer(fd, EACCES);
}

int calls_pidfd(void)
{
	auto_fd int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	return answer(fd, 0);
}

int calls_close_range(void)
{
	/* The range above the last possible descriptor is empty. */
	return answer(syscall(SYS_close_range, UINT_MAX, UINT_MAX, 0), 0);
}

int calls_mount_api(void)
{
	/* All calls of the family came with one kernel; this one needs no rights. */
	auto_fd int fd = (int)syscall(SYS_open_tree, AT_FDCWD, "/", O_CLOEXEC);

	return answer(fd, 0);
}

int calls_mount_setattr(void)
{
	/* The size is wrong, which is found before the rights are looked at. */
	return answer(syscall(SYS_mount_setattr, -1, "", 0, NULL, 0), EINVAL);
}
