/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A workspace in memory (or in /tmp) and a folder outside of it with a secret, for the tests of the
 * file tools. Owns both until workspace_remove.
 */

#include "base/cleanup.h"
#include "files/files.h"
#include "sys/folder.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>

#define SECRET "canary"

struct workspace {
	char top[64];               /* holds the workspace "w" and the folder "out" */
	char path[80], outside[80]; /* full names */
	struct files f;
	struct arena arena;
	struct err e;
};

static inline void workspace_put(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static inline void workspace_mkdir(const struct workspace *w, const char *name)
{
	check(mkdirat(w->f.root, name, 0755) == 0);
}

static inline void workspace_link(const struct workspace *w, const char *target, const char *name)
{
	check(symlinkat(target, w->f.root, name) == 0);
}

static inline void workspace_make(struct workspace *w)
{
	*w = (struct workspace){.f.owner = FILES_NOBODY};
	snprintf(w->top, sizeof w->top, "%s/ward-files-XXXXXX",
		access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!check(mkdtemp(w->top) != NULL))
		exit(1);
	snprintf(w->path, sizeof w->path, "%s/w", w->top);
	snprintf(w->outside, sizeof w->outside, "%s/out", w->top);
	check(mkdir(w->path, 0755) == 0 && mkdir(w->outside, 0755) == 0);
	workspace_put(w->outside, "secret", SECRET);
	w->f.root = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check(w->f.root >= 0);
}

static inline void workspace_remove(struct workspace *w)
{
	char *name = strrchr(w->top, '/');
	int parent;

	*name = '\0';
	parent = open(w->top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	close(w->f.root);
	arena_free(&w->arena);
	check_int(folder_remove(parent, name + 1), 0);
	close(parent);
}

/* What a file holds, by its name on the host; NULL: there is none. */
static inline const char *workspace_text(struct workspace *w, const char *folder, const char *name)
{
	char path[PATH_MAX], text[4096];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	n = read(fd, text, sizeof text);
	close(fd);
	return n < 0 ? NULL : arena_text(&w->arena, text, (size_t)n);
}

/* How many entries a folder has. */
static inline size_t workspace_count(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2;
}
