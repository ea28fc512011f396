/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_edit.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "files/files_read.h"
#include "files/files_write.h"

#include <errno.h>
#include <string.h>

struct text {
	char *data;
	size_t len;
};

static size_t lines_in(const char *data, size_t len)
{
	const char *end = data + len;
	size_t n = 0;

	while (data < end && (data = memchr(data, '\n', (size_t)(end - data)))) {
		data++;
		n++;
	}
	return n;
}

/* How often it stands there, and on which lines. */
static size_t find_all(
	const struct text *t, const struct files_edit *x, size_t lines[FILES_EDIT_LINES])
{
	const char *at = t->data, *counted = t->data;
	size_t left = t->len, found = 0, line = 1;

	while ((at = memmem(at, left, x->old_text, x->old_len))) {
		line += lines_in(counted, (size_t)(at - counted));
		counted = at;
		if (found < FILES_EDIT_LINES)
			lines[found] = line;
		found++;
		at += x->old_len;
		left = t->len - (size_t)(at - t->data);
	}
	return found;
}

static int too_many(
	const char *path, size_t found, const size_t lines[FILES_EDIT_LINES], struct err *e)
{
	auto_(buf_free) struct buf b = BUF(200);

	buf_printf(&b, "has that text %zu times, on the lines", found);
	for (size_t i = 0; i < found && i < FILES_EDIT_LINES; i++)
		buf_printf(&b, "%s%zu", i ? ", " : " ", lines[i]);
	buf_printf(&b, "%s; give more of what stands around it, or replace all",
		found > FILES_EDIT_LINES ? " ..." : "");
	return files_fail(e, EINVAL, path, buf_text(&b));
}

/* A text that would be found if its line ends were others is worth a hint. */
static bool other_ends(const struct text *t, const struct files_edit *x)
{
	return memchr(x->old_text, '\n', x->old_len) &&
	       !memmem(x->old_text, x->old_len, "\r\n", 2) && memmem(t->data, t->len, "\r\n", 2);
}

static int check_edit(const struct text *t, const struct files_edit *x, const char *path,
	size_t found, const size_t lines[FILES_EDIT_LINES], struct err *e)
{
	if (found == 0)
		return files_fail(e, EINVAL, path,
			other_ends(t, x) ? "does not have that text: its lines end in CR LF, and "
					   "those of the text do not"
					 : "does not have that text; nothing was changed");
	return found > 1 && !x->all ? too_many(path, found, lines, e) : 0;
}

static void replace(struct arena *a, struct text *t, const struct files_edit *x, size_t found)
{
	struct text out = {.len = t->len - found * x->old_len + found * x->new_len};
	const char *from = t->data, *at;
	char *to;

	to = out.data = arena_array(a, out.len + 1, 1);
	for (size_t i = 0; i < found; i++) {
		at = memmem(from, t->len - (size_t)(from - t->data), x->old_text, x->old_len);
		memcpy(to, from, (size_t)(at - from));
		to += at - from;
		memcpy(to, x->new_text, x->new_len);
		to += x->new_len;
		from = at + x->old_len;
	}
	memcpy(to, from, t->len - (size_t)(from - t->data));
	*t = out;
}

static int apply(const struct files *f, const struct files_edit *x, struct arena *a,
	struct text *io, struct files_edited *done, struct err *e)
{
	size_t lines[FILES_EDIT_LINES], found, grown;
	int r;

	if (x->old_len == 0)
		return err_set(e, EINVAL, "the text to replace is empty; to make a file, write it");
	if (x->old_len == x->new_len && memcmp(x->old_text, x->new_text, x->old_len) == 0)
		return err_set(e, EINVAL, "the old and the new text are the same");
	found = find_all(io, x, lines);
	r = check_edit(io, x, done->path, found, lines, e);
	if (r < 0)
		return r;
	/* Both factors are bounded by what was read and what came in. */
	grown = io->len - found * x->old_len;
	if (x->new_len > files_limit(f) || grown + found * x->new_len > files_limit(f))
		return files_fail(e, EFBIG, done->path, "would become too large");
	done->line_count = found < FILES_EDIT_LINES ? found : FILES_EDIT_LINES;
	memcpy(done->lines, lines, done->line_count * sizeof *lines);
	done->replaced = found;
	replace(a, io, x, found);
	return 0;
}

static int edit_found(const struct files *f, const struct files_place *p,
	const struct files_edit *x, struct arena *a, struct files_edited *ret, struct err *e)
{
	struct files_edited done = {.path = arena_text(a, p->path, strlen(p->path))};
	struct stat seen;
	struct text t = {NULL, 0};
	auto_fd int fd = files_read_open(f, p, &seen, e);
	int r = fd < 0 ? fd : files_write_check(f, p, e);

	if (r == 0)
		r = files_read_all(fd, done.path, files_limit(f), a, &t.data, &t.len, e);
	if (r == 0)
		r = apply(f, x, a, &t, &done, e);
	if (r == 0)
		r = files_write_put(
			f, p, &seen, &(struct files_text){.data = t.data, .len = t.len}, e);
	if (r < 0)
		return r;
	done.size = t.len;
	*ret = done;
	return 0;
}

int files_edit(const struct files *f, const char *name, const struct files_edit *x, struct arena *a,
	struct files_edited *ret, struct err *e)
{
	auto_(files_walk_close) struct files_place p = FILES_PLACE_NONE;
	auto_(files_stop) struct files_self self = {0};
	auto_(arena_free) struct arena scratch = {0};
	int r = files_start(f, &self, e);

	if (r == 0)
		r = files_walk(f, name, false, &p, e);
	if (r == 0)
		r = edit_found(f, &p, x, &scratch, ret, e);
	if (r == 0)
		ret->path = arena_text(a, p.path, strlen(p.path));
	return r;
}
