/* SPDX-License-Identifier: Apache-2.0 */
#include "state/flatten.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/vec.h"
#include "sys/copy.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#define OPAQUE "user.overlay.opaque"
#define ORIGIN "user.overlay.origin"
#define DEPTH_MAX 256

struct made { /* a folder that gets its mode at the end */
	const char *path;
	mode_t mode;
};

struct twin { /* a file with several names */
	dev_t device;
	ino_t inode;
	const char *path;
};

/* The new layer, as it grows. */
struct flat {
	struct arena *arena;
	int top;
	struct made *made;
	size_t made_count, made_capacity;
	struct twin *twins;
	size_t twin_count, twin_capacity;
};

/* A folder of one layer, and the same of the new one. */
struct pair {
	int from, to;
	const char *path;
	int depth;
};

static int make_whiteout(int folder, const char *name)
{
	return mknodat(folder, name, S_IFCHR, 0) < 0 && errno != EEXIST ? -errno : 0;
}

static int set_opaque(int folder, bool on)
{
	if (on)
		return fsetxattr(folder, OPAQUE, "y", 1, 0) < 0 ? -errno : 0;
	return fremovexattr(folder, OPAQUE) < 0 && errno != ENODATA ? -errno : 0;
}

/* That the kernel copied it once, from below the lowest layer that has it; what cannot be read was,
 * rather than not. */
static int copy_origin(int from, const char *name, int to, const char *new_name)
{
	auto_fd int in = folder_open(from, name, O_PATH, 0);
	auto_fd int out = folder_open(to, new_name, O_PATH, 0);
	char link[40], value[256];
	bool copied;

	if (in < 0 || out < 0)
		return in < 0 ? take_fd(&in) : take_fd(&out);
	snprintf(link, sizeof link, "/proc/self/fd/%d", in);
	copied = getxattr(link, ORIGIN, value, sizeof value) >= 0 || errno == EACCES;
	snprintf(link, sizeof link, "/proc/self/fd/%d", out);
	if (!copied)
		return removexattr(link, ORIGIN) < 0 && errno != ENODATA && errno != ENOTSUP &&
				       errno != EPERM && errno != EACCES
			       ? -errno
			       : 0;
	return setxattr(link, ORIGIN, "", 0, 0) < 0 && errno != ENOTSUP && errno != EPERM &&
			       errno != EACCES
		       ? -errno
		       : 0;
}

static const char *join(struct flat *f, const char *path, const char *name)
{
	return *path ? arena_printf(f->arena, "%s/%s", path, name)
		     : arena_text(f->arena, name, strlen(name));
}

/* Another name of a file that is there already. */
static bool link_twin(
	struct flat *f, const struct pair *at, const char *name, const struct stat *st)
{
	if (st->st_nlink < 2)
		return false;
	for (size_t i = 0; i < f->twin_count; i++)
		if (f->twins[i].inode == st->st_ino && f->twins[i].device == st->st_dev)
			return linkat(f->top, f->twins[i].path, at->to, name, 0) == 0;
	vec_push(f->arena, &f->twins, &f->twin_count, &f->twin_capacity,
		(struct twin){st->st_dev, st->st_ino, join(f, at->path, name)});
	return false;
}

static int copy_file(struct flat *f, const struct pair *at, const char *name, const struct stat *st)
{
	struct timespec times[2] = {st->st_atim, st->st_mtim};
	struct stat open = *st;
	int r;

	if (!S_ISREG(st->st_mode))
		return copy_entry(at->from, name, at->to, name, st);
	if (link_twin(f, at, name, st))
		return 0;
	open.st_mode = S_IFREG | 0600;
	r = copy_entry(at->from, name, at->to, name, &open);
	if (r == 0)
		r = copy_origin(at->from, name, at->to, name);
	if (r == 0 && (fchmodat(at->to, name, st->st_mode & 0777, 0) < 0 ||
			      utimensat(at->to, name, times, AT_SYMLINK_NOFOLLOW) < 0))
		r = -errno;
	return r;
}

static int merge_folder(struct flat *f, const struct pair *at);

static int enter(struct flat *f, const struct pair *at, const char *name, bool opaque)
{
	auto_fd int from = opaque ? -1 : folder_open_anyway(at->from, name, O_RDONLY | O_DIRECTORY);
	auto_fd int to = folder_open(at->to, name, O_RDONLY | O_DIRECTORY, 0);
	struct pair below = {from, to, join(f, at->path, name), at->depth + 1};

	if (to < 0)
		return take_fd(&to);
	if (opaque)
		return set_opaque(to, true);
	if (from < 0)
		return take_fd(&from);
	return changes_is_opaque(to) ? 0 : merge_folder(f, &below);
}

/* An entry of one layer; what those above it have of the same name wins. */
static int merge_entry(struct flat *f, const struct pair *at, const char *name)
{
	struct stat st, there;
	int r;

	if (fstatat(at->from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstatat(at->to, name, &there, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!changes_is_whiteout(&there) && !changes_is_whiteout(&st)) {
			r = copy_origin(at->from, name, at->to, name);
			if (r < 0)
				return r;
		}
		if (!S_ISDIR(there.st_mode))
			return 0;
		/* A folder over something else hides whatever lies further below. */
		return enter(f, at, name, !S_ISDIR(st.st_mode));
	}
	if (changes_is_whiteout(&st))
		return make_whiteout(at->to, name);
	if (!S_ISDIR(st.st_mode))
		return copy_file(f, at, name, &st);
	if (mkdirat(at->to, name, 0700) < 0)
		return -errno;
	vec_push(f->arena, &f->made, &f->made_count, &f->made_capacity,
		(struct made){join(f, at->path, name), st.st_mode & 0777});
	r = copy_origin(at->from, name, at->to, name);
	return r < 0 ? r : enter(f, at, name, false);
}

static int merge_folder(struct flat *f, const struct pair *at)
{
	auto_(folder_close) DIR *d = folder_list(at->from, "");
	const struct dirent *entry;
	struct stat st;
	int r = 0;

	if (!d || fstat(at->from, &st) < 0)
		return -errno;
	if (at->depth > DEPTH_MAX)
		return -ELOOP;
	/* Its entries can be reached only while its mode lets us. */
	if ((st.st_mode & 0500) != 0500 && fchmod(at->from, (st.st_mode & 0777) | 0500) < 0)
		return -errno;
	while (r == 0 && (entry = readdir(d)))
		if (!folder_is_dots(entry->d_name))
			r = merge_entry(f, at, entry->d_name);
	if ((st.st_mode & 0500) != 0500 && fchmod(at->from, st.st_mode & 0777) < 0)
		return -errno;
	if (r == 0 && changes_is_opaque(at->from))
		r = set_opaque(at->to, true);
	return r;
}

/* Names are hidden one by one only where the workspace's folder is seen; elsewhere what hides them
 * would be seen itself. base: that folder; -1: it is not, or there is none. */
static int strip(int folder, int base, int depth)
{
	auto_(folder_close) DIR *d = folder_list(folder, "");
	const struct dirent *entry;
	int r = 0;

	if (!d)
		return -errno;
	if (depth > DEPTH_MAX)
		return -ELOOP;
	if (changes_is_opaque(folder))
		base = -1;
	while (r == 0 && (entry = readdir(d))) {
		const char *name = entry->d_name;
		auto_fd int below = -1;
		auto_fd int own = -1;
		struct stat st;

		if (folder_is_dots(name) || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (base < 0 && changes_is_whiteout(&st) && unlinkat(folder, name, 0) < 0)
			return -errno;
		if (!S_ISDIR(st.st_mode))
			continue;
		below = folder_open(folder, name, O_RDONLY | O_DIRECTORY, 0);
		own = base < 0 ? -1 : folder_open_here(base, name, O_RDONLY | O_DIRECTORY);
		r = below < 0 ? take_fd(&below) : strip(below, own, depth + 1);
	}
	return r;
}

/* From the bottom up, since one may close the way to others. */
static int set_modes(const struct flat *f)
{
	for (size_t i = f->made_count; i-- > 0;) {
		auto_fd int fd = folder_open(f->top, f->made[i].path, O_RDONLY | O_DIRECTORY, 0);

		if (fd < 0)
			return take_fd(&fd);
		if (fchmod(fd, f->made[i].mode) < 0)
			return -errno;
	}
	return 0;
}

static int put_together(struct flat *f, const char *workspace, const int *parts, size_t count)
{
	auto_fd int base = open(workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = base < 0 ? -errno : 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = merge_folder(f, &(struct pair){parts[i], f->top, "", 0});
	if (r == 0)
		r = strip(f->top, base, 0);
	return r < 0 ? r : set_modes(f);
}

int flatten(struct layer *l, struct err *e)
{
	int parts[CHAIN_LAYERS + 1], r;
	const char *id = layer_new_id(l);
	auto_fd int top = -1;
	struct flat f = {.arena = l->arena};
	char name[LAYER_NAME];
	size_t count = 0;

	if (l->chain.below.count == 0)
		return 0;
	snprintf(name, sizeof name, "u-%.16s", id);
	r = layer_parts(l, parts, &count, e);
	if (r == 0 && mkdirat(l->own, name, 0700) < 0)
		r = err_sys(e, -errno, "make a layer");
	if (r == 0) {
		top = folder_open(l->own, name, O_RDONLY | O_DIRECTORY, 0);
		f.top = top;
		r = top < 0 ? top : put_together(&f, l->chain.workspace, parts, count);
		if (r == 0 && syncfs(top) < 0)
			r = -errno;
		if (r < 0)
			err_sys(e, r, "put the layers together");
	}
	for (size_t i = 0; i < count; i++)
		close(parts[i]);
	return r < 0 ? r : layer_replace(l, id, e);
}

/* Names of the workspace's folder that the layer hides without having them. */
static int hide_names(int folder, int base, const char *path)
{
	auto_(folder_close) DIR *d = folder_list(base, path);
	const struct dirent *entry;
	struct stat st;
	int r = 0;

	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (r == 0 && (entry = readdir(d))) {
		if (folder_is_dots(entry->d_name))
			continue;
		if (fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
			r = make_whiteout(folder, entry->d_name);
		} else if (S_ISDIR(st.st_mode)) {
			auto_fd int below =
				folder_open_anyway(folder, entry->d_name, O_RDONLY | O_DIRECTORY);

			r = below < 0 ? take_fd(&below) : set_opaque(below, true);
		}
	}
	return r;
}

/* A whiteout of a whole folder becomes an empty one that hides the workspace's. */
static int make_folder_of(int upper, int base, const char *path)
{
	const char *name;
	auto_fd int parent = folder_parent(upper, path, &name);
	auto_fd int own = folder_open_here(base, path, O_RDONLY | O_DIRECTORY);
	auto_fd int made = -1;
	struct stat st, mode;

	if (parent < 0 || own < 0 || fstat(own, &mode) < 0)
		return -ENOENT;
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !changes_is_whiteout(&st))
		return -ENOTDIR;
	if (unlinkat(parent, name, 0) < 0 || mkdirat(parent, name, 0700) < 0)
		return -errno;
	made = folder_open(upper, path, O_RDONLY | O_DIRECTORY, 0);
	if (made < 0 || fchmod(made, (mode.st_mode & 0777) | 0700) < 0)
		return -EIO;
	return set_opaque(made, true);
}

/* The same view, but that single names in the folder can be let through: they are hidden one by
 * one. */
static int open_up(int upper, int base, const char *path)
{
	auto_fd int folder = folder_open(upper, path, O_RDONLY | O_DIRECTORY, 0);
	int r;

	if (folder == -ENOTDIR) {
		r = make_folder_of(upper, base, path);
		if (r < 0)
			return r;
		folder = folder_open(upper, path, O_RDONLY | O_DIRECTORY, 0);
	}
	if (folder < 0)
		return take_fd(&folder);
	if (!changes_is_opaque(folder))
		return 0;
	r = hide_names(folder, base, path);
	return r < 0 ? r : set_opaque(folder, false);
}

/* Folders of the layer that say nothing any more. */
static void tidy(int upper, int base, const char *path)
{
	char at[PATH_MAX];

	snprintf(at, sizeof at, "%s", path);
	for (char *slash = strrchr(at, '/'); slash; slash = strrchr(at, '/')) {
		auto_fd int folder = -1;
		auto_fd int own = -1;
		struct stat one, two;

		*slash = '\0';
		folder = folder_open(upper, at, O_RDONLY | O_DIRECTORY, 0);
		own = folder_open_here(base, at, O_RDONLY | O_DIRECTORY);
		if (folder < 0 || own < 0 || fstat(folder, &one) < 0 || fstat(own, &two) < 0 ||
			changes_is_opaque(folder) || ((one.st_mode ^ two.st_mode) & 0777) ||
			unlinkat(upper, at, AT_REMOVEDIR) < 0)
			return;
	}
}

/* All folders above it let single names through. */
static int open_way(int upper, int base, const char *path)
{
	char above[PATH_MAX];
	int r = open_up(upper, base, "");

	for (const char *p = strchr(path, '/'); r == 0 && p; p = strchr(p + 1, '/')) {
		snprintf(above, sizeof above, "%.*s", (int)(p - path), path);
		r = open_up(upper, base, above);
	}
	return r;
}

int flatten_forget(struct layer *l, int base, const char *path, struct err *e)
{
	char name_of_upper[LAYER_NAME];
	auto_fd int own = folder_open_here(base, path, O_PATH);
	auto_fd int upper = -1;
	auto_fd int parent = -1;
	const char *name;
	int r = 0;

	layer_upper(l, name_of_upper);
	upper = folder_open(l->own, name_of_upper, O_RDONLY | O_DIRECTORY, 0);
	if (upper < 0)
		return err_sys(e, upper, "open the changes");
	if (own >= 0) /* there is something to see */
		r = open_way(upper, base, path);
	if (r == 0) {
		parent = folder_parent(upper, path, &name);
		r = parent < 0 ? parent : folder_remove(parent, name);
	}
	/* Nothing of the layer lies there. */
	if (r == -ENOENT || (own < 0 && r == -ENOTDIR))
		return 0;
	if (r == -ENOTDIR || r == -ELOOP)
		return err_set(e, ENOTDIR,
			"'%s' lies in what is a file or a link in the session; discard that", path);
	if (r == 0)
		tidy(upper, base, path);
	return r < 0 ? err_sys(e, r, "take '%s' out of the changes", path) : 0;
}
