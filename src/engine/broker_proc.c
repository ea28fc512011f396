/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/str.h"
#include "engine/broker_parts.h"

#include <ctype.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

/*
 * A path is walked by hand, one component after the other, when it may lead through /proc. There
 * "self" and "thread-self" are replaced by the caller's number, and the links to a process's files
 * (cwd, root, fd/N) are followed only when they are the caller's own or those of a process that the
 * caller could look into as well: one of the same user that is dumpable. The broker, which is not,
 * and its children, which inherit that, are never followed into, whatever capability it holds.
 */
#define HOPS_MAX 40

int broker_is_proc(int fd)
{
	struct statfs st;

	if (fstatfs(fd, &st) < 0)
		return -errno;
	return st.f_type == PROC_SUPER_MAGIC;
}

/* The number of the process that a path below /proc belongs to; 0: to none. -1: it is elsewhere,
 * which is a /proc of somebody else. */
static long owner_of(const char *path)
{
	long pid = 0;

	if (!str_starts(path, "/proc/"))
		return str_eq(path, "/proc") ? 0 : -1;
	for (path += 6; isdigit((unsigned char)*path) && pid < 100000000; path++)
		pid = pid * 10 + (*path - '0');
	return *path == '/' || !*path ? pid : 0;
}

static bool is_waiting(const struct broker *b, long pid)
{
	for (size_t i = 0; i < BROKER_WAITING_MAX; i++)
		if (b->waiting[i] == pid)
			return true;
	return false;
}

/* The same threads, or a process that shows its insides to its user's others. */
static bool may_look_into(struct broker_call *c, long pid)
{
	char name[64];
	struct stat st;

	if (pid == c->b->self || is_waiting(c->b, pid))
		return false;
	if (pid == c->tid)
		return true;
	snprintf(name, sizeof(name), "%ld/task/%d", pid, c->tid);
	if (fstatat(c->b->proc, name, &st, 0) == 0)
		return true;
	snprintf(name, sizeof(name), "%ld/fd", pid);
	return fstatat(c->b->proc, name, &st, 0) == 0 && st.st_uid == geteuid();
}

bool broker_proc_allows(struct broker_call *c, const char *path)
{
	long pid = owner_of(path);

	return pid == 0 || (pid > 0 && may_look_into(c, pid));
}

/* Does the link lead to a file by itself and not by a text? */
static bool is_magic(int dir, const char *name)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS};
	auto_fd int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	return fd < 0 && errno == ELOOP;
}

int broker_proc_link(
	struct broker_call *c, int dir, const char *name, char *text, size_t size, int *ret_fd)
{
	char path[PATH_MAX];
	int r = broker_fd_path(c->b, dir, path, sizeof(path));
	ssize_t n;

	if (r < 0)
		return r;
	if (str_eq(path, "/proc") && (str_eq(name, "self") || str_eq(name, "thread-self"))) {
		r = snprintf(text, size, name[0] == 's' ? "%d" : "%d/task/%d", c->tid, c->tid);
		return r < 0 ? -EIO : 0;
	}
	if (is_magic(dir, name)) {
		long pid = owner_of(path);

		if (pid <= 0 || !may_look_into(c, pid))
			return -EACCES;
		r = openat(dir, name, O_PATH | O_CLOEXEC);
		if (r < 0)
			return -errno;
		*ret_fd = r;
		return 0;
	}
	n = readlinkat(dir, name, text, size);
	if (n < 0 || (size_t)n >= size)
		return n < 0 ? -errno : -ENAMETOOLONG;
	text[n] = '\0';
	return 0;
}

/* The walk: where it stands, and what is left of the text. */
struct walk {
	int cur;
	const char *rest;
	char text[2 * PATH_MAX];
};

static void cleanup_walk(struct walk *w)
{
	cleanup_fd(&w->cur);
}

static void move_to(struct walk *w, int fd)
{
	cleanup_fd(&w->cur);
	w->cur = fd;
}

/* Puts a link's text in front of what is left. */
static int splice_link(struct broker_call *c, struct walk *w, const char *text)
{
	char rest[PATH_MAX];
	size_t len = strlen(text), left = strlen(w->rest);

	if (len == 0)
		return -ENOENT;
	if (left >= sizeof(rest) || len + 1 + left >= sizeof(w->text))
		return -ENAMETOOLONG;
	memcpy(rest, w->rest, left + 1);
	memcpy(w->text, text, len);
	w->text[len] = '/';
	memcpy(w->text + len + 1, rest, left + 1);
	w->rest = w->text;
	if (text[0] != '/')
		return 0;

	int fd = fcntl(c->b->slash, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	move_to(w, fd);
	return 0;
}

static int step_link(struct broker_call *c, struct walk *w, const char *name)
{
	char text[PATH_MAX];
	auto_fd int fd = -1;
	struct stat st;
	int r;

	if (++c->hops > HOPS_MAX)
		return -ELOOP;
	if (broker_is_proc(w->cur) == 1) {
		r = broker_proc_link(c, w->cur, name, text, sizeof(text), &fd);
		if (r < 0)
			return r;
	} else {
		ssize_t n = readlinkat(w->cur, name, text, sizeof(text) - 1);

		if (n < 0)
			return -errno;
		text[n] = '\0';
	}
	if (fd < 0)
		return splice_link(c, w, text);
	if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return -ENOTDIR;
	move_to(w, take_fd(&fd));
	return 0;
}

static int step(struct broker_call *c, struct walk *w)
{
	size_t len = strcspn(w->rest, "/");
	char name[NAME_MAX + 1];
	struct stat st;

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, w->rest, len);
	name[len] = '\0';
	w->rest += len;

	auto_fd int fd = openat(w->cur, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode))
		return step_link(c, w, name);
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	move_to(w, take_fd(&fd));
	return 0;
}

int broker_walk_slow(struct broker_call *c, int start, const char *text)
{
	struct walk w __attribute__((cleanup(cleanup_walk))) = {.cur = -1};
	size_t len = strlen(text);

	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(w.text, text, len + 1);
	w.rest = w.text;
	w.cur = fcntl(text[0] == '/' || start < 0 ? c->b->slash : start, F_DUPFD_CLOEXEC, 0);
	if (w.cur < 0)
		return -errno;
	for (;;) {
		int r;

		w.rest += strspn(w.rest, "/");
		if (!*w.rest)
			return take_fd(&w.cur);
		r = step(c, &w);
		if (r < 0)
			return r;
	}
}
