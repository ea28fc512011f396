/* SPDX-License-Identifier: Apache-2.0 */
#include "state/auditlog_view.h"

#include "base/cleanup.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BLOCK (64u << 10)

/* Only a plain file of the caller's own, that nobody else can write to. */
static int open_file(int folder, const char *name, struct auditlog_file *ret)
{
	auto_fd int fd = folder_open(folder, name, O_RDONLY | O_NONBLOCK, 0);
	char line[AUDITLOG_PREFIX];
	uint8_t prev[SHA256_SIZE];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	*ret = (struct auditlog_file){.size = (uint64_t)st.st_size};
	n = pread(fd, line, sizeof line, 0);
	if (n < 0)
		return -errno;
	if (n > 0 && !auditlog_read_prefix(line, (size_t)n, &ret->first, prev))
		ret->first = 0;
	snprintf(ret->name, sizeof ret->name, "%s", name);
	ret->fd = take_fd(&fd);
	return 0;
}

static int open_files(struct auditlog_view *v, const struct auditlog *l)
{
	uint64_t *old;
	size_t count;
	int r = auditlog_list_old(l, &v->arena, &old, &count);

	if (r < 0)
		return r;
	v->files = arena_array(&v->arena, count + 1, sizeof *v->files);
	for (size_t i = 0; i <= count && r == 0; i++) {
		char name[AUDITLOG_FILE] = AUDITLOG_NAME;

		if (i < count)
			snprintf(name, sizeof name, AUDITLOG_OLD, (unsigned long long)old[i]);
		r = open_file(l->folder, name, &v->files[v->count]);
		v->count += r == 0;
	}
	/* Between the end of one file and the first line of the next there is none. */
	return r == -ENOENT ? 0 : r;
}

int auditlog_view_take(struct auditlog_view *v, const struct auditlog *l)
{
	int r = l->head < 0 ? 0 : auditlog_lock(l, false);

	*v = (struct auditlog_view){.no_head = -ENOENT};
	if (r < 0)
		return r;
	r = open_files(v, l);
	if (l->head >= 0)
		v->no_head = auditlog_read_head(l, &v->head);
	if (l->head >= 0)
		auditlog_unlock(l);
	if (r < 0)
		auditlog_view_close(v);
	return r;
}

/* The lock of readers needs no right to write. */
static int open_head(int folder)
{
	auto_fd int fd = folder_open(folder, AUDITLOG_HEAD, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return -errno;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid() ? take_fd(&fd) : -EPERM;
}

int auditlog_view_open(struct auditlog_view *v, const char *folder, struct err *e)
{
	auto_(auditlog_close) struct auditlog l = {.head = -1, .file = -1};
	int r = l.folder = folder_own(folder, 0);

	*v = (struct auditlog_view){0};
	if (r >= 0)
		r = l.head = open_head(l.folder);
	if (r >= 0 || (r == -ENOENT && l.folder >= 0))
		r = auditlog_view_take(v, &l);
	if (r == 0 && v->count == 0 && v->no_head == -ENOENT)
		r = -ENOENT;
	if (r == -ENOENT)
		return err_set(e, ENOENT, "there is no audit log in '%s'", folder);
	if (r == -EPERM)
		return err_set(e, EPERM,
			"the audit log in '%s' belongs to somebody else, or others can write to it",
			folder);
	return r < 0 ? err_sys(e, r, "read the audit log in '%s'", folder) : 0;
}

void auditlog_view_close(struct auditlog_view *v)
{
	for (size_t i = 0; i < v->count; i++)
		cleanup_fd(&v->files[i].fd);
	v->count = 0;
	arena_free(&v->arena);
}

/* What has been read of a file and not yet been given on. */
struct reading {
	auditlog_see *see;
	void *ctx;
	size_t len;
	bool skipping; /* the rest of a line that is too long */
	char data[2 * AUDITLOG_LINE];
};

static int give_lines(struct reading *r, size_t *ret_used)
{
	char *at = r->data, *end;
	int result = 0;

	while (result == 0 && (end = memchr(at, '\n', r->len - (size_t)(at - r->data)))) {
		result = r->skipping ? r->see(r->ctx, NULL, 0)
				     : r->see(r->ctx, at, (size_t)(end - at));
		r->skipping = false;
		at = end + 1;
	}
	*ret_used = (size_t)(at - r->data);
	return result;
}

int auditlog_view_read(const struct auditlog_file *f, uint64_t from, auditlog_see *see, void *ctx,
	uint64_t *ret_end)
{
	static struct reading r;
	uint64_t at = from, end = from;

	r.see = see;
	r.ctx = ctx;
	r.len = 0;
	r.skipping = false;
	while (at < f->size) {
		size_t room = sizeof r.data - r.len, used;
		size_t want = f->size - at < room ? (size_t)(f->size - at) : room;
		ssize_t n = pread(f->fd, r.data + r.len, want, (off_t)at);
		int result;

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		at += (uint64_t)n;
		r.len += (size_t)n;
		result = give_lines(&r, &used);
		r.len -= used;
		memmove(r.data, r.data + used, r.len);
		if (used > 0)
			end = at - r.len;
		if (r.len == sizeof r.data) {
			r.skipping = true;
			r.len = 0;
		}
		if (result)
			return result;
	}
	*ret_end = end;
	return 0;
}

int auditlog_view_all(const struct auditlog_view *v, auditlog_see *see, void *ctx)
{
	uint64_t end;
	int r = 0;

	for (size_t i = 0; i < v->count && r == 0; i++)
		r = auditlog_view_read(&v->files[i], 0, see, ctx, &end);
	return r;
}

/* The byte behind the last line end but `*io_lines`, from the end of the file backwards; counts
 * those that it has passed. */
static int seek_back(const struct auditlog_file *f, uint64_t *io_lines, uint64_t *ret_from)
{
	static char data[BLOCK];
	uint64_t at = f->size;

	while (at > 0) {
		size_t want = at < sizeof data ? (size_t)at : sizeof data;
		ssize_t n = pread(f->fd, data, want, (off_t)(at - want));

		if (n != (ssize_t)want)
			return n < 0 ? -errno : -EIO;
		for (size_t i = want; i-- > 0;) {
			if (data[i] != '\n' || at - want + i + 1 == f->size)
				continue;
			if (--*io_lines == 0) {
				*ret_from = at - want + i + 1;
				return 0;
			}
		}
		at -= want;
	}
	*ret_from = 0;
	*io_lines -= f->size > 0;
	return 0;
}

int auditlog_view_tail(
	const struct auditlog_view *v, uint64_t lines, size_t *ret_file, uint64_t *ret_from)
{
	size_t i = v->count;
	int r = 0;

	*ret_from = v->count ? v->files[v->count - 1].size : 0;
	while (i > 0 && lines > 0 && r == 0)
		r = seek_back(&v->files[--i], &lines, ret_from);
	*ret_file = v->count && i == v->count ? v->count - 1 : i;
	return r;
}
