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

#define DEPTH_MAX 8       /* of folders that both the image and the sandbox have */
#define ENTRIES_MAX 10000 /* of one such folder */

static int fill(int image, int root, dev_t root_dev, int depth, struct err *e);

/* Makes the name in the new root and puts the image's own there. */
static int put_entry(int image, int root, const char *name, const struct stat *st, struct err *e)
{
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
	return r < 0 ? err_sys(e, r, "put '%s' of the image in place", name) : 0;
}

/* The same name in both: the sandbox's wins; two folders are merged unless a mount stands there. */
static int merge_entry(int image, int root, const char *name, const struct stat *st, dev_t root_dev,
	int depth, struct err *e)
{
	auto_fd int from = -1;
	auto_fd int to = -1;
	struct stat there;

	if (fstatat(root, name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? put_entry(image, root, name, st, e)
				       : err_sys(e, -errno, "look at '%s'", name);
	if (!S_ISDIR(there.st_mode) || !S_ISDIR(st->st_mode) || there.st_dev != root_dev)
		return 0;
	from = openat(image, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	to = openat(root, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0 || to < 0)
		return err_sys(e, -errno, "open '%s' of the image", name);
	return fill(from, to, root_dev, depth + 1, e);
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

static int fill(int image, int root, dev_t root_dev, int depth, struct err *e)
{
	int copy = openat(image, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_(close_folder) DIR *folder = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	int r = 0;

	if (!folder || depth > DEPTH_MAX)
		return err_sys(e, folder ? -ELOOP : -errno, "read a folder of the image");
	for (int n = 0; r == 0 && (entry = readdir(folder)); n++) {
		struct stat st;

		if (n > ENTRIES_MAX)
			return err_set(e, E2BIG, "a folder of the image has too many entries");
		if (is_dots(entry->d_name) ||
			(depth == 0 && (strcmp(entry->d_name, "proc") == 0 ||
					       strcmp(entry->d_name, "sys") == 0 ||
					       strcmp(entry->d_name, "dev") == 0)))
			continue;
		if (fstatat(image, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_sys(e, -errno, "look at '%s' of the image", entry->d_name);
		r = merge_entry(image, root, entry->d_name, &st, root_dev, depth, e);
	}
	return r;
}

int image_fill(int tree, struct err *e)
{
	auto_fd int root = openat(AT_FDCWD, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (root < 0 || fstat(root, &st) < 0)
		return err_sys(e, -errno, "open the new root");
	return err_ctx(e, fill(tree, root, st.st_dev, 0, e), "image");
}

/* Layers lie in a folder of the root tmpfs that is emptied of its name before the program runs. */
int image_layer(struct stage *s, const struct plan_row *row)
{
	char text[PATH_MAX], options[256];
	ssize_t len = readlink(row->source, text, sizeof text - 1);
	struct stat st;

	(void)s;
	if (len >= 0) {
		text[len] = '\0';
		return symlink(text, row->target) < 0 ? -errno : 0;
	}
	if (stat(row->source, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	(void)options;
	return -ENOSYS;
}
