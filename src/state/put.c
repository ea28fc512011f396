/* SPDX-License-Identifier: Apache-2.0 */
#include "state/put.h"

#include "base/cleanup.h"
#include "sys/copy.h"
#include "sys/folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>

#define NOREPLACE 1 /* RENAME_NOREPLACE */
#define EXCHANGE 2  /* RENAME_EXCHANGE */

static bool is_same(const struct stat *was, const struct stat *is)
{
	return was->st_ino == is->st_ino && was->st_dev == is->st_dev &&
	       was->st_size == is->st_size && was->st_mtim.tv_sec == is->st_mtim.tv_sec &&
	       was->st_mtim.tv_nsec == is->st_mtim.tv_nsec;
}

/* That nobody could have put there before. */
static void temporary_name(char out[48])
{
	uint64_t random[2] = {0};

	if (getrandom(random, sizeof random, 0) != sizeof random)
		random[0] = (uint64_t)getpid();
	snprintf(out, 48, ".ward-apply-%016llx%016llx", (unsigned long long)random[0],
		(unsigned long long)random[1]);
}

static int rename_how(int folder, const char *from, const char *to, unsigned how)
{
	return syscall(SYS_renameat2, folder, from, folder, to, how) < 0 ? -errno : 0;
}

static bool is_untouched(const struct stat *was, const struct stat *is)
{
	return is_same(was, is) && was->st_ctim.tv_sec == is->st_ctim.tv_sec &&
	       was->st_ctim.tv_nsec == is->st_ctim.tv_nsec;
}

/* Until our own file is the one that has no place. */
static int give_back(int folder, const char *made, const char *name, const struct stat *ours)
{
	struct stat st;
	int r = 0;

	for (int i = 0; i < 8 && r == 0; i++) {
		r = rename_how(folder, made, name, EXCHANGE);
		if (r == 0 && fstatat(folder, made, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			st.st_ino == ours->st_ino)
			break;
	}
	/* Nothing is at the name any more: what was displaced goes back to it. */
	if (r == -ENOENT)
		rename_how(folder, made, name, NOREPLACE);
	return r < 0 && r != -ENOENT ? r : -ESTALE;
}

/* Takes the place of what is there, if that is still what was compared. */
static int put_in_place(int folder, const char *made, const char *name, const struct change *k)
{
	struct stat ours, st;
	int r;

	if (k->kind == CHANGE_ADDED)
		return rename_how(folder, made, name, NOREPLACE);
	if (fstatat(folder, made, &ours, AT_SYMLINK_NOFOLLOW) < 0 ||
		fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!is_untouched(&k->base, &st))
		return -ESTALE;
	r = rename_how(folder, made, name, EXCHANGE);
	if (r < 0)
		return r;
	if (fstatat(folder, made, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!is_same(&k->base, &st))
		return give_back(folder, made, name, &ours);
	return unlinkat(folder, made, 0) < 0 ? -errno : 0;
}

/* As it would be owned had it been written there by the sandbox of a workspace 'rw'. */
static int give_owner(const struct changes *c, int fd, const struct change *k)
{
	struct stat st;

	if (geteuid() != 0)
		return 0;
	if (k->base.st_mode)
		st = k->base;
	else if (fstat(c->base, &st) < 0)
		return -errno;
	return fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
}

/* Nameless until it is whole, where the file system can do that. */
static int new_file(int folder, const char *name, bool *ret_named)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	*ret_named = false;
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd < 0 ? -errno : fd;
	*ret_named = true;
	fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

static int give_name(int fd, int folder, const char *name)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

/* A file whose owner may not read it is read nevertheless: nobody uses the layer now. */
static int open_source(const struct changes *c, const struct change *k)
{
	const char *name;
	auto_fd int parent = folder_parent(c->parts[k->part], k->path, &name);

	return parent < 0 ? take_fd(&parent)
			  : folder_open_anyway(parent, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

static int make_file(const struct changes *c, const struct change *k, int folder, const char *name)
{
	auto_fd int from = open_source(c, k);
	auto_fd int to = -1;
	struct timespec times[2] = {k->layer.st_atim, k->layer.st_mtim};
	struct stat st;
	bool named;
	int r;

	if (from < 0)
		return take_fd(&from);
	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	to = new_file(folder, name, &named);
	if (to < 0)
		return take_fd(&to);
	r = copy_bytes(from, to);
	if (r == 0)
		r = give_owner(c, to, k);
	if (r == 0 && (fchmod(to, k->layer.st_mode & 0777) < 0 || futimens(to, times) < 0))
		r = -errno;
	if (r == 0 && !named)
		r = give_name(to, folder, name);
	return r;
}

static int make_link(const struct changes *c, const struct change *k, int folder, const char *name)
{
	const char *old;
	auto_fd int parent = folder_parent(c->parts[k->part], k->path, &old);
	struct stat st;
	int r;

	if (parent < 0)
		return take_fd(&parent);
	r = copy_entry(parent, old, folder, name, &k->layer);
	if (r == 0 && geteuid() == 0 && fstat(c->base, &st) == 0 &&
		fchownat(folder, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	return r;
}

static int make_folder(
	const struct changes *c, const struct change *k, int folder, const char *name)
{
	auto_fd int made = -1;
	int r;

	if (k->kind == CHANGE_ADDED && mkdirat(folder, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	made = folder_open_here(folder, name, O_RDONLY | O_DIRECTORY);
	if (made < 0)
		return take_fd(&made);
	r = k->kind == CHANGE_ADDED ? give_owner(c, made, k) : 0;
	/* Its own mode comes when everything in it has been done. */
	return r == 0 && fchmod(made, (k->layer.st_mode & 0777) | 0700) < 0 ? -errno : r;
}

/* Only its mode: its content may have been read by others, who keep what they opened. */
static int set_mode(const struct change *k, int folder, const char *name)
{
	auto_fd int fd = folder_open_here(folder, name, O_PATH);
	char link[40];
	struct stat st;

	if (fd < 0)
		return take_fd(&fd);
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!is_untouched(&k->base, &st))
		return -ESTALE;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	return chmod(link, k->layer.st_mode & 0777) < 0 ? -errno : 0;
}

int put_there(const struct changes *c, const struct change *k)
{
	const char *name;
	auto_fd int folder = folder_parent(c->base, k->path, &name);
	struct stat ours = {0}, st;
	char made[48];
	int r;

	if (folder < 0)
		return take_fd(&folder);
	if (S_ISDIR(k->layer.st_mode))
		return make_folder(c, k, folder, name);
	if (k->kind == CHANGE_MODIFIED && !k->content)
		return set_mode(k, folder, name);
	temporary_name(made);
	r = S_ISLNK(k->layer.st_mode) ? make_link(c, k, folder, made)
				      : make_file(c, k, folder, made);
	if (r == 0 && fstatat(folder, made, &ours, AT_SYMLINK_NOFOLLOW) < 0)
		r = -errno;
	if (r == 0)
		r = put_in_place(folder, made, name, k);
	/* What lies there now may be somebody else's. */
	if (r < 0 && fstatat(folder, made, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		(ours.st_ino == 0 || st.st_ino == ours.st_ino))
		unlinkat(folder, made, 0);
	return r == -EEXIST ? -ESTALE : r;
}

/* A folder that goes lets its entries go first. */
static int take_folder_away(int folder, const char *name)
{
	return unlinkat(folder, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -errno : 0;
}

int put_away(const struct changes *c, const struct change *k)
{
	const char *name;
	auto_fd int folder = folder_parent(c->base, k->path, &name);
	char aside[48];
	struct stat st;
	int r;

	if (folder < 0)
		return folder == -ENOENT ? 0 : take_fd(&folder);
	if (S_ISDIR(k->base.st_mode))
		return take_folder_away(folder, name);
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!is_untouched(&k->base, &st))
		return -ESTALE;
	temporary_name(aside);
	r = rename_how(folder, name, aside, NOREPLACE);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (fstatat(folder, aside, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (is_same(&k->base, &st))
		return unlinkat(folder, aside, 0) < 0 ? -errno : 0;
	r = rename_how(folder, aside, name, NOREPLACE);
	return r < 0 ? r : -ESTALE;
}
