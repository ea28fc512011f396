/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/folder.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define DEPTH_MAX 100 /* folders that are open at once */

static int open_how(int folder, const char *path, int flags, mode_t mode, uint64_t resolve)
{
	struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = resolve};
	const char *name = path[0] ? path : ".";
	/* Where nothing is asked for beyond what open() does, that is enough; some filters refuse
	 * the newer call. */
	long fd = resolve ? syscall(SYS_openat2, folder, name, &how, sizeof how)
			  : openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);

	return fd < 0 ? -errno : (int)fd;
}

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static void make_folders(const char *folder)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof path, "%s", folder) >= sizeof path)
		return;
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	mkdir(path, 0700);
}

int folder_own(const char *path, unsigned flags)
{
	uint64_t resolve = flags & FOLDER_NO_LINKS ? RESOLVE_NO_SYMLINKS : 0;
	auto_fd int fd = open_how(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, resolve);
	struct stat st;

	if (fd == -ENOENT && flags & FOLDER_MAKE) {
		make_folders(path);
		fd = open_how(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0, resolve);
	}
	if (fd < 0)
		return take_fd(&fd);
	if (fstat(fd, &st) < 0)
		return -errno;
	return is_ours(&st) ? take_fd(&fd) : -EPERM;
}

int folder_open(int folder, const char *path, int flags, mode_t mode)
{
	return open_how(folder, path, flags, mode,
		RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

int folder_open_here(int folder, const char *path, int flags)
{
	return open_how(folder, path, flags, 0,
		RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV);
}

int folder_parent(int folder, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (len >= sizeof parent)
		return -ENAMETOOLONG;
	memcpy(parent, path, len);
	parent[len] = '\0';
	*ret_name = slash ? slash + 1 : path;
	return folder_open_here(folder, parent, O_RDONLY | O_DIRECTORY);
}

DIR *folder_list(int folder, const char *path)
{
	int fd = folder_open(folder, path, O_RDONLY | O_DIRECTORY, 0);
	DIR *d = NULL;

	if (fd < 0)
		errno = -fd;
	else
		d = fdopendir(fd);
	if (!d && fd >= 0)
		close(fd);
	return d;
}

bool folder_is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

void folder_close(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* Of an entry that was opened; of what it is a link to never. */
static int change_mode(int path, mode_t mode)
{
	char link[40];

	snprintf(link, sizeof link, "/proc/self/fd/%d", path);
	return chmod(link, mode) < 0 ? -errno : 0;
}

int folder_open_anyway(int folder, const char *name, int flags)
{
	mode_t more = flags & O_DIRECTORY ? 0500 : 0400;
	int fd = folder_open(folder, name, flags, 0);
	auto_fd int path = -1;
	struct stat st;

	if (fd != -EACCES)
		return fd;
	path = folder_open(folder, name, O_PATH, 0);
	if (path < 0 || fstat(path, &st) < 0 || S_ISLNK(st.st_mode) ||
		change_mode(path, (st.st_mode & 0777) | more) < 0)
		return fd;
	fd = folder_open(folder, name, flags, 0);
	if (change_mode(path, st.st_mode & 0777) < 0 && fd >= 0) {
		close(fd);
		return -EACCES;
	}
	return fd;
}

/* A tree that is being removed. What lies too deep is moved to its top, and comes up again. */
struct removal {
	int top;
	unsigned moved;
};

static int remove_entry(struct removal *w, int parent, const char *name, int depth);

static DIR *list_anyway(int parent, const char *name)
{
	auto_fd int path = folder_open(parent, name, O_PATH | O_DIRECTORY, 0);
	struct stat st;

	if (path >= 0 && fstat(path, &st) == 0 && (st.st_mode & 0700) != 0700)
		change_mode(path, 0700);
	return folder_list(parent, name);
}

static int empty_folder(struct removal *w, int parent, const char *name, int depth)
{
	auto_(folder_close) DIR *d = list_anyway(parent, name);
	const struct dirent *entry;
	int r = 0;

	if (!d)
		return -errno;
	if (w->top < 0)
		w->top = dirfd(d);
	while (r == 0 && (entry = readdir(d)))
		if (!folder_is_dots(entry->d_name))
			r = remove_entry(w, dirfd(d), entry->d_name, depth + 1);
	if (depth == 0)
		w->top = -1;
	return r;
}

static int move_up(struct removal *w, int parent, const char *name)
{
	char new_name[40];

	do
		snprintf(new_name, sizeof new_name, ".moved-%u", w->moved++);
	while (fstatat(w->top, new_name, &(struct stat){0}, AT_SYMLINK_NOFOLLOW) == 0);
	return renameat(parent, name, w->top, new_name) < 0 ? -errno : 0;
}

static int remove_entry(struct removal *w, int parent, const char *name, int depth)
{
	int r;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -errno;
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
		return 0;
	if (depth > DEPTH_MAX)
		return move_up(w, parent, name);
	r = empty_folder(w, parent, name, depth);
	if (r < 0)
		return r;
	return unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
}

int folder_remove(int folder, const char *name)
{
	struct removal w = {.top = -1};
	int r;

	/* What was moved to the top may have come behind where it was read. */
	do {
		unsigned before = w.moved;

		r = remove_entry(&w, folder, name, 0);
		if (w.moved == before)
			break;
	} while (r == -ENOTEMPTY);
	return r;
}
