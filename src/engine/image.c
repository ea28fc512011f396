/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/image.h"

#include "base/cleanup.h"
#include "sys/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define DETACH 2          /* MNT_DETACH */
#define DEPTH_MAX 8       /* of folders that both the image and the sandbox have */
#define ENTRIES_MAX 10000 /* of one such folder */

/* A folder of the image and its place in the new root. */
struct pair {
	int image, root;
	dev_t root_dev;
	int depth;
	bool layered;
	const char *path; /* of the place, from the new root */
};

static int fill(const struct pair *at, struct err *e);

/* Makes the name in the new root and puts the image's own there. */
static int put_entry(const struct pair *at, const char *name, const struct stat *st, struct err *e)
{
	int image = at->image, root = at->root;
	auto_fd int tree = -1;
	auto_fd int made = -1;
	char text[PATH_MAX];
	int r;

	if (S_ISLNK(st->st_mode)) {
		ssize_t len = readlinkat(image, name, text, sizeof text - 1);

		if (len < 0)
			return err_sys(e, -errno, "read the link '%s' of the image", name);
		text[len] = '\0';
		return symlinkat(text, root, name) < 0
			       ? err_sys(e, -errno, "copy the link '%s' of the image", name)
			       : 0;
	}
	if (!S_ISDIR(st->st_mode) && !S_ISREG(st->st_mode))
		return 0; /* devices, sockets and pipes of an image are of no use */
	if (S_ISDIR(st->st_mode)) {
		if (mkdirat(root, name, 0755) < 0)
			return err_sys(e, -errno, "make '%s'", name);
	} else {
		made = openat(root, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
		if (made < 0)
			return err_sys(e, -errno, "make '%s'", name);
	}
	tree = tree_open(image, name);
	r = tree < 0 ? tree : tree_set(tree, TREE_READ_ONLY, -1);
	if (r >= 0)
		r = tree_attach(tree, root, name);
	if (r >= 0 && at->layered) {
		snprintf(text, sizeof text, "%s%s", at->path, name);
		r = image_layer(text);
	}
	return r < 0 ? err_sys(e, r, "put '%s' of the image in place", name) : 0;
}

/* The same name in both: the sandbox's wins; two folders are merged unless a mount stands there. */
static int merge_entry(
	const struct pair *at, const char *name, const struct stat *st, struct err *e)
{
	auto_fd int from = -1;
	auto_fd int to = -1;
	char path[PATH_MAX];
	struct pair below = *at;
	struct stat there;

	if (fstatat(at->root, name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? put_entry(at, name, st, e)
				       : err_sys(e, -errno, "look at '%s'", name);
	if (!S_ISDIR(there.st_mode) || !S_ISDIR(st->st_mode) || there.st_dev != at->root_dev)
		return 0;
	from = openat(at->image, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	to = openat(at->root, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0 || to < 0)
		return err_sys(e, -errno, "open '%s' of the image", name);
	if ((size_t)snprintf(path, sizeof path, "%s%s/", at->path, name) >= sizeof path)
		return err_set(e, ENAMETOOLONG, "'%s' of the image lies too deep", name);
	below.image = from;
	below.root = to;
	below.path = path;
	below.depth++;
	return fill(&below, e);
}

static void close_folder(DIR **d)
{
	if (*d)
		closedir(*d);
}

static bool is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The sandbox makes these itself. */
static bool is_own(const struct pair *at, const char *name)
{
	static const char *const own[] = {"proc", "sys", "dev"};

	for (size_t i = 0; i < ARRAY_LEN(own) && at->depth == 0; i++)
		if (strcmp(name, own[i]) == 0)
			return true;
	return false;
}

static int fill(const struct pair *at, struct err *e)
{
	int copy = openat(at->image, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_(close_folder) DIR *folder = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	int r = 0;

	if (!folder || at->depth > DEPTH_MAX)
		return err_sys(e, folder ? -ELOOP : -errno, "read a folder of the image");
	for (int n = 0; r == 0 && (entry = readdir(folder)); n++) {
		struct stat st;

		if (n > ENTRIES_MAX)
			return err_set(e, E2BIG, "a folder of the image has too many entries");
		if (is_dots(entry->d_name) || is_own(at, entry->d_name))
			continue;
		if (fstatat(at->image, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_sys(e, -errno, "look at '%s' of the image", entry->d_name);
		r = merge_entry(at, entry->d_name, &st, e);
	}
	return r;
}

/* Parts can be copied only of what is mounted here: the image stands in the root for a while. */
static int fill_from(const char *place, bool layered, struct err *e)
{
	auto_fd int root = openat(AT_FDCWD, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_fd int image = openat(AT_FDCWD, place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pair top = {.image = image, .root = root, .layered = layered, .path = ""};
	struct stat st;

	if (root < 0 || image < 0 || fstat(root, &st) < 0)
		return err_sys(e, -errno, "open the new root");
	top.root_dev = st.st_dev;
	return fill(&top, e);
}

int image_fill(int tree, bool layered, struct err *e)
{
	static const char place[] = ".image";
	int r = mkdir(place, 0700) < 0 ? -errno : tree_attach(tree, AT_FDCWD, place);

	if (r < 0)
		return err_sys(e, r, "mount the image");
	r = fill_from(place, layered, e);
	if (r < 0)
		return err_ctx(e, r, "image");
	if (syscall(SYS_umount2, place, DETACH) < 0 || rmdir(place) < 0)
		return err_sys(e, -errno, "take the image away again");
	return 0;
}

#define LAYERS ".layers"
#define NOSUID_NODEV 6

int image_layers_begin(const struct plan *p, struct err *e)
{
	char options[96];
	int r;

	snprintf(options, sizeof options, "mode=700,size=%llu,nr_inodes=%llu",
		(unsigned long long)p->root_size, (unsigned long long)p->root_inodes);
	if (mkdir(LAYERS, 0700) < 0)
		return err_sys(e, -errno, "make room for layers");
	r = tree_mount("tmpfs", LAYERS, NOSUID_NODEV, options);
	return r < 0 ? err_sys(e, r, "make room for layers") : 0;
}

int image_layer(const char *target)
{
	static unsigned count;
	char upper[64], work[64], options[PATH_MAX + 256];
	struct stat st;

	if (lstat(target, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	snprintf(upper, sizeof upper, LAYERS "/u%u", count);
	snprintf(work, sizeof work, LAYERS "/w%u", count++);
	if (mkdir(upper, 0755) < 0 || mkdir(work, 0700) < 0)
		return -errno;
	snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s,userxattr", target,
		upper, work);
	return tree_mount("overlay", target, NOSUID_NODEV, options);
}

int image_layers_end(struct err *e)
{
	if (syscall(SYS_umount2, LAYERS, DETACH) < 0 || rmdir(LAYERS) < 0)
		return err_sys(e, -errno, "hide the layers");
	return 0;
}
