/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/leaf_group.h"

#include "base/cleanup.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Theory. A maker makes the folder, then locks it, then sees whether it is still there. A sweeper
 * locks a folder and removes it while it holds the lock. So a folder whose maker has seen it under
 * the lock stays; one that a sweeper was faster with is noticed, and the maker starts again with
 * another name. Nobody else can open the folder, so nobody else can lock it.
 */

#define PREFIX "ward-"
#define MAKE_TRIES 8
#define REMOVE_TRIES 100 /* of a millisecond each */
#define LOOKS 64         /* at groups whose makers seem to live, in one sweep */
/* flock(2): alone, without waiting. The header that has its names is called sys/file.h, like ours.
 */
#define LOCK_NOW (2 | 4)
#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static void set_name(char out[LEAF_GROUP_NAME])
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(out, LEAF_GROUP_NAME, PREFIX "%d-%08x", (int)getpid(),
		(unsigned)now.tv_nsec ^ ((unsigned)now.tv_sec << 30));
}

/* PREFIX, digits, a dash, eight hexadecimal digits. */
static bool is_name(const char *text)
{
	size_t digits, hex;

	if (!str_starts(text, PREFIX))
		return false;
	text += strlen(PREFIX);
	digits = strspn(text, "0123456789");
	if (digits == 0 || text[digits] != '-')
		return false;
	text += digits + 1;
	hex = strspn(text, "0123456789abcdef");
	return hex == 8 && !text[hex];
}

static int open_in(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* The folder, ours from now on; -EWOULDBLOCK while a sweeper has it. */
static int open_locked(int base, const char *name)
{
	auto_fd int dir = open_in(base, name, OPEN_FOLDER);

	if (dir < 0)
		return take_fd(&dir);
	if (syscall(SYS_flock, dir, LOCK_NOW) < 0)
		return -errno;
	return take_fd(&dir);
}

/* Is it still there, now that it is locked? Version 1 needs a descriptor of the file anyway. */
static int open_tasks(struct leaf_group *g)
{
	g->tasks = -1;
	if (g->version == 2)
		return faccessat(g->dir, "cgroup.procs", F_OK, 0) < 0 ? -errno : 0;
	g->tasks = openat(g->dir, "tasks", O_WRONLY | O_CLOEXEC);
	return g->tasks < 0 ? -errno : 0;
}

static int make_once(int base, struct leaf_group *g)
{
	int r;

	set_name(g->name);
	if (mkdirat(base, g->name, 0700) < 0)
		return -errno;
	g->dir = open_locked(base, g->name);
	if (g->dir < 0)
		return g->dir;
	r = open_tasks(g);
	if (r < 0)
		close(take_fd(&g->dir));
	return r;
}

int leaf_group_make(const char *path, int version, struct leaf_group *ret)
{
	auto_fd int base = open_in(AT_FDCWD, path, O_PATH | O_DIRECTORY);
	struct leaf_group g = {.version = version};
	int r = -EEXIST;

	if (base < 0)
		return take_fd(&base);
	for (int i = 0; i < MAKE_TRIES; i++) {
		r = make_once(base, &g);
		if (r != -EEXIST && r != -EWOULDBLOCK && r != -ENOENT)
			break;
	}
	if (r < 0)
		return r;
	g.base = take_fd(&base);
	*ret = g;
	return 0;
}

int leaf_group_write(int dir, const char *file, const char *text)
{
	auto_fd int fd = open_in(dir, file, O_WRONLY);

	if (fd < 0)
		return take_fd(&fd);
	return write(fd, text, strlen(text)) < 0 ? -errno : 0;
}

static int remove_patiently(int base, const char *name)
{
	const struct timespec pause = {.tv_nsec = 1000 * 1000};

	for (int i = 0; i < REMOVE_TRIES; i++) {
		if (unlinkat(base, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

int leaf_group_remove(struct leaf_group *g)
{
	auto_fd int base = take_fd(&g->base), dir = take_fd(&g->dir), tasks = take_fd(&g->tasks);

	(void)dir;
	(void)tasks;
	return base < 0 ? 0 : remove_patiently(base, g->name);
}

/* A number that was given again looks alive too, and one of another pid namespace. */
static bool seems_alive(const char *name)
{
	pid_t maker = (pid_t)strtol(name + strlen(PREFIX), NULL, 10);

	return maker > 0 && (kill(maker, 0) == 0 || errno == EPERM);
}

/* Removes the folder if it is ours and nobody holds it; one with processes in it stays. */
static bool sweep_one(int base, const char *name)
{
	auto_fd int dir = -1;
	struct stat st;

	if (fstatat(base, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_uid != geteuid())
		return false;
	dir = open_locked(base, name);
	return dir >= 0 && unlinkat(base, name, AT_REMOVEDIR) == 0;
}

struct entry {
	uint64_t ino;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* Of the groups whose makers seem to live, every so manieth is looked at, other ones each time. */
struct turn {
	unsigned every, at;
};

static struct turn turn_of(size_t folders)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (struct turn){.every = 1 + (unsigned)(folders / LOOKS), .at = (unsigned)now.tv_nsec};
}

static int sweep_some(int base, const char *data, size_t len, struct turn *turn)
{
	int count = 0;

	for (size_t at = 0; at < len;) {
		const struct entry *entry = (const void *)(data + at);
		bool ours = entry->type == DT_DIR && is_name(entry->name);

		if (ours && (!seems_alive(entry->name) || turn->at++ % turn->every == 0))
			count += sweep_one(base, entry->name);
		at += entry->size;
	}
	return count;
}

int leaf_group_sweep(const char *path, size_t known)
{
	auto_fd int base = open_in(AT_FDCWD, path, OPEN_FOLDER);
	_Alignas(struct entry) char data[4096];
	struct turn turn;
	struct stat st;
	int count = 0;
	long n;

	if (base < 0 || fstat(base, &st) < 0)
		return 0;
	/* Two links to itself, one from each folder in it. */
	if (st.st_nlink >= 2 && st.st_nlink <= 2 + known)
		return 0;
	turn = turn_of(st.st_nlink);
	while ((n = syscall(SYS_getdents64, base, data, sizeof(data))) > 0)
		count += sweep_some(base, data, (size_t)n, &turn);
	return count;
}
