/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/holder.h"

#include "base/cleanup.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCESSES 512 /* below one */
#define ENTRIES 4096

struct walk {
	const uint32_t *inodes;
	size_t inode_count;
	struct holder_room *room;
	pid_t pids[PROCESSES];
	size_t count;
	bool full, found;
};

/* Calls fn for each entry that is a number, until it says false. */
static void each_number(int dir, const char *name, struct walk *w,
	bool (*fn)(struct walk *w, int entries, const char *number))
{
	auto_fd int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(8) char data[ENTRIES];
	long n;

	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, data, sizeof data)) > 0)
		for (long at = 0; at < n;) {
			/* Inode and offset come first: eight bytes each, then the length. */
			uint16_t size;
			const char *entry = data + at + 19;

			memcpy(&size, data + at + 16, sizeof size);
			at += size;
			if (*entry >= '0' && *entry <= '9' && !fn(w, fd, entry))
				return;
		}
}

static bool take_room(struct walk *w, unsigned *left)
{
	if (*left == 0)
		w->full = true;
	else
		--*left;
	return !w->full;
}

/* "socket:[4711]" */
static bool look_at_descriptor(struct walk *w, int entries, const char *number)
{
	char text[32];
	ssize_t n;
	unsigned long inode;

	if (!take_room(w, &w->room->descriptors))
		return false;
	n = readlinkat(entries, number, text, sizeof text - 1);
	text[n < 0 ? 0 : n] = '\0';
	if (!str_starts(text, "socket:["))
		return true;
	inode = strtoul(text + strlen("socket:["), NULL, 10);
	for (size_t i = 0; i < w->inode_count; i++)
		w->found = w->found || w->inodes[i] == inode;
	return !w->found;
}

static void add(struct walk *w, pid_t pid)
{
	if (w->count == PROCESSES)
		w->full = true;
	else if (pid > 0)
		w->pids[w->count++] = pid;
}

/* "12 345 6 ", of any length. */
static bool add_children(struct walk *w, int entries, const char *thread)
{
	char name[32], data[1024];
	auto_fd int fd = -1;
	pid_t pid = 0;
	ssize_t n;

	if (!take_room(w, &w->room->threads))
		return false;
	snprintf(name, sizeof name, "%.12s/children", thread);
	fd = openat(entries, name, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, data, sizeof data)) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (data[i] >= '0' && data[i] <= '9') {
				pid = pid * 10 + (data[i] - '0');
				continue;
			}
			add(w, pid);
			pid = 0;
		}
	return !w->full;
}

static void look_at(struct walk *w, pid_t pid, bool itself)
{
	auto_fd int dir = -1;
	char path[32];

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	if (itself)
		each_number(dir, "fd", w, look_at_descriptor);
	if (!w->found && !w->full)
		each_number(dir, "task", w, add_children);
}

int holder_below(pid_t top, const uint32_t *inodes, size_t count, struct holder_room *io)
{
	struct walk w;

	w.inodes = inodes;
	w.inode_count = count;
	w.room = io;
	w.count = 0;
	w.full = w.found = false;
	look_at(&w, top, false);
	for (size_t i = 0; i < w.count && !w.found && !w.full; i++)
		look_at(&w, w.pids[i], true);
	return w.found ? 1 : w.full ? -E2BIG : 0;
}
