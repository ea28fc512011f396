/* SPDX-License-Identifier: Apache-2.0 */
#include "state/history.h"

#include "base/cleanup.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NAME "usage"
#define OLD "usage.1"
#define EXCLUSIVE 2 /* LOCK_EX */
#define LOOK 1024   /* rows after which the size is looked at */

static void open_file(struct history *h)
{
	h->file = openat(h->folder, NAME,
		O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	h->since = 0;
}

/* Several may find it too large at once: whoever has put it aside finds a new one. */
static void put_aside(struct history *h)
{
	auto_fd int lock = folder_open(h->folder, "", O_RDONLY | O_DIRECTORY, 0);
	struct stat here, there;

	h->since = 0;
	if (lock < 0 || syscall(SYS_flock, lock, EXCLUSIVE) < 0)
		return;
	if (fstat(h->file, &here) < 0 ||
		here.st_size < (off_t)(HISTORY_ROWS * sizeof(struct usage_row)))
		return;
	if (fstatat(h->folder, NAME, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		there.st_ino == here.st_ino && renameat(h->folder, NAME, h->folder, OLD) < 0)
		return;
	close(h->file);
	open_file(h);
}

void history_open(struct history *h, const char *state)
{
	*h = (struct history){.folder = -1, .file = -1};
	if (!state)
		return;
	h->folder = folder_own(state, FOLDER_MAKE);
	if (h->folder < 0)
		return;
	open_file(h);
	if (h->file >= 0)
		put_aside(h);
}

void history_add(struct history *h, struct usage_row *row)
{
	if (h->file < 0)
		return;
	usage_close(row);
	if (write(h->file, row, sizeof *row) != (ssize_t)sizeof *row)
		return; /* a full disk: readers find the next row by its beginning */
	if (++h->since >= LOOK)
		put_aside(h);
}

/* Past what is no row: to where the next one may begin. */
static size_t skip(const char *data, size_t len)
{
	for (size_t i = 1; i + sizeof(uint32_t) <= len; i++) {
		uint32_t magic;

		memcpy(&magic, data + i, sizeof magic);
		if (magic == USAGE_MAGIC)
			return i;
	}
	return len > sizeof(uint32_t) ? len - sizeof(uint32_t) + 1 : len;
}

static void read_rows(int fd, history_fn *fn, void *ctx)
{
	static char data[256 * sizeof(struct usage_row)];
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, data + len, sizeof data - len)) > 0) {
		size_t at = 0;

		len += (size_t)n;
		while (len - at >= sizeof(struct usage_row)) {
			struct usage_row row;

			memcpy(&row, data + at, sizeof row);
			if (usage_check(&row)) {
				fn(ctx, &row);
				at += sizeof row;
			} else {
				at += skip(data + at, len - at);
			}
		}
		memmove(data, data + at, len - at);
		len -= at;
	}
}

int history_read(const char *state, history_fn *fn, void *ctx, struct err *e)
{
	static const char *const names[] = {OLD, NAME};
	auto_fd int folder = state ? folder_own(state, 0) : -ENOENT;

	if (folder == -ENOENT)
		return 0;
	if (folder < 0)
		return err_sys(e, folder, "open '%s'", state);
	for (size_t i = 0; i < 2; i++) {
		auto_fd int fd =
			openat(folder, names[i], O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0)
			read_rows(fd, fn, ctx);
	}
	return 0;
}
