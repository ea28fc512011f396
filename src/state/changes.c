/* SPDX-License-Identifier: Apache-2.0 */
#include "state/changes.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/pathname.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#define DEPTH_MAX 256
#define CHANGES_MAX 2000000

const char *const change_kind_names[] = {"added", "modified", "deleted", NULL};
_Static_assert(ARRAY_LEN(change_kind_names) == CHANGE_KIND_COUNT + 1, "a name for each");

bool changes_is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0);
}

bool changes_is_opaque(int fd)
{
	char value[4];
	ssize_t n = fgetxattr(fd, "user.overlay.opaque", value, sizeof value);

	return n == 1 && value[0] == 'y';
}

bool changes_is_stale(const struct chain *c, const char *path, const struct stat *base)
{
	const struct chain_known *known = chain_knows(c, path);
	int64_t s = base->st_ctim.tv_sec;
	uint32_t ns = (uint32_t)base->st_ctim.tv_nsec;

	if (known)
		return known->inode != (base->st_mode ? base->st_ino : 0) ||
		       (base->st_mode && (known->changed_s != s || known->changed_ns != ns));
	return base->st_mode && (s > c->since_s || (s == c->since_s && ns > c->since_ns));
}

/* How the workspace's own folder stands to the one of the layers. */
enum beneath {
	BENEATH_MERGED, /* seen through it */
	BENEATH_HIDDEN, /* there is one, and nothing of it is seen */
	BENEATH_NONE,
};

struct found {
	const char *name;
	int part; /* the topmost layer that has it; -1: the workspace only */
};

static int look(int folder, const char *path, struct stat *ret)
{
	auto_fd int fd = folder_open(folder, path, O_PATH, 0);

	*ret = (struct stat){0};
	if (fd < 0)
		return fd == -ENOTDIR ? -ENOENT : fd;
	return fstat(fd, ret) < 0 ? -errno : 0;
}

static int look_at_base(const struct changes *c, const char *path, struct stat *ret, struct err *e)
{
	auto_fd int fd = folder_open_here(c->base, path, O_PATH);

	*ret = (struct stat){0};
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP)
		return 0;
	if (fd == -EXDEV)
		return err_set(e, EXDEV,
			"'%s' lies on another file system than the workspace; such changes cannot "
			"be shown or applied",
			path);
	return fd < 0 || fstat(fd, ret) < 0 ? err_sys(e, fd < 0 ? fd : -errno, "look at '%s'", path)
					    : 0;
}

/* Asked for, below something that was, or (folders only) above it. */
static bool is_wanted(const struct changes *c, const char *path, bool above)
{
	for (size_t i = 0; i < c->path_count; i++) {
		const char *p = c->paths[i];

		if (!*p || pathname_within(path, p) || (above && pathname_within(p, path)))
			return true;
	}
	return c->path_count == 0;
}

static int add(struct changes *c, const struct change *k, struct err *e)
{
	/* What is wanted in a new folder needs the folder. */
	bool above = k->kind == CHANGE_ADDED && S_ISDIR(k->layer.st_mode);

	if (!is_wanted(c, k->path, above))
		return 0;
	if (c->count >= CHANGES_MAX)
		return err_set(e, E2BIG, "there are more than %d changes", CHANGES_MAX);
	vec_push(c->arena, &c->items, &c->count, &c->capacity, *k);
	return 0;
}

static const char *join(struct changes *c, const char *path, const char *name)
{
	return *path ? arena_printf(c->arena, "%s/%s", path, name)
		     : arena_text(c->arena, name, strlen(name));
}

static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	/* Layers from the top, the workspace last. */
	return order ? order
		     : (int)((unsigned)x->part > (unsigned)y->part) -
			       (int)((unsigned)x->part < (unsigned)y->part);
}

struct entries {
	struct found *items;
	size_t count, capacity;
};

static int list(struct changes *c, int folder, const char *path, int part, struct entries *io,
	struct err *e)
{
	auto_(folder_close) DIR *d = folder_list(folder, path);
	const struct dirent *entry;

	if (!d)
		return err_sys(e, -errno, "read the folder '%s'%s", *path ? path : ".",
			part < 0 ? "" : " of the changes");
	while ((entry = readdir(d))) {
		const char *name = entry->d_name;

		if (folder_is_dots(name))
			continue;
		vec_push(c->arena, &io->items, &io->count, &io->capacity,
			(struct found){arena_text(c->arena, name, strlen(name)), part});
	}
	return 0;
}

/* Of entries with the same name the first stays. */
static void make_unique(struct entries *io)
{
	size_t n = 0;

	if (io->count)
		qsort(io->items, io->count, sizeof *io->items, compare);
	for (size_t i = 0; i < io->count; i++)
		if (n == 0 || !str_eq(io->items[n - 1].name, io->items[i].name))
			io->items[n++] = io->items[i];
	io->count = n;
}

/* The workspace's own, which is gone: itself, and all that is in it. */
static int add_deleted(
	struct changes *c, const char *path, const struct stat *base, int depth, struct err *e)
{
	struct change k = {.path = path, .kind = CHANGE_DELETED, .base = *base, .content = true};
	struct entries entries = {0};
	int r;

	k.conflict = !S_ISDIR(base->st_mode) && changes_is_stale(&c->layer->chain, path, base);
	r = add(c, &k, e);
	if (r < 0 || !S_ISDIR(base->st_mode) || !is_wanted(c, path, true))
		return r;
	if (depth > DEPTH_MAX)
		return err_set(e, ELOOP, "'%s' lies too deep", path);
	r = list(c, c->base, path, -1, &entries, e);
	make_unique(&entries);
	for (size_t i = 0; r == 0 && i < entries.count; i++) {
		const char *below = join(c, path, entries.items[i].name);
		struct stat st;

		r = look_at_base(c, below, &st, e);
		if (r == 0 && st.st_mode)
			r = add_deleted(c, below, &st, depth + 1, e);
	}
	return r;
}

static bool same_bytes(int a, int b, bool *ret_unreadable)
{
	static char one[65536], two[65536];
	ssize_t n;

	do {
		size_t got = 0;

		n = read(a, one, sizeof one);
		while (n > 0 && got < (size_t)n) {
			ssize_t m = read(b, two + got, (size_t)n - got);

			if (m <= 0)
				return false;
			got += (size_t)m;
		}
		if (n > 0 && memcmp(one, two, (size_t)n) != 0)
			return false;
	} while (n > 0);
	*ret_unreadable = n < 0;
	return n == 0;
}

static bool same_link(const struct changes *c, const struct change *k)
{
	auto_fd int a = folder_open(c->parts[k->part], k->path, O_PATH, 0);
	auto_fd int b = folder_open_here(c->base, k->path, O_PATH);
	char one[PATH_MAX], two[PATH_MAX];
	ssize_t n = a < 0 ? -1 : readlinkat(a, "", one, sizeof one);
	ssize_t m = b < 0 ? -1 : readlinkat(b, "", two, sizeof two);

	return n >= 0 && n == m && memcmp(one, two, (size_t)n) == 0;
}

static bool same_content(const struct changes *c, struct change *k)
{
	auto_fd int a = -1;
	auto_fd int b = -1;

	if (S_ISLNK(k->layer.st_mode))
		return same_link(c, k);
	if (!S_ISREG(k->layer.st_mode))
		return true;
	if (k->layer.st_size != k->base.st_size)
		return false;
	a = changes_open_layer(c, k);
	b = changes_open_base(c, k);
	k->unreadable = a < 0 || b < 0;
	return a >= 0 && b >= 0 && same_bytes(a, b, &k->unreadable);
}

static bool was_copied(const struct changes *c, const struct change *k)
{
	auto_fd int fd = changes_open_layer(c, k);
	char value[256];

	return fd >= 0 && fgetxattr(fd, "user.overlay.origin", value, sizeof value) >= 0;
}

/* Names were taken from or put in the folder that it would be in. */
static bool folder_changed(const struct changes *c, const char *path)
{
	const char *name;
	auto_fd int parent = folder_parent(c->base, path, &name);
	struct stat st;

	if (parent < 0 || fstat(parent, &st) < 0)
		return true;
	return st.st_mtim.tv_sec > c->layer->chain.since_s ||
	       (st.st_mtim.tv_sec == c->layer->chain.since_s &&
		       st.st_mtim.tv_nsec > (long)c->layer->chain.since_ns);
}

/* No folder, in the layers. */
static int compare_file(struct changes *c, struct change *k, struct err *e)
{
	const struct chain *chain = &c->layer->chain;

	if (k->base.st_mode && (k->base.st_mode & S_IFMT) != (k->layer.st_mode & S_IFMT)) {
		int r = add_deleted(c, k->path, &k->base, 0, e);

		if (r < 0)
			return r;
		k->base = (struct stat){0};
	} else if (k->base.st_mode) {
		k->kind = CHANGE_MODIFIED;
		k->content = !same_content(c, k);
		if (!k->content && ((k->base.st_mode ^ k->layer.st_mode) & 0777) == 0)
			return 0;
		k->conflict = changes_is_stale(chain, k->path, &k->base);
		return add(c, k, e);
	} else {
		/* It was there once: somebody took it away, or it came from another name. */
		k->copied = was_copied(c, k);
		k->conflict = chain_knows(chain, k->path)
				      ? changes_is_stale(chain, k->path, &k->base)
				      : k->copied && folder_changed(c, k->path);
	}
	k->kind = CHANGE_ADDED;
	k->content = true;
	return add(c, k, e);
}

static int walk(struct changes *c, const char *path, uint64_t mask, enum beneath beneath, int depth,
	struct err *e);

/* Which layers contribute to a folder of them, and whether what lies below is seen. */
static int find_parts(const struct changes *c, const char *path, uint64_t mask, size_t from,
	uint64_t *ret, bool *ret_through, struct err *e)
{
	*ret = 0;
	*ret_through = true;
	for (size_t i = from; i < c->part_count; i++) {
		auto_fd int fd = -1;
		struct stat st;
		int r;

		if (!(mask & 1ull << i))
			continue;
		r = look(c->parts[i], path, &st);
		if (r == -ENOENT)
			continue;
		if (r < 0)
			return err_sys(e, r, "look at '%s' of the changes", path);
		if (!S_ISDIR(st.st_mode)) {
			*ret_through = false;
			return 0;
		}
		*ret |= 1ull << i;
		fd = folder_open(c->parts[i], path, O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0)
			return err_sys(e, fd, "open '%s' of the changes", path);
		if (changes_is_opaque(fd)) {
			*ret_through = false;
			return 0;
		}
	}
	return 0;
}

static int compare_folder(
	struct changes *c, struct change *k, uint64_t mask, int depth, struct err *e)
{
	enum beneath beneath = BENEATH_NONE;
	bool through;
	uint64_t parts;
	size_t before;
	int r = find_parts(c, k->path, mask, k->part, &parts, &through, e);

	if (r < 0)
		return r;
	if (k->base.st_mode && !S_ISDIR(k->base.st_mode)) {
		r = add_deleted(c, k->path, &k->base, 0, e);
		k->base = (struct stat){0};
	}
	if (r == 0 && !k->base.st_mode) {
		k->kind = CHANGE_ADDED;
		k->content = true;
		r = add(c, k, e);
	} else if (r == 0) {
		beneath = through ? BENEATH_MERGED : BENEATH_HIDDEN;
		k->kind = CHANGE_MODIFIED;
		if ((k->base.st_mode ^ k->layer.st_mode) & 0777)
			r = add(c, k, e);
	}
	if (r < 0)
		return r;
	before = c->count;
	r = walk(c, k->path, parts, beneath, depth + 1, e);
	/* ... and without it is not. */
	if (k->kind == CHANGE_ADDED && c->count == before && !is_wanted(c, k->path, false))
		c->count--;
	return r;
}

static int look_at_entry(struct changes *c, const char *path, const struct found *entry,
	uint64_t mask, enum beneath beneath, int depth, struct err *e)
{
	struct change k = {.path = join(c, path, entry->name)};
	int r = 0;

	if (!is_wanted(c, k.path, true))
		return 0;
	if (beneath != BENEATH_NONE)
		r = look_at_base(c, k.path, &k.base, e);
	if (r < 0)
		return r;
	if (entry->part >= 0) {
		k.part = (size_t)entry->part;
		r = look(c->parts[k.part], k.path, &k.layer);
		if (r == -ENOENT) /* a sandbox is at work */
			return 0;
		if (r < 0)
			return err_sys(e, r, "look at '%s' of the changes", k.path);
	}
	if (entry->part < 0 || changes_is_whiteout(&k.layer))
		return k.base.st_mode ? add_deleted(c, k.path, &k.base, depth, e) : 0;
	return S_ISDIR(k.layer.st_mode) ? compare_folder(c, &k, mask, depth, e)
					: compare_file(c, &k, e);
}

static int walk(struct changes *c, const char *path, uint64_t mask, enum beneath beneath, int depth,
	struct err *e)
{
	struct entries entries = {0};
	int r = 0;

	if (depth > DEPTH_MAX)
		return err_set(e, ELOOP, "'%s' lies too deep", path);
	for (size_t i = 0; r == 0 && i < c->part_count; i++)
		if (mask & 1ull << i)
			r = list(c, c->parts[i], path, (int)i, &entries, e);
	if (r == 0 && beneath == BENEATH_HIDDEN)
		r = list(c, c->base, path, -1, &entries, e);
	make_unique(&entries);
	for (size_t i = 0; r == 0 && i < entries.count; i++)
		r = look_at_entry(c, path, &entries.items[i], mask, beneath, depth, e);
	return r;
}

int changes_open_base(const struct changes *c, const struct change *k)
{
	return folder_open_here(c->base, k->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

int changes_open_layer(const struct changes *c, const struct change *k)
{
	return folder_open(c->parts[k->part], k->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
}

int changes_read_link(int folder, const char *path, char *out, off_t size)
{
	auto_fd int fd = folder_open(folder, path, O_PATH, 0);
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", out, (size_t)size + 1);

	out[0] = n < 0 || n > size ? '\0' : out[0];
	if (n < 0)
		return fd < 0 ? take_fd(&fd) : -errno;
	if (n > size)
		return -ESTALE;
	out[n] = '\0';
	return 0;
}

int changes_find(struct arena *a, struct layer *l, const char *const *paths, size_t path_count,
	struct changes *ret, struct err *e)
{
	uint64_t mask;
	int r;

	*ret = (struct changes){
		.arena = a, .layer = l, .paths = paths, .path_count = path_count, .base = -1};
	r = layer_parts(l, ret->parts, &ret->part_count, e);
	if (r < 0)
		return r;
	ret->base = open(l->chain.workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->base < 0)
		return err_sys(e, -errno, "open the workspace '%s'", l->chain.workspace);
	mask = ret->part_count == 64 ? UINT64_MAX : (1ull << ret->part_count) - 1;
	return walk(ret, "", mask, BENEATH_MERGED, 0, e);
}

void changes_close(struct changes *c)
{
	for (size_t i = 0; i < c->part_count; i++)
		close(c->parts[i]);
	c->part_count = 0;
	cleanup_fd(&c->base);
	c->base = -1;
}
