/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files_list.h"

#include "base/cleanup.h"
#include "base/glob.h"
#include "base/str.h"
#include "base/vec.h"
#include "sys/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define VISITED_MAX 1000000          /* entries that are looked at, whether they match or not */
#define PATHS_MAX ((size_t)64 << 20) /* bytes of all paths that are kept */

const char *const files_kind_names[FILES_KINDS] = {
	[FILES_FILE] = "file",
	[FILES_FOLDER] = "folder",
	[FILES_LINK] = "link",
	[FILES_OTHER] = "other",
};

struct folder {
	const char *path;
	unsigned depth;
};

struct listing {
	const struct files *f;
	const struct files_query *q;
	struct arena *a;
	size_t limit, visited, bytes;
	unsigned depth;
	size_t top;             /* length of the folder's path with its slash */
	struct folder *folders; /* still to be read, from `next` on */
	size_t folder_count, folder_cap, next;
	struct files_entry *entries;
	size_t count, cap;
	struct files_listed *ret;
};

static bool is_late(uint64_t until_ms)
{
	struct timespec t;

	if (!until_ms)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000 >= until_ms;
}

static enum files_kind kind_of(mode_t mode)
{
	return S_ISREG(mode)   ? FILES_FILE
	       : S_ISDIR(mode) ? FILES_FOLDER
	       : S_ISLNK(mode) ? FILES_LINK
			       : FILES_OTHER;
}

/* A pattern without a slash means the name alone, wherever it lies. */
static bool matches(const struct listing *l, const char *path)
{
	const char *glob = l->q->glob, *below = path + l->top, *slash = strrchr(below, '/');

	if (!glob)
		return true;
	return glob_path(glob, strchr(glob, '/') ? below : slash ? slash + 1 : below);
}

static struct files_entry entry_of(const struct stat *st, const char *path, unsigned depth)
{
	return (struct files_entry){.path = path,
		.kind = kind_of(st->st_mode),
		.size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0,
		.depth = depth};
}

/* Only what stays has memory: who made the tree chose how many names there are, and how long. */
static const char *keep(struct listing *l, const char *path)
{
	size_t len = strlen(path);

	l->bytes += len;
	l->ret->more |= l->bytes > PATHS_MAX;
	return arena_text(l->a, path, len);
}

static const char *target_of(struct listing *l, int dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t len = readlinkat(dir, name, target, sizeof target - 1);

	target[len < 0 ? 0 : len] = '\0';
	return keep(l, target);
}

static void enter_later(struct listing *l, const struct files_entry *x, const char *name)
{
	if (l->q->skip && str_in(name, l->q->skip))
		return;
	if (x->depth >= l->depth || strlen(x->path) + 2 >= PATH_MAX)
		l->ret->deeper = true;
	else
		vec_push(l->a, &l->folders, &l->folder_count, &l->folder_cap,
			(struct folder){keep(l, x->path), x->depth});
}

static void take_name(struct listing *l, int dir, const struct folder *in, const char *name)
{
	char path[PATH_MAX];
	struct files_entry x;
	struct stat st;
	int len = snprintf(path, sizeof path, "%s%s%s", in->path, in->path[0] ? "/" : "", name);

	if (len < 0 || len >= PATH_MAX || l->bytes > PATHS_MAX || files_is_hidden(l->f, path) ||
		fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	x = entry_of(&st, path, in->depth + 1);
	if (x.kind == FILES_FOLDER)
		enter_later(l, &x, name);
	if ((l->q->files_only && x.kind != FILES_FILE) || !matches(l, path))
		return;
	if (l->count == l->limit) {
		l->ret->more = true;
		return;
	}
	x.path = keep(l, path);
	if (x.kind == FILES_LINK)
		x.target = target_of(l, dir, name);
	vec_push(l->a, &l->entries, &l->count, &l->cap, x);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names first, sorted: which ones a limit leaves out must not depend on the file system. */
static void read_folder(struct listing *l, DIR *d, const struct folder *in)
{
	auto_(arena_free) struct arena scratch = {0};
	const char **names = NULL;
	size_t count = 0, cap = 0;
	const struct dirent *entry;

	while ((entry = readdir(d))) {
		if (folder_is_dots(entry->d_name))
			continue;
		if (l->visited++ == VISITED_MAX ||
			(l->visited % 1024 == 0 && is_late(l->q->until_ms))) {
			l->ret->more = true;
			break;
		}
		vec_push(&scratch, &names, &count, &cap,
			arena_text(&scratch, entry->d_name, strlen(entry->d_name)));
	}
	if (count)
		qsort(names, count, sizeof *names, by_name);
	for (size_t i = 0; i < count; i++)
		take_name(l, dirfd(d), in, names[i]);
}

static int open_folder(const struct files *f, const char *path, DIR **ret)
{
	auto_fd int fd = files_walk_open(f, path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return take_fd(&fd);
	*ret = fdopendir(fd);
	if (!*ret)
		return -errno;
	take_fd(&fd);
	return 0;
}

/* A slash comes before every other character: what is in a folder stands behind it. */
static int by_path(const void *a, const void *b)
{
	const unsigned char *p = (const void *)((const struct files_entry *)a)->path;
	const unsigned char *q = (const void *)((const struct files_entry *)b)->path;

	while (*p && *p == *q) {
		p++;
		q++;
	}
	return (*p == '/' ? 1 : *p ? *p + 1 : 0) - (*q == '/' ? 1 : *q ? *q + 1 : 0);
}

static int list_folders(struct listing *l, struct err *e)
{
	while (l->next < l->folder_count && !l->ret->more) {
		struct folder in = l->folders[l->next++];
		auto_(folder_close) DIR *d = NULL;
		int r = open_folder(l->f, in.path, &d);

		if (r < 0 && l->next == 1)
			return files_fail_sys(e, r, "list", in.path);
		if (r < 0)
			l->ret->unreadable++;
		else
			read_folder(l, d, &in);
		l->ret->more |= is_late(l->q->until_ms);
	}
	return 0;
}

static size_t bounded(size_t value, size_t usual, size_t max)
{
	return value == 0 ? usual : value < max ? value : max;
}

int files_list_at(const struct files *f, const struct files_place *p, const struct files_query *q,
	struct arena *a, struct files_listed *ret, struct err *e)
{
	struct files_listed listed = {.path = arena_text(a, p->path, strlen(p->path))};
	struct listing l = {.f = f,
		.q = q,
		.a = a,
		.ret = &listed,
		.limit = bounded(q->limit, FILES_LIST_LIMIT, FILES_LIST_LIMIT_MAX),
		.depth = (unsigned)bounded(q->depth, 1, FILES_LIST_DEPTH_MAX),
		.top = p->path[0] ? strlen(p->path) + 1 : 0};
	int r = 0;

	if (!p->exists)
		return files_fail(e, ENOENT, p->path, "does not exist");
	r = files_judge(f, p->path, PROTECT_READ, e);
	if (r < 0)
		return r;
	if (S_ISDIR(p->st.st_mode)) {
		l.folders = arena_copy(a, &(struct folder){listed.path, 0}, sizeof *l.folders);
		l.folder_count = l.folder_cap = 1;
		r = list_folders(&l, e);
	} else {
		struct files_entry self = entry_of(&p->st, listed.path, 0);

		l.entries = arena_copy(a, &self, sizeof self);
		l.count = l.cap = 1;
	}
	if (r < 0)
		return r;
	if (l.count)
		qsort(l.entries, l.count, sizeof *l.entries, by_path);
	listed.entries = l.entries;
	listed.count = l.count;
	*ret = listed;
	return 0;
}

int files_list(const struct files *f, const char *name, const struct files_query *q,
	struct arena *a, struct files_listed *ret, struct err *e)
{
	auto_(files_walk_close) struct files_place p = FILES_PLACE_NONE;
	auto_(files_stop) struct files_self self = {0};
	int r = files_start(f, &self, e);

	if (r == 0)
		r = files_walk(f, name, false, &p, e);
	return r < 0 ? r : files_list_at(f, &p, q, a, ret, e);
}
