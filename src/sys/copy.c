/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/copy.h"

#include "base/cleanup.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* Where the kernel cannot do it by itself; both stand where it goes on. */
static int copy_by_hand(int from, int to, off_t size)
{
	static char data[65536];

	while (size > 0) {
		size_t part = size < (off_t)sizeof data ? (size_t)size : sizeof data;
		ssize_t n = read(from, data, part);

		if (n <= 0)
			return n < 0 ? -errno : 0;
		for (ssize_t done = 0; done < n;) {
			ssize_t m = write(to, data + done, (size_t)(n - done));

			if (m < 0)
				return -errno;
			done += m;
		}
		size -= n;
	}
	return 0;
}

static int copy_part(int from, int to, off_t at, off_t size)
{
	if (lseek(from, at, SEEK_SET) < 0 || lseek(to, at, SEEK_SET) < 0)
		return -errno;
	while (size > 0) {
		long n = syscall(SYS_copy_file_range, from, NULL, to, NULL, (size_t)size, 0u);

		if (n < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
			return -errno;
		if (n <= 0)
			return copy_by_hand(from, to, size);
		size -= n;
	}
	return 0;
}

/* Holes stay holes: a file can be larger than the disk is. */
int copy_bytes(int from, int to)
{
	struct stat st;
	off_t at = 0, end;
	int r = 0;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	if (fstat(from, &st) < 0 || ftruncate(to, st.st_size) < 0)
		return -errno;
	while (r == 0 && at < st.st_size) {
		at = lseek(from, at, SEEK_DATA);
		if (at < 0)
			return errno == ENXIO ? 0 : -errno;
		end = lseek(from, at, SEEK_HOLE);
		if (end < 0)
			end = st.st_size;
		r = copy_part(from, to, at, end - at);
		at = end;
	}
	return r;
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
	if (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode))
		return mknodat(to, new_name, (st->st_mode & S_IFMT) | 0600, 0) < 0 ||
				       fchmodat(to, new_name, st->st_mode & 0777, 0) < 0
			       ? -errno
			       : 0;
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	in = folder_open_anyway(from, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (in < 0)
		return take_fd(&in);
	if (fstat(in, &opened) < 0)
		return -errno;
	if (!S_ISREG(opened.st_mode))
		return -EINVAL;
	out = openat(to, new_name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return -errno;
	r = copy_bytes(in, out);
	if (r == 0 && (fchmod(out, st->st_mode & 0777) < 0 || futimens(out, times) < 0))
		r = -errno;
	return r;
}
