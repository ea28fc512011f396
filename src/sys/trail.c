/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/trail.h"

#include "base/cleanup.h"
#include "base/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINKS_MAX 40

struct trail {
	const struct trail_rules *rules;
	const char *asked; /* the path as it was given, for people */
	int at;            /* the folder that was reached */
	bool shared;       /* ... in which everybody may make something */
	char left[PATH_MAX];
	int links;
	struct err *e;
};

int trail_place(const char *path, const char *what, struct trail_place *ret)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	*ret = (struct trail_place){st.st_dev, st.st_ino, what};
	return 0;
}

static int refuse(const struct trail *t, const char *why)
{
	auto_(buf_free) struct buf shown = BUF(200), real = BUF(200);
	char path[PATH_MAX], link[32];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", t->at);
	n = readlink(link, path, sizeof path - 1);
	path[n < 0 ? 0 : n] = '\0';
	escape_text(&shown, t->asked);
	escape_text(&real, path);
	return err_set(t->e, EPERM, "'%s' is not run outside the sandbox: it lies in '%s', %s",
		buf_text(&shown), buf_text(&real), why);
}

static bool is_trusted(const struct trail *t, uid_t uid)
{
	return uid == 0 || uid == t->rules->caller;
}

static int check_place(struct trail *t, const struct stat *st)
{
	for (size_t i = 0; i < t->rules->barred_count; i++)
		if (t->rules->barred[i].device == st->st_dev &&
			t->rules->barred[i].inode == st->st_ino)
			return refuse(t, t->rules->barred[i].what);
	return 0;
}

/* The folder that the next name is looked up in. */
static int check_folder(struct trail *t)
{
	struct stat st;
	int r;

	if (fstat(t->at, &st) < 0)
		return -errno;
	r = check_place(t, &st);
	if (r < 0)
		return r;
	if (t->rules->barred_only)
		return 0;
	if (!is_trusted(t, st.st_uid))
		return refuse(t, "which belongs to another user");
	t->shared = st.st_mode & (S_IWGRP | S_IWOTH);
	if (t->shared && !(st.st_mode & S_ISVTX))
		return refuse(t, "in which others can write ('chmod go-w' ends that)");
	return 0;
}

/* What a link leads to takes the place of its name. */
static int follow(struct trail *t, const char *name, const char *rest)
{
	char target[PATH_MAX], path[2 * PATH_MAX];
	ssize_t n = readlinkat(t->at, name, target, sizeof target - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (++t->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)snprintf(path, sizeof path, "%s/%s", target, rest) >= sizeof t->left)
		return -ENAMETOOLONG;
	memcpy(t->left, path, strlen(path) + 1);
	if (target[0] != '/')
		return 0;
	close(t->at);
	t->at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return t->at < 0 ? -errno : 0;
}

/* One name further. 1: it was the last one, and is not a folder nor a link. */
static int step(struct trail *t, char name[NAME_MAX + 1])
{
	char rest[PATH_MAX];
	const char *from = t->left + strspn(t->left, "/");
	size_t len = strcspn(from, "/");
	struct stat st;
	int fd, r;

	if (len == 0)
		return -EISDIR;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	snprintf(name, NAME_MAX + 1, "%.*s", (int)len, from);
	snprintf(rest, sizeof rest, "%s", from + len + strspn(from + len, "/"));
	r = check_folder(t);
	if (r < 0)
		return r;
	if (fstatat(t->at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (t->shared && !is_trusted(t, st.st_uid))
		return refuse(t, "where another user has put it");
	if (S_ISLNK(st.st_mode))
		return follow(t, name, rest);
	if (!S_ISDIR(st.st_mode))
		return rest[0] ? -ENOTDIR : 1;
	fd = openat(t->at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(t->at);
	t->at = fd;
	memcpy(t->left, rest, strlen(rest) + 1);
	return 0;
}

static int take_file(struct trail *t, const char *name, char ret_path[PATH_MAX], struct stat *ret)
{
	auto_fd int fd =
		openat(t->at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char link[32], path[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	if (check_place(t, &st) < 0) /* one file can be bound too */
		return -EPERM;
	if (t->shared)
		return refuse(t, "in which everybody can make files");
	if (!is_trusted(t, st.st_uid))
		return refuse(t, "and belongs to another user");
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return refuse(t, "and others can write it ('chmod go-w' ends that)");
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n < 0)
		return -errno;
	path[n] = '\0';
	memcpy(ret_path, path, (size_t)n + 1);
	*ret = st;
	return take_fd(&fd);
}

/* From the root on: a name that is relative to a folder is one in all that leads there. */
static int begin(struct trail *t, int cwd, const char *path)
{
	char link[32], folder[PATH_MAX] = "";
	ssize_t n = 0;

	if (path[0] != '/') {
		snprintf(link, sizeof link, "/proc/self/fd/%d", cwd);
		n = readlink(cwd < 0 ? "/proc/self/cwd" : link, folder, sizeof folder - 1);
	}
	if (n < 0)
		return -errno;
	folder[n] = '\0';
	if ((size_t)snprintf(t->left, sizeof t->left, "%s/%s", folder, path) >= sizeof t->left)
		return -ENAMETOOLONG;
	t->at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return t->at < 0 ? -errno : 0;
}

int trail_open(int cwd, const char *path, const struct trail_rules *rules, char ret_path[PATH_MAX],
	struct stat *ret, struct err *e)
{
	struct trail t = {.rules = rules, .asked = path, .at = -1, .e = e};
	char name[NAME_MAX + 1];
	int r = begin(&t, cwd, path);

	while (r == 0)
		r = step(&t, name);
	if (r == 1)
		r = take_file(&t, name, ret_path, ret);
	cleanup_fd(&t.at);
	return r;
}

int trail_folder(const char *path, const struct trail_rules *rules, struct err *e)
{
	struct trail t = {.rules = rules, .asked = path, .at = -1, .e = e};
	char name[NAME_MAX + 1];
	int r = begin(&t, -1, path);

	while (r == 0)
		r = step(&t, name);
	if (r == -EISDIR) /* nothing is left of the path */
		r = check_folder(&t);
	else if (r == 1)
		r = -ENOTDIR;
	if (r == 0 && t.shared)
		r = refuse(&t, "in which everybody can make files");
	cleanup_fd(&t.at);
	return r;
}
