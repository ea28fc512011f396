/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/copy.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* Where the kernel cannot do it by itself. */
static int copy_by_hand(int from, int to)
{
	static char data[65536];
	ssize_t n;

	while ((n = read(from, data, sizeof data)) > 0)
		for (ssize_t done = 0; done < n;) {
			ssize_t m = write(to, data + done, (size_t)(n - done));

			if (m < 0)
				return -errno;
			done += m;
		}
	return n < 0 ? -errno : 0;
}

int copy_bytes(int from, int to)
{
	bool begun = false;
	long n;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	while ((n = syscall(SYS_copy_file_range, from, NULL, to, NULL, (size_t)1 << 30, 0u)) > 0)
		begun = true;
	if (n == 0 && begun)
		return 0;
	if (n < 0 && (begun || errno == ENOSPC || errno == EDQUOT || errno == EIO))
		return -errno;
	return copy_by_hand(from, to);
}

static int copy_link(int from, const char *name, int to, const char *new_name)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(from, name, text, sizeof text - 1);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	return symlinkat(text, to, new_name) < 0 ? -errno : 0;
}

int copy_entry(int from, const char *name, int to, const char *new_name, const struct stat *st)
{
	auto_fd int in = -1;
	auto_fd int out = -1;
	struct timespec times[2] = {st->st_atim, st->st_mtim};
	struct stat opened;
	int r;

	if (S_ISLNK(st->st_mode))
		return copy_link(from, name, to, new_name);
	if (!S_ISREG(st->st_mode))
		return 0;
	in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (in < 0 || fstat(in, &opened) < 0)
		return -errno;
	if (!S_ISREG(opened.st_mode))
		return -EINVAL;
	out = openat(to, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	r = copy_bytes(in, out);
	if (r == 0 && (fchmod(out, opened.st_mode & 0777) < 0 || futimens(out, times) < 0))
		r = -errno;
	return r;
}
