/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/proctree.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "sys/file.h"
#include "sys/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PROCESSES 65536 /* that are looked at */
#define TRIES 20        /* until the tree holds still */

/* The name stands in brackets and may hold anything, also brackets. */
static int parse(const char *text, struct proctree_row *ret)
{
	enum { PARENT = 1, SESSION = 3, TERMINAL = 4, STARTED = 19, FIELDS = 20 };
	const char *p = strrchr(text, ')');
	unsigned long long field[FIELDS] = {0};

	if (!p || p[1] != ' ' || p[2] == '\0')
		return -EPROTO;
	p += 3; /* behind the letter of its state */
	for (int i = PARENT; i < FIELDS; i++) {
		char *end;

		field[i] = strtoull(p, &end, 10); /* negative ones wrap, and are not used */
		if (end == p)
			return -EPROTO;
		p = end;
	}
	ret->parent = (pid_t)field[PARENT];
	ret->session = (pid_t)field[SESSION];
	ret->terminal = (int)field[TERMINAL];
	ret->started = field[STARTED];
	return 0;
}

int proctree_look(pid_t pid, struct proctree_row *ret)
{
	char path[32], text[1024];
	struct proctree_row row = {.pid = pid};
	struct stat st;
	int r;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	if (pid <= 0 || stat(path, &st) < 0)
		return -ESRCH;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (file_read_small(path, text, sizeof text) < 0)
		return -ESRCH;
	r = parse(text, &row);
	if (r < 0)
		return r;
	row.uid = st.st_uid;
	*ret = row;
	return 0;
}

static int climb(pid_t pid, struct proctree_row *ret, size_t max)
{
	size_t count = 0;

	while (pid > 0 && count < max) {
		int r = proctree_look(pid, &ret[count]);

		if (r < 0)
			return r;
		pid = ret[count++].parent;
	}
	return pid > 0 ? -E2BIG : (int)count;
}

/* Two looks that agree: in between nobody can have got another parent and the old one back. */
int proctree_above(pid_t pid, struct proctree_row *ret, size_t max)
{
	auto_free struct proctree_row *again = mem_realloc(NULL, max, sizeof *again);
	int r = -EAGAIN;

	memset(ret, 0, max * sizeof *ret);
	memset(again, 0, max * sizeof *again);
	for (int i = 0; i < TRIES; i++) {
		int count = climb(pid, ret, max);

		r = climb(pid, again, max);
		if (count > 0 && count == r && memcmp(ret, again, (size_t)count * sizeof *ret) == 0)
			return count;
	}
	return r < 0 ? r : -EAGAIN;
}

/* All that there are, in no order. */
static size_t list_all(struct proctree_row *rows)
{
	auto_fd int proc = open("/proc", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	auto_(folder_close) DIR *d = proc < 0 ? NULL : folder_list(proc, "");
	const struct dirent *entry;
	size_t count = 0;

	while (d && count < PROCESSES && (entry = readdir(d))) {
		int pid = (int)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && proctree_look(pid, &rows[count]) == 0)
			count++;
	}
	return count;
}

static int by_number(const void *a, const void *b)
{
	const struct proctree_row *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Marks one generation after the other: what is marked has the session -1. */
static bool mark(struct proctree_row *rows, size_t count, pid_t top)
{
	bool more = false;

	for (size_t i = 0; i < count; i++) {
		struct proctree_row key = {.pid = rows[i].parent}, *parent;

		if (rows[i].session < 0 || rows[i].pid == top)
			continue;
		parent = bsearch(&key, rows, count, sizeof *rows, by_number);
		if (rows[i].parent != top && !(parent && parent->session < 0))
			continue;
		rows[i].session = -1;
		more = true;
	}
	return more;
}

int proctree_signal(pid_t top, int number)
{
	auto_free struct proctree_row *rows = mem_realloc(NULL, PROCESSES, sizeof *rows);
	size_t count = list_all(rows);
	int sent = 0;

	qsort(rows, count, sizeof *rows, by_number);
	while (mark(rows, count, top))
		;
	for (size_t i = 0; i < count; i++)
		if (rows[i].session < 0 && kill(rows[i].pid, number) == 0)
			sent++;
	return sent;
}
