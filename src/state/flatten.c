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

#define NEW "flat"
#define OPAQUE "user.overlay.opaque"
#define DEPTH_MAX 256

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

static int merge_folder(int from, int to, int depth);

/* An entry of a lower layer, where the upper ones have none of that name. */
static int merge_entry(int from, int to, const char *name, int depth)
{
	auto_fd int below = -1;
	auto_fd int target = -1;
	struct stat st, there;

	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstatat(to, name, &there, AT_SYMLINK_NOFOLLOW) == 0) {
		if (!S_ISDIR(there.st_mode) || !S_ISDIR(st.st_mode))
			return 0;
	} else if (changes_is_whiteout(&st)) {
		return make_whiteout(to, name);
	} else if (!S_ISDIR(st.st_mode)) {
		return copy_entry(from, name, to, name, &st);
	} else if (mkdirat(to, name, 0700) < 0) {
		return -errno;
	} else {
		there.st_mode = 0;
	}
	below = folder_open(from, name, O_RDONLY | O_DIRECTORY, 0);
	target = folder_open(to, name, O_RDONLY | O_DIRECTORY, 0);
	if (below < 0 || target < 0)
		return below < 0 ? take_fd(&below) : take_fd(&target);
	if (there.st_mode && changes_is_opaque(target))
		return 0; /* nothing of what lies below is seen */
	if (!there.st_mode && fchmod(target, st.st_mode & 0777) < 0)
		return -errno;
	return merge_folder(below, target, depth + 1);
}

static int merge_folder(int from, int to, int depth)
{
	auto_(folder_close) DIR *d = folder_list(from, "");
	const struct dirent *entry;
	int r = 0;

	if (!d)
		return -errno;
	if (depth > DEPTH_MAX)
		return -ELOOP;
	while (r == 0 && (entry = readdir(d)))
		if (!folder_is_dots(entry->d_name))
			r = merge_entry(from, to, entry->d_name, depth);
	if (r == 0 && changes_is_opaque(from))
		r = set_opaque(to, true);
	return r;
}

int flatten(struct layer *l, struct err *e)
{
	int parts[CHAIN_LAYERS + 1], r;
	size_t count;
	auto_fd int to = -1;

	if (l->chain.below.count == 0)
		return 0;
	folder_remove(l->own, NEW);
	r = layer_parts(l, parts, &count, e);
	if (r == 0 && mkdirat(l->own, NEW, 0700) < 0)
		r = err_sys(e, -errno, "make a layer");
	if (r == 0) {
		to = folder_open(l->own, NEW, O_RDONLY | O_DIRECTORY, 0);
		r = to < 0 ? err_sys(e, to, "open a layer") : 0;
	}
	for (size_t i = 0; i < count; i++) {
		if (r == 0)
			r = merge_folder(parts[i], to, 0);
		close(parts[i]);
	}
	if (r < 0)
		return e->code ? r : err_sys(e, r, "put the layers together");
	return layer_replace(l, NEW, e);
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
				folder_open(folder, entry->d_name, O_RDONLY | O_DIRECTORY, 0);

			r = below < 0 ? take_fd(&below) : set_opaque(below, true);
		}
	}
	return r;
}

/* The same view, but that single names in the folder can be let through: they are hidden one by
 * one. */
static int open_up(int upper, int base, const char *path)
{
	auto_fd int folder = -1;
	struct stat st;
	const char *name;
	int r;

	folder = folder_open(upper, path, O_RDONLY | O_DIRECTORY, 0);
	if (folder == -ENOTDIR) { /* a whiteout: the whole folder was removed */
		auto_fd int parent = folder_parent(upper, path, &name);
		auto_fd int own = folder_open_here(base, path, O_RDONLY | O_DIRECTORY);

		if (parent < 0 || own < 0 || fstat(own, &st) < 0)
			return -ENOENT;
		if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			!changes_is_whiteout(&st) || unlinkat(parent, name, 0) < 0 ||
			mkdirat(parent, name, 0700) < 0 || fstat(own, &st) < 0)
			return -ENOTDIR;
		folder = folder_open(upper, path, O_RDONLY | O_DIRECTORY, 0);
		if (folder < 0 || fchmod(folder, st.st_mode & 0777) < 0)
			return -EIO;
	} else if (folder < 0) {
		return take_fd(&folder);
	} else if (!changes_is_opaque(folder)) {
		return 0;
	}
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

int flatten_forget(struct layer *l, int base, const char *path, struct err *e)
{
	auto_fd int upper = folder_open(l->own, "upper", O_RDONLY | O_DIRECTORY, 0);
	auto_fd int parent = -1;
	const char *name;
	int r = upper < 0 ? upper : open_up(upper, base, "");
	char above[PATH_MAX];

	for (const char *p = strchr(path, '/'); r == 0 && p; p = strchr(p + 1, '/')) {
		snprintf(above, sizeof above, "%.*s", (int)(p - path), path);
		r = open_up(upper, base, above);
	}
	if (r == -ENOENT) /* nothing of the layer lies there */
		return 0;
	if (r == 0) {
		parent = folder_parent(upper, path, &name);
		r = parent < 0 ? parent : folder_remove(parent, name);
	}
	if (r == 0)
		tidy(upper, base, path);
	return r < 0 ? err_sys(e, r, "take '%s' out of the changes", path) : 0;
}
