/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_read.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define BLOCK ((size_t)64 * 1024)
#define SCANNED_LIMITS 64 /* how many times the limit is looked through for a line */

static int too_large(struct err *e, const char *path, uint64_t size, uint64_t limit)
{
	char text[120];

	snprintf(text, sizeof text,
		"is too large: %ju bytes, and the limit is %ju; read a part of it", (uintmax_t)size,
		(uintmax_t)limit);
	return files_fail(e, EFBIG, path, text);
}

static int no_file(struct err *e, const char *path, mode_t mode)
{
	if (S_ISDIR(mode))
		return files_fail(e, EISDIR, path, "is a folder");
	return files_fail(e, EINVAL, path,
		"is no file but a pipe, a socket or a device, which is not read or written");
}

static int check_opened(
	const struct files *f, const struct files_place *p, const struct stat *st, struct err *e)
{
	struct stat root;

	if (!S_ISREG(st->st_mode))
		return no_file(e, p->path, st->st_mode);
	if (st->st_dev != p->st.st_dev || st->st_ino != p->st.st_ino)
		return files_fail(e, ESTALE, p->path, "was exchanged meanwhile; try again");
	if (st->st_nlink < 2)
		return 0;
	if (fstat(f->root, &root) < 0)
		return files_fail_sys(e, -errno, "look at", "");
	if (st->st_uid == root.st_uid || (f->owner != FILES_NOBODY && st->st_uid == f->owner))
		return 0;
	return files_fail(e, EXDEV, p->path,
		"has further names (hard links) and belongs to somebody else: it may be a file "
		"from outside of the workspace");
}

int files_read_open(
	const struct files *f, const struct files_place *p, struct stat *ret_st, struct err *e)
{
	auto_fd int fd = -1;
	int r;

	if (!p->exists)
		return files_fail(e, ENOENT, p->path, "does not exist");
	r = files_judge(f, p->path, PROTECT_READ, e);
	if (r < 0)
		return r;
	if (!S_ISREG(p->st.st_mode))
		return no_file(e, p->path, p->st.st_mode);
	fd = files_walk_open(f, p->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return files_fail_sys(e, fd, "open", p->path);
	if (fstat(fd, ret_st) < 0)
		return files_fail_sys(e, -errno, "look at", p->path);
	r = check_opened(f, p, ret_st, e);
	return r < 0 ? r : take_fd(&fd);
}

static ssize_t read_at(int fd, char *out, size_t size, uint64_t at)
{
	ssize_t n;

	do
		n = pread(fd, out, size, (off_t)at);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* As many bytes as there are from there, at most size; the file may shrink or grow meanwhile. */
static ssize_t read_full(int fd, char *out, size_t size, uint64_t at)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read_at(fd, out + len, size - len, at + len);

		if (n < 0)
			return n;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

int files_read_all(int fd, const char *path, uint64_t limit, struct arena *a, char **ret,
	size_t *ret_len, struct err *e)
{
	struct stat st;
	ssize_t n;
	char *data;

	if (fstat(fd, &st) < 0)
		return files_fail_sys(e, -errno, "look at", path);
	if ((uint64_t)st.st_size > limit)
		return too_large(e, path, (uint64_t)st.st_size, limit);
	data = arena_array(a, (size_t)st.st_size + 2, 1);
	n = read_full(fd, data, (size_t)st.st_size + 1, 0);
	if (n < 0)
		return files_fail_sys(e, (int)n, "read", path);
	if (n > st.st_size)
		return files_fail(e, ESTALE, path, "grew while it was read; try again");
	data[n] = '\0';
	*ret = data;
	*ret_len = (size_t)n;
	return 0;
}

/* Where lines begin and end: looks through the file block by block. */
struct scan {
	int fd;
	uint64_t at; /* position in the file */
	uint64_t max;
	char block[BLOCK];
	size_t have, used;
};

/* To behind the next newline; 0: the file has ended before anything came. */
static int next_line(struct scan *s)
{
	bool any = false;

	for (;;) {
		const char *end;

		if (s->used == s->have) {
			ssize_t n =
				s->at < s->max ? read_at(s->fd, s->block, BLOCK, s->at) : -EFBIG;

			if (n <= 0)
				return n < 0 ? (int)n : any;
			s->have = (size_t)n;
			s->used = 0;
		}
		any = true;
		end = memchr(s->block + s->used, '\n', s->have - s->used);
		if (end) {
			size_t len = (size_t)(end - (s->block + s->used)) + 1;

			s->used += len;
			s->at += len;
			return 1;
		}
		s->at += s->have - s->used;
		s->used = s->have;
	}
}

/* Turns lines into bytes. A count of lines that do not fit into the answer is cut at the limit. */
static int find_lines(int fd, const struct files_range *range, uint64_t limit,
	struct files_range *ret_bytes, uint64_t *ret_count)
{
	auto_free struct scan *s = mem_alloc(sizeof *s);
	uint64_t first = range->from ? range->from : 1, start, count = 0;
	int r = 1;

	s->fd = fd;
	s->max = limit * SCANNED_LIMITS;
	for (uint64_t line = 1; line < first && r > 0; line++)
		r = next_line(s);
	start = s->at;
	while (r > 0 && (!range->count || count < range->count) && s->at - start <= limit) {
		r = next_line(s);
		count += r > 0;
	}
	if (r < 0)
		return r;
	*ret_bytes = (struct files_range){.from = start, .count = s->at - start};
	*ret_count = count;
	return s->at - start > limit ? -EFBIG : 0;
}

static int read_range(int fd, const struct files_range *bytes, uint64_t limit, struct arena *a,
	struct files_data *d, struct err *e)
{
	uint64_t left = d->size > bytes->from ? d->size - bytes->from : 0;
	uint64_t want = bytes->count && bytes->count < left ? bytes->count : left;
	ssize_t n;
	char *data;

	if (want > limit)
		return too_large(e, d->path, want, limit);
	data = arena_array(a, (size_t)want + 1, 1);
	n = read_full(fd, data, (size_t)want, bytes->from);
	if (n < 0)
		return files_fail_sys(e, (int)n, "read", d->path);
	data[n] = '\0';
	d->data = data;
	d->len = (size_t)n;
	d->more = bytes->from + (uint64_t)n < d->size;
	d->text = utf8_valid(data, (size_t)n) && !memchr(data, '\0', (size_t)n);
	return 0;
}

static int read_lines(const struct files *f, int fd, const struct files_range *range,
	struct arena *a, struct files_data *d, struct err *e)
{
	struct files_range bytes = {.from = 0};
	int r = find_lines(fd, range, files_limit(f), &bytes, &d->count);

	d->from = range->from ? range->from : 1;
	if (r == -EFBIG)
		return too_large(e, d->path, d->size, files_limit(f));
	if (r < 0)
		return files_fail_sys(e, r, "read", d->path);
	if (bytes.count == 0) { /* behind the end; 0 would mean the rest */
		d->data = "";
		d->text = true;
		return 0;
	}
	return read_range(fd, &bytes, files_limit(f), a, d, e);
}

static int read_found(const struct files *f, const struct files_place *p,
	const struct files_range *range, struct arena *a, struct files_data *ret, struct err *e)
{
	struct stat st;
	struct files_data d = {.path = arena_text(a, p->path, strlen(p->path))};
	auto_fd int fd = files_read_open(f, p, &st, e);
	int r;

	if (fd < 0)
		return take_fd(&fd);
	d.size = (uint64_t)st.st_size;
	if (range && range->lines) {
		r = read_lines(f, fd, range, a, &d, e);
	} else {
		r = read_range(fd, range ? range : &(struct files_range){.from = 0}, files_limit(f),
			a, &d, e);
		d.from = range ? range->from : 0;
		d.count = d.len;
	}
	if (r == 0)
		*ret = d;
	return r;
}

int files_read(const struct files *f, const char *name, const struct files_range *range,
	struct arena *a, struct files_data *ret, struct err *e)
{
	auto_(files_walk_close) struct files_place p = FILES_PLACE_NONE;
	auto_(files_stop) struct files_self self = {0};
	int r = files_start(f, &self, e);

	if (r == 0)
		r = files_walk(f, name, false, &p, e);
	return r < 0 ? r : read_found(f, &p, range, a, ret, e);
}
