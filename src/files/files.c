/* SPDX-License-Identifier: Apache-2.0 */
#include "files/files.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/fsuid.h>

#define SHOWN_MAX 200 /* bytes of a path in a message */

uint64_t files_limit(const struct files *f)
{
	return f->limit ? f->limit : FILES_LIMIT;
}

static const char *shown(struct buf *b, const char *path)
{
	escape_text(b, path[0] ? path : ".");
	if (b->dropped)
		memcpy(b->data + b->len - 3, "...", 3);
	return buf_text(b);
}

int files_fail(struct err *e, int code, const char *path, const char *text)
{
	auto_(buf_free) struct buf b = BUF(SHOWN_MAX);

	return err_set(e, code, "'%s' %s", shown(&b, path), text);
}

int files_fail_sys(struct err *e, int r, const char *what, const char *path)
{
	auto_(buf_free) struct buf b = BUF(SHOWN_MAX);

	return err_sys(e, r, "%s '%s'", what, shown(&b, path));
}

bool files_is_hidden(const struct files *f, const char *path)
{
	return f->hide_count &&
	       protect_refuses(protect_place(f->hide, f->hide_count, path), PROTECT_READ);
}

int files_judge(const struct files *f, const char *path, enum protect_op op, struct err *e)
{
	enum protect_place place;

	if (files_is_hidden(f, path))
		return files_fail(e, EPERM, path,
			"is hidden here (sandbox.hide): it is neither read nor written");
	if (op == PROTECT_READ || !f->protect_count)
		return 0;
	place = protect_place(f->protect, f->protect_count, path);
	if (!protect_refuses(place, op))
		return 0;
	return files_fail(e, EPERM, path,
		place == PROTECT_NAME ? "is protected (sandbox.protect) and stays as it is"
				      : "stands above protected names (sandbox.protect): it may "
					"only be a folder");
}

int files_may_change(const struct files *f, const char *path, struct err *e)
{
	if (!f->read_only)
		return 0;
	return files_fail(
		e, EROFS, path, "stays as it is: the workspace is read-only here (workspace: ro)");
}

static int refuse_switch(struct files_self *s, struct err *e)
{
	int r = -errno;

	files_stop(s);
	return err_sys(e, r ? r : -EPERM, "act for the owner of the workspace");
}

/* The file system's ids only: the rest of the process stays root. With these ids go the rights of
 * root over files. */
int files_start(const struct files *f, struct files_self *ret, struct err *e)
{
	*ret = (struct files_self){.switched = false};
	if (f->owner == FILES_NOBODY || f->owner == 0 || geteuid() != 0)
		return 0;
	ret->group_count = getgroups(0, NULL);
	if (ret->group_count < 0)
		return err_sys(e, -errno, "read the groups of this process");
	ret->groups = mem_alloc(sizeof *ret->groups * (size_t)(ret->group_count + 1));
	ret->group_count = getgroups(ret->group_count, ret->groups);
	if (ret->group_count < 0) {
		int r = err_sys(e, -errno, "read the groups of this process");

		free(take_ptr(ret->groups));
		return r;
	}
	ret->user = (uid_t)setfsuid((uid_t)-1);
	ret->group = (gid_t)setfsgid((gid_t)-1);
	ret->switched = true;
	errno = 0;
	if (setgroups(0, NULL) < 0)
		return refuse_switch(ret, e);
	setfsgid(f->group);
	setfsuid(f->owner);
	if ((uid_t)setfsuid((uid_t)-1) != f->owner || (gid_t)setfsgid((gid_t)-1) != f->group)
		return refuse_switch(ret, e);
	return 0;
}

void files_stop(struct files_self *s)
{
	if (!s->switched)
		return;
	setfsuid(s->user);
	setfsgid(s->group);
	setgroups((size_t)s->group_count, s->groups);
	s->switched = false;
	cleanup_free(&s->groups);
	s->groups = NULL;
}
