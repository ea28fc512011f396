/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "engine/broker_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/*
 * Everything here is found under the caller's number in /proc. The caller waits for its answer, so
 * the number is its own as long as the notification is valid; that is asked once, after the last
 * look and before the first act. A look at somebody else's folder by mistake changes nothing.
 */
#define PAGE 4096u /* the smallest page that there is: larger ones are only read in more parts */
#define FIRST_READ 512u

int broker_read_bytes(struct broker_call *c, uint64_t from, void *out, size_t size)
{
	struct iovec local = {out, size}, remote = {.iov_len = size};
	uintptr_t there = (uintptr_t)from; /* an address of the caller's */
	ssize_t n;

	memcpy(&remote.iov_base, &there, sizeof there);
	if (size == 0)
		return 0;
	n = process_vm_readv(c->tid, &local, 1, &remote, 1, 0);
	if (n < 0)
		return errno == ESRCH ? -ENOENT : -errno;
	return (size_t)n == size ? 0 : -EFAULT;
}

/* Never reads across a page's end in one piece: what is behind it may not be there. */
int broker_read_text(struct broker_call *c, uint64_t from, char *out, size_t size)
{
	for (size_t done = 0; done < size;) {
		size_t part = PAGE - (from + done) % PAGE;
		int r;

		part = done == 0 && part > FIRST_READ ? FIRST_READ : part;
		part = part > size - done ? size - done : part;
		r = broker_read_bytes(c, from + done, out + done, part);
		if (r < 0)
			return r;
		if (memchr(out + done, '\0', part))
			return 0;
		done += part;
	}
	return -ENAMETOOLONG;
}

static int open_of(struct broker_call *c, int fd, int flags)
{
	char name[64];
	int r;

	if (fd == AT_FDCWD)
		snprintf(name, sizeof(name), "%d/cwd", c->tid);
	else
		snprintf(name, sizeof(name), "%d/fd/%d", c->tid, fd);
	if (fd < 0 && fd != AT_FDCWD)
		return -EBADF;
	r = openat(c->b->proc, name, flags | O_PATH | O_CLOEXEC);
	if (r < 0)
		return errno == ENOENT && fd != AT_FDCWD ? -EBADF : -errno;
	return r;
}

int broker_caller_dir(struct broker_call *c, int fd)
{
	return open_of(c, fd, O_DIRECTORY);
}

int broker_caller_file(struct broker_call *c, int fd)
{
	return open_of(c, fd, 0);
}

/* A small file of the caller's; the text is cut at size - 1. */
static int read_file(struct broker_call *c, const char *name, char *out, size_t size)
{
	char path[64];
	auto_fd int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "%d/%s", c->tid, name);
	fd = openat(c->b->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	return 0;
}

static int octal_behind(const char *text, const char *label, unsigned *ret_value)
{
	const char *at = strstr(text, label);
	char *end;

	if (!at)
		return -EIO;
	at += strlen(label);
	*ret_value = (unsigned)strtoul(at, &end, 8);
	return end != at ? 0 : -EIO;
}

int broker_caller_is_path(struct broker_call *c, int fd)
{
	char name[32], text[256];
	unsigned flags;
	int r;

	snprintf(name, sizeof(name), "fdinfo/%d", fd);
	r = read_file(c, name, text, sizeof(text));
	if (r >= 0)
		r = octal_behind(text, "flags:", &flags);
	if (r < 0)
		return r == -ENOENT ? -EBADF : r;
	return (flags & O_PATH) != 0;
}

int broker_caller_umask(struct broker_call *c)
{
	char text[192]; /* it is the second line, behind a name of at most 64 bytes */
	unsigned mask;
	int r = read_file(c, "status", text, sizeof(text));

	if (r >= 0)
		r = octal_behind(text, "\nUmask:", &mask);
	if (r < 0)
		return r;
	umask(mask);
	return 0;
}

int broker_caller_limit(struct broker_call *c, int which, rlim_t *ret_limit)
{
	struct rlimit limit;

	if (syscall(SYS_prlimit64, c->tid, which, NULL, &limit) < 0)
		return -errno;
	*ret_limit = limit.rlim_cur;
	return 0;
}

/* How many of the caller's descriptors are below the limit. Those above it, which a limit that was
 * lowered leaves behind, do not count. */
static int count_below(struct broker_call *c, const char *folder, rlim_t limit, rlim_t *ret_count)
{
	auto_fd int fd = openat(c->b->proc, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rlim_t count = 0;
	long n = -1;

	while (fd >= 0 && (n = syscall(SYS_getdents64, fd, c->b->value, BROKER_VALUE_MAX)) > 0) {
		for (long at = 0; at < n;) {
			const struct broker_entry *e = (void *)(c->b->value + at);

			at += e->len;
			count += e->name[0] != '.' && strtoul(e->name, NULL, 10) < limit;
		}
	}
	*ret_count = count;
	return n < 0 ? -errno : 0;
}

/*
 * The kernel takes a descriptor before it looks at the file; here the file is opened first. So that
 * nothing is created or truncated for a caller that cannot get a descriptor, its open ones are
 * counted before (from Linux 6.2 on, the folder's size says how many there are at most).
 */
int broker_caller_room(struct broker_call *c)
{
	char folder[32];
	struct stat st;
	rlim_t limit = 0, count = 0;

	snprintf(folder, sizeof(folder), "%d/fd", c->tid);
	if (fstatat(c->b->proc, folder, &st, 0) < 0 || st.st_size == 0)
		return 0;
	if (broker_caller_limit(c, RLIMIT_NOFILE, &limit) < 0 || (rlim_t)st.st_size < limit)
		return 0;
	if (count_below(c, folder, limit, &count) < 0 || count < limit)
		return 0;
	return -EMFILE;
}

int broker_caller_alive(struct broker_call *c)
{
	return ioctl(c->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &c->id) < 0 ? -ENOENT : 0;
}
