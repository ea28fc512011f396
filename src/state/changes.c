/* SPDX-License-Identifier: Apache-2.0 */
#include "state/changes.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/pathname.h"
#include "state/content.h"
#include "state/stale.h"
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

/* How the workspace's own folder stands to the one of the layers. */
enum beneath {
	BENEATH_MERGED, /* seen through it */
	BENEATH_HIDDEN, /* there is one, and nothing of it is seen */
	BENEATH_NONE,
};

struct changes_opened {
	const char *path;
	size_t part;
	mode_t mode;
};

/* A folder of the layers, on the way down. */
struct spot {
	const char *path;
	uint64_t parts; /* layers that contribute to it */
	enum beneath beneath;
	bool moved;   /* the workspace's own came from elsewhere */
	bool removed; /* the workspace had one, and somebody took it away */
	int depth;
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

/* above: also when only something in it is wanted. */
static int add(struct changes *c, struct change *k, bool above, struct err *e)
{
	if (!is_wanted(c, k->path, above))
		return 0;
	k->needed = !is_wanted(c, k->path, false);
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

static void skip(struct changes *c, const char *path)
{
	if (c->skipped++ == 0)
		c->first_skipped = path;
}

/* What keeps us out is what its owner may change. */
static int let_in(struct changes *c, const char *path, size_t part)
{
	auto_fd int fd = folder_open(c->parts[part], path, O_PATH | O_DIRECTORY, 0);
	struct changes_opened opened = {.path = path, .part = part};
	char link[40];
	struct stat st;

	if (!c->held || fd < 0 || fstat(fd, &st) < 0)
		return -EACCES;
	opened.mode = st.st_mode & 0777;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (chmod(link, opened.mode | 0700) < 0)
		return -errno;
	vec_push(c->arena, &c->opened, &c->opened_count, &c->opened_capacity, opened);
	return 0;
}

static void close_up(struct changes *c)
{
	while (c->opened_count > 0) {
		const struct changes_opened *o = &c->opened[--c->opened_count];
		auto_fd int fd = folder_open(c->parts[o->part], o->path, O_RDONLY | O_DIRECTORY, 0);

		if (fd >= 0)
			fchmod(fd, o->mode);
	}
}

/* As it was before. */
static mode_t mode_of(const struct changes *c, const char *path, size_t part, mode_t now)
{
	for (size_t i = 0; i < c->opened_count; i++)
		if (c->opened[i].part == part && str_eq(c->opened[i].path, path))
			return (now & ~(mode_t)0777) | c->opened[i].mode;
	return now;
}

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
static int add_deleted(struct changes *c, const char *path, const struct stat *base, bool conflict,
	bool above, int depth, struct err *e)
{
	struct change k = {.path = path, .kind = CHANGE_DELETED, .base = *base, .content = true};
	bool folder = S_ISDIR(base->st_mode);
	struct entries entries = {0};
	int r;

	/* In a folder that somebody did something in, nothing is certain. */
	conflict = conflict ||
		   (stale_is(&c->layer->chain, path, base) &&
			   (!folder || depth > 0 || stale_moved(&c->layer->chain, path, base)));
	k.conflict = conflict;
	r = add(c, &k, above, e);
	if (r < 0 || !folder || !is_wanted(c, path, true))
		return r;
	if (depth > DEPTH_MAX) {
		skip(c, path);
		return 0;
	}
	r = list(c, c->base, path, -1, &entries, e);
	make_unique(&entries);
	for (size_t i = 0; r == 0 && i < entries.count; i++) {
		const char *below = join(c, path, entries.items[i].name);
		struct stat st;

		r = look_at_base(c, below, &st, e);
		if (r == 0 && st.st_mode)
			r = add_deleted(c, below, &st, conflict, false, depth + 1, e);
	}
	return r;
}

/* The lowest layer that has it: those above may have copied it from there. */
static size_t lowest_part(const struct changes *c, const struct change *k)
{
	size_t lowest = k->part;
	struct stat st;

	for (size_t i = k->part + 1; i < c->part_count; i++) {
		int r = look(c->parts[i], k->path, &st);

		if (r == 0 && changes_is_whiteout(&st))
			break;
		if (r == 0)
			lowest = i;
	}
	return lowest;
}

/* The kernel marks what it copies. What cannot be asked may have been. */
static bool was_copied(const struct changes *c, const struct change *k)
{
	auto_fd int fd = folder_open(c->parts[lowest_part(c, k)], k->path, O_PATH, 0);
	char link[40], value[256];

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	return fd < 0 || getxattr(link, "user.overlay.origin", value, sizeof value) >= 0 ||
	       (errno != ENODATA && errno != EPERM && errno != ENOTSUP);
}

/* Where the workspace has none: is that somebody's doing? */
static bool is_taken_away(const struct changes *c, const struct change *k, const struct spot *in)
{
	const struct chain *chain = &c->layer->chain;

	if (chain_knows(chain, k->path))
		return stale_is(chain, k->path, &k->base);
	return in->removed || (in->beneath != BENEATH_NONE && k->copied &&
				      stale_folder(&c->layer->chain, c->base, k->path));
}

/* No folder, in the layers. */
static int compare_file(struct changes *c, struct change *k, const struct spot *in, struct err *e)
{
	if (k->base.st_mode && (k->base.st_mode & S_IFMT) == (k->layer.st_mode & S_IFMT)) {
		k->kind = CHANGE_MODIFIED;
		k->content = !content_is_same(c, k);
		if (!k->content && (S_ISLNK(k->layer.st_mode) ||
					   ((k->base.st_mode ^ k->layer.st_mode) & 0777) == 0))
			return 0;
		k->conflict = in->moved || stale_is(&c->layer->chain, k->path, &k->base);
		return add(c, k, false, e);
	}
	k->kind = CHANGE_ADDED;
	k->content = true;
	k->copied = was_copied(c, k);
	if (k->base.st_mode) {
		int r = add_deleted(c, k->path, &k->base, in->moved, false, 0, e);

		if (r < 0)
			return r;
		k->base = (struct stat){0};
	} else {
		k->conflict = is_taken_away(c, k, in);
	}
	return add(c, k, false, e);
}

static int walk(struct changes *c, const struct spot *at, struct err *e);

/* Which layers contribute to a folder of them, and whether what lies below is seen. */
static int find_parts(struct changes *c, const char *path, uint64_t mask, size_t from,
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
		if ((st.st_mode & 0700) != 0700 && geteuid() != 0 && let_in(c, path, i) < 0 &&
			(st.st_mode & 0500) != 0500)
			return -EACCES;
		fd = folder_open(c->parts[i], path, O_RDONLY | O_DIRECTORY, 0);
		if (fd < 0)
			return fd;
		*ret |= 1ull << i;
		if (changes_is_opaque(fd)) {
			*ret_through = false;
			return 0;
		}
	}
	return 0;
}

/* The folder itself; what is in it comes after. */
static int add_folder(struct changes *c, struct change *k, const struct spot *in,
	struct spot *io_at, struct err *e)
{
	const struct chain *chain = &c->layer->chain;

	if (k->base.st_mode && !S_ISDIR(k->base.st_mode)) {
		int r = add_deleted(c, k->path, &k->base, in->moved, true, 0, e);

		if (r < 0)
			return r;
		k->base = (struct stat){0};
	} else if (!k->base.st_mode) {
		k->copied = was_copied(c, k);
		k->conflict = in->removed || (k->copied && in->beneath != BENEATH_NONE &&
						     !chain_knows(chain, k->path));
		io_at->removed = k->conflict;
	}
	if (!k->base.st_mode) {
		k->kind = CHANGE_ADDED;
		k->content = true;
		return add(c, k, true, e);
	}
	io_at->moved = in->moved || stale_moved(chain, k->path, &k->base);
	k->kind = CHANGE_MODIFIED;
	k->conflict = stale_is(chain, k->path, &k->base);
	return ((k->base.st_mode ^ k->layer.st_mode) & 0777) ? add(c, k, false, e) : 0;
}

static int compare_folder(struct changes *c, struct change *k, const struct spot *in, struct err *e)
{
	struct spot at = {.path = k->path, .beneath = BENEATH_NONE, .depth = in->depth + 1};
	bool through;
	size_t first = c->count, before;
	int r = find_parts(c, k->path, in->parts, k->part, &at.parts, &through, e);

	if (r < 0 && !e->code) {
		skip(c, k->path);
		return 0;
	}
	k->layer.st_mode = mode_of(c, k->path, k->part, k->layer.st_mode);
	if (r == 0)
		r = add_folder(c, k, in, &at, e);
	if (r < 0)
		return r;
	if (k->base.st_mode)
		at.beneath =
			through && in->beneath == BENEATH_MERGED ? BENEATH_MERGED : BENEATH_HIDDEN;
	before = c->count;
	r = walk(c, &at, e);
	/* What nothing needs is not wanted: the folder, and that something else goes for it. */
	if (c->count == before && !is_wanted(c, k->path, false))
		c->count = first;
	return r;
}

static int look_at_entry(
	struct changes *c, const struct spot *in, const struct found *entry, struct err *e)
{
	struct change k = {.path = join(c, in->path, entry->name)};
	int r = 0;

	if (!is_wanted(c, k.path, true))
		return 0;
	if (strlen(k.path) >= PATH_MAX) {
		skip(c, in->path);
		return 0;
	}
	if (in->beneath != BENEATH_NONE)
		r = look_at_base(c, k.path, &k.base, e);
	if (r == -EXDEV) { /* another file system is mounted there */
		*e = (struct err){0};
		skip(c, k.path);
		return 0;
	}
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
		return k.base.st_mode ? add_deleted(c, k.path, &k.base, in->moved, false, 0, e) : 0;
	return S_ISDIR(k.layer.st_mode) ? compare_folder(c, &k, in, e) : compare_file(c, &k, in, e);
}

static int walk(struct changes *c, const struct spot *at, struct err *e)
{
	struct entries entries = {0};
	int r = 0;

	if (at->depth > DEPTH_MAX) {
		skip(c, at->path);
		return 0;
	}
	for (size_t i = 0; r == 0 && i < c->part_count; i++)
		if (at->parts & 1ull << i)
			r = list(c, c->parts[i], at->path, (int)i, &entries, e);
	if (r == 0 && at->beneath == BENEATH_HIDDEN)
		r = list(c, c->base, at->path, -1, &entries, e);
	make_unique(&entries);
	for (size_t i = 0; r == 0 && i < entries.count; i++)
		r = look_at_entry(c, at, &entries.items[i], e);
	return r;
}

int changes_find(struct arena *a, struct layer *l, bool held, const char *const *paths,
	size_t path_count, struct changes *ret, struct err *e)
{
	struct spot top = {.path = "", .beneath = BENEATH_MERGED};
	int r;

	*ret = (struct changes){.arena = a,
		.layer = l,
		.held = held,
		.paths = paths,
		.path_count = path_count,
		.base = -1};
	r = layer_parts(l, ret->parts, &ret->part_count, e);
	if (r < 0)
		return r;
	ret->base = open(l->chain.workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->base < 0)
		return err_sys(e, -errno, "open the workspace '%s'", l->chain.workspace);
	top.parts = (1ull << ret->part_count) - 1;
	return walk(ret, &top, e);
}

void changes_close(struct changes *c)
{
	close_up(c);
	for (size_t i = 0; i < c->part_count; i++)
		close(c->parts[i]);
	c->part_count = 0;
	cleanup_fd(&c->base);
	c->base = -1;
}
