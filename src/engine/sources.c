/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Folders and files of the host that a sandbox gets to see: opened once, judged by what was opened,
 * and kept as a detached tree. Must not be looked up by name again afterwards.
 *
 * A user's sandbox opens them in init, inside the mount namespace whose copies it may mount. A
 * sandbox that root starts has ids of its own, which could not reach the folder: there the
 * supervisor opens them and translates their owner.
 */

#include "base/cleanup.h"
#include "engine/claim.h"
#include "model/pathname.h"
#include "sys/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* What an opened file is called now; a file that was removed has no name. */
static int real_path(int fd, char ret[PATH_MAX])
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	len = readlink(link, ret, PATH_MAX - 1);
	if (len < 0)
		return -errno;
	ret[len] = '\0';
	return ret[0] == '/' ? 0 : -ENOENT;
}

/* A second way into the workspace would lead around the names that are protected there. */
static int apart_from_workspace(
	const struct plan *p, const struct plan_row *row, const char *path, struct err *e)
{
	char workspace[PATH_MAX];

	if (!p->workspace_path || !(p->hide_count || (row->writable && p->protect_count)))
		return 0;
	if (!realpath(p->workspace_path, workspace))
		return err_sys(e, -errno, "find '%s'", p->workspace_path);
	if (!pathname_within(path, workspace) && !pathname_within(workspace, path))
		return 0;
	return err_set(e, EINVAL,
		"'%s' and the workspace overlap: names that are protected there could be reached "
		"through it; %s",
		row->source,
		p->hide_count ? "bind another folder, or do without 'hide'"
			      : "bind it read-only, or another folder");
}

static int judge(const struct plan *p, const struct plan_row *row, int fd, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;
	int r = real_path(fd, path);

	if (r < 0 || fstat(fd, &st) < 0)
		return err_sys(e, r < 0 ? r : -errno, "find the name of '%s'", row->source);
	if (row->kind != PLAN_BIND && !S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "'%s' is not a folder", row->source);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return err_set(e, EINVAL,
			"'%s' is neither a folder nor a file; devices, sockets and pipes are not "
			"bound",
			row->source);
	if (row->kind == PLAN_WORKSPACE_BIND)
		return bindspec_workspace_allowed(path, &p->bind_rules, e);
	if (row->kind != PLAN_BIND)
		return 0;
	r = apart_from_workspace(p, row, path, e);
	return r < 0 ? r : bindspec_source_allowed(path, &p->bind_rules, e);
}

/*
 * Owners as the sandbox sees them: the folder's own becomes the sandbox's. A file system that
 * cannot translate is used with its owner's ids, which must not be root's.
 */
static int translate(struct stage *s, const struct plan_row *row, int tree, unsigned flags,
	const struct stat *st, struct err *e)
{
	auto_fd int idmap = tree_idmap(st->st_uid, st->st_gid, s->host_uid, s->host_gid);
	int r;

	if (idmap < 0)
		return err_sys(e, idmap, "make a map of user ids for '%s'", row->source);
	r = tree_set(tree, flags, idmap);
	if (r >= 0)
		return 0;
	if (row->kind != PLAN_WORKSPACE_BIND)
		return err_set(e, -r,
			"'%s' lies on a file system that cannot translate owners (%s): bind it "
			"read-only, bind another folder, or start ward as an ordinary user",
			row->source, strerror(-r));
	if (st->st_uid == 0)
		return err_set(e, -r,
			"'%s' lies on a file system that cannot translate owners (%s), and it "
			"belongs to root: give it to another user (chown), or start ward as an "
			"ordinary user",
			row->source, strerror(-r));
	if (s->blank) /* whose ids are fixed */
		return err_sys(e, r, "translate the owner of '%s'", row->source);
	s->host_uid = st->st_uid;
	s->host_gid = st->st_gid;
	r = tree_set(tree, flags, -1);
	return r < 0 ? err_sys(e, r, "set up '%s'", row->source) : 0;
}

/* A workspace that is copied on write is never written itself. */
static bool is_written(const struct plan *p, const struct plan_row *row)
{
	return row->writable &&
	       !(row->kind == PLAN_WORKSPACE_BIND && p->workspace == WORKSPACE_COW);
}

/* By its name on the host; a blank has a root of its own already. */
static int open_named(const struct stage *s, const char *name)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};

	if (s->host < 0)
		return openat(AT_FDCWD, name, O_PATH | O_CLOEXEC);
	return (int)syscall(SYS_openat2, s->host, name, &how, sizeof how);
}

static int open_source(struct stage *s, const struct plan_row *row, int *ret, struct err *e)
{
	auto_fd int fd = open_named(s, row->source);
	auto_fd int tree = -1;
	unsigned flags = is_written(s->plan, row) ? 0 : TREE_READ_ONLY;
	struct stat st;
	int r;

	if (row->noexec)
		flags |= TREE_NOEXEC;
	if (fd < 0)
		return err_sys(e, -errno, "open '%s'", row->source);
	r = judge(s->plan, row, fd, e);
	if (r < 0)
		return r;
	tree = tree_open(fd, "");
	if (tree < 0)
		return err_sys(e, tree, "copy the mount of '%s'", row->source);
	if (fstat(fd, &st) < 0)
		return err_sys(e, -errno, "look at '%s'", row->source);
	if (s->plan->root && row->kind != PLAN_IMAGE && row->owned)
		r = translate(s, row, tree, flags, &st, e);
	else {
		r = tree_set(tree, flags, -1);
		if (r < 0)
			err_sys(e, r, "set up '%s'", row->source);
	}
	if (r < 0)
		return r;
	*ret = take_fd(&tree);
	return 0;
}

int sources_open_workspace(const struct plan *p, const struct plan_row *row, struct err *e)
{
	auto_fd int fd = openat(AT_FDCWD, row->source, O_PATH | O_CLOEXEC);
	int r = fd < 0 ? err_sys(e, -errno, "open '%s'", row->source) : judge(p, row, fd, e);

	return r < 0 ? r : take_fd(&fd);
}

static const char *row_word(const struct plan_row *row)
{
	return row->kind == PLAN_BIND ? "bind" : plan_kind_names[row->kind];
}

static int open_row(struct stage *s, size_t i, struct err *e)
{
	const struct plan_row *row = &s->plan->rows[i];
	int r = open_source(s, row, &s->trees[i], e);

	return r < 0 ? err_ctx(e, r, "%s", row_word(row)) : 0;
}

/* What has been mounted since the blank was made may be missing in it. */
int sources_open_claimed(struct stage *s, struct err *e)
{
	size_t i = s->blank->workspace;
	struct stat st;
	int r = open_row(s, i, e);

	if (r < 0)
		return r;
	if (fstat(s->trees[i], &st) < 0)
		return err_sys(e, -errno, "look at '%s'", s->claim->path);
	if (st.st_dev != s->claim->device || st.st_ino != s->claim->inode)
		return err_set(e, ESTALE, "'%s' is another folder in the sandbox", s->claim->path);
	return 0;
}

/* The workspace first: it may change the ids to which the others are translated. */
int sources_open(struct stage *s, struct err *e)
{
	const struct plan *p = s->plan;
	int r = 0;

	for (size_t i = 0; i < p->row_count && r == 0; i++)
		if (p->rows[i].kind == PLAN_WORKSPACE_BIND && !s->blank)
			r = open_row(s, i, e);
	for (size_t i = 0; i < p->row_count && r == 0; i++)
		if (p->rows[i].kind == PLAN_BIND || p->rows[i].kind == PLAN_IMAGE ||
			p->rows[i].kind == PLAN_LAYERS || p->rows[i].kind == PLAN_OWN)
			r = open_row(s, i, e);
	return r;
}
