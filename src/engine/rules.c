/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The second wall around files, independent of the first: what the mounts let through by mistake,
 * Landlock refuses, and the other way round. It also carries the protection of the workspace: the
 * program itself Mustn't be able to write there when init judges every change.
 */

#include "base/cleanup.h"
#include "engine/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int allow(struct stage *s, const char *path, unsigned rights, struct err *e)
{
	auto_fd int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, -errno, "open '%s' for a Landlock rule", path);
	r = landlock_allow(&s->landlock, fd, S_ISDIR(st.st_mode), rights);
	return r < 0 ? err_sys(e, r, "allow '%s' by Landlock", path) : 0;
}

/* The row's place once the new root is the root. */
static int allow_row(struct stage *s, const struct plan_row *row, unsigned rights, struct err *e)
{
	char path[4096] = "/";
	size_t len = strlen(row->target);

	if (len + 2 > sizeof path)
		return err_set(e, ENAMETOOLONG, "'/%s' is too long", row->target);
	memcpy(path + 1, row->target, len + 1);
	return allow(s, path, rights, e);
}

/* Where the program itself may write; in a workspace that init guards it may not. */
static bool writes(const struct plan *p, const struct plan_row *row)
{
	return row->writable && row->kind != PLAN_LAYERS &&
	       !(row->kind == PLAN_WORKSPACE_BIND && p->broker);
}

static void close_folder(DIR **d)
{
	if (*d)
		closedir(*d);
}

/*
 * With a throw-away layer every folder of the root can be written, but for those that the sandbox
 * is made of. The root itself cannot: a rule for it would hold for the workspace too.
 */
static int allow_layers(struct stage *s, struct err *e)
{
	static const char *const not [] = {".", "..", "proc", "sys", "dev", "workspace"};
	auto_(close_folder) DIR *root = opendir("/");
	const struct dirent *entry;
	int r = 0;

	if (!root)
		return err_sys(e, -errno, "read the root");
	while (r == 0 && (entry = readdir(root))) {
		char path[NAME_MAX + 2];
		bool own = entry->d_type != DT_DIR;

		for (size_t i = 0; i < ARRAY_LEN(not ) && !own; i++)
			own = strcmp(entry->d_name, not [i]) == 0;
		snprintf(path, sizeof path, "/%s", entry->d_name);
		if (!own)
			r = allow(s, path, LANDLOCK_WRITE, e);
	}
	return r;
}

int rules_make(struct stage *s, struct err *e)
{
	const struct plan *p = s->plan;
	int r = landlock_make(p->landlock_abi, &s->landlock);

	if (r < 0)
		return err_sys(e, r, "make a Landlock rule set");
	r = allow(s, "/", LANDLOCK_READ, e);
	if (r == 0)
		r = allow(s, "/dev", LANDLOCK_DEVICE, e);
	if (r == 0 && !p->read_only_root)
		r = allow_layers(s, e);
	for (size_t i = 0; i < p->row_count && r == 0; i++)
		if (writes(p, &p->rows[i]))
			r = allow_row(s, &p->rows[i], LANDLOCK_WRITE, e);
	return r;
}
