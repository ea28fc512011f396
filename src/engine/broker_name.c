/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "engine/broker_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * Calls that make, move or remove names. None of them follows a link in its last component, so the
 * name goes to the kernel as it came, with the slashes behind it and even when it is "..".
 */
#ifndef RENAME_EXCHANGE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE (1 << 1)
#endif

/* The common beginning: finds the place, and says who acts. 0: the broker. */
static long begin(struct broker_call *c, struct broker_place *p)
{
	int r = broker_walk(c, c->row->at, c->row->path, BROKER_NAME, p);

	if ((r < 0 || !p->inside) && c->b->spec.floor)
		return BROKER_CONTINUE;
	return r < 0 ? r : broker_may_act(c, p);
}

/* The common end of those that make something. */
static int prepare(struct broker_call *c, struct broker_place *p, enum protect_op op)
{
	int r = broker_judge(c, p, op);

	if (r >= 0 && op != PROTECT_SYMLINK)
		r = broker_caller_umask(c);
	return r < 0 ? r : broker_caller_alive(c);
}

static long result(long r)
{
	return r < 0 ? -errno : r;
}

long broker_mkdir(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	long r = begin(c, p);

	if (r == 0)
		r = prepare(c, p, PROTECT_MKDIR);
	if (r != 0)
		return r;
	return result(mkdirat(p->dir, p->name, (mode_t)c->arg[c->row->mode]));
}

long broker_mknod(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	mode_t mode = (mode_t)c->arg[c->row->mode];
	long r;

	if ((mode & (S_ISUID | S_ISGID)) || S_ISCHR(mode) || S_ISBLK(mode))
		return -EPERM;
	r = begin(c, p);
	if (r == 0)
		r = prepare(c, p, PROTECT_CREATE);
	if (r != 0)
		return r;
	return result(mknodat(p->dir, p->name, mode, 0));
}

/* The link's text is not judged: it is followed, and judged, when something is done by it. */
long broker_symlink(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	long r = begin(c, p);

	if (r == 0)
		r = broker_read_text(c, c->arg[c->row->path2], c->b->text, sizeof(c->b->text));
	if (r == 0 && !c->b->text[0])
		return -ENOENT;
	if (r == 0)
		r = prepare(c, p, PROTECT_SYMLINK);
	if (r != 0)
		return r;
	return result(symlinkat(c->b->text, p->dir, p->name));
}

long broker_unlink(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	int flags = (int)c->arg[c->row->flags] | c->row->fixed;
	long r;

	if (flags & ~AT_REMOVEDIR)
		return -EINVAL;
	r = begin(c, p);
	if (r == 0)
		r = broker_judge(c, p, flags ? PROTECT_RMDIR : PROTECT_UNLINK);
	if (r == 0)
		r = broker_caller_alive(c);
	if (r != 0)
		return r;
	return result(unlinkat(p->dir, p->name, flags));
}

/* Both ends of a rename or a link. When one of them is in the workspace the broker acts, and the
 * kernel says that they are on different file systems, when they are. */
static long begin_two(
	struct broker_call *c, unsigned how, struct broker_place *from, struct broker_place *to)
{
	int r = broker_walk(c, c->row->at, c->row->path, how, from);
	int r2 = broker_walk(c, c->row->at2, c->row->path2, BROKER_NAME, to);
	bool inside = (r >= 0 && from->inside) || (r2 >= 0 && to->inside);

	if (c->b->spec.floor && !inside)
		return BROKER_CONTINUE;
	r = r < 0 ? r : r2;
	if (r >= 0)
		r = broker_may_act(c, from);
	return r < 0 ? r : broker_may_act(c, to);
}

static enum protect_op op_from(mode_t mode)
{
	return S_ISDIR(mode) ? PROTECT_MOVE_DIR : PROTECT_MOVE_FILE;
}

static enum protect_op op_to(mode_t mode)
{
	if (S_ISDIR(mode))
		return PROTECT_MOVE_DIR_TO;
	return S_ISLNK(mode) ? PROTECT_MOVE_LINK_TO : PROTECT_MOVE_FILE_TO;
}

static int judge_rename(struct broker_call *c, struct broker_place *from, struct broker_place *to)
{
	int r = broker_place_look(from);

	if (r < 0 || from->dots)
		return r; /* the kernel says why not */
	if (!from->exists)
		return -ENOENT; /* and not asked again: by then it might be there */
	r = broker_judge(c, from, op_from(from->mode));
	if (r >= 0)
		r = broker_judge(c, to, op_to(from->mode));
	return r < 0 ? r : broker_judge_move(c, from, to, from->mode);
}

/* Another sandbox in the same workspace may have put something of another kind in its place. */
static bool came_as_judged(const struct broker_place *from, const struct broker_place *to)
{
	struct stat st;

	if (from->dots || to->dots || !to->inside)
		return true;
	return fstatat(to->dir, to->name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	       (st.st_mode & S_IFMT) == (from->mode & S_IFMT);
}

static long perform_rename(
	struct broker_call *c, struct broker_place *from, struct broker_place *to, unsigned flags)
{
	unsigned back = flags & RENAME_EXCHANGE ? RENAME_EXCHANGE : RENAME_NOREPLACE;

	if (syscall(SYS_renameat2, from->dir, from->name, to->dir, to->name, flags) < 0)
		return -errno;
	if (came_as_judged(from, to) && (!(flags & RENAME_EXCHANGE) || came_as_judged(to, from)))
		return 0;
	syscall(SYS_renameat2, to->dir, to->name, from->dir, from->name, back);
	broker_note_refused(c->b, to->rel ? to->rel : to->name, PROTECT_MOVE_DIR_TO, EACCES);
	return -EACCES;
}

long broker_rename(struct broker_call *c)
{
	auto_place struct broker_place *from = &c->b->place[0];
	auto_place struct broker_place *to = &c->b->place[1];
	unsigned flags = (unsigned)c->arg[c->row->flags];
	long r;

	to->start = to->dir = to->object = -1;
	r = begin_two(c, BROKER_NAME, from, to);
	if (r == 0)
		r = judge_rename(c, from, to);
	if (r == 0 && (flags & RENAME_EXCHANGE))
		r = judge_rename(c, to, from);
	if (r == 0)
		r = broker_caller_alive(c);
	if (r != 0)
		return r;
	return perform_rename(c, from, to, flags);
}

static long perform_link(const struct broker_place *from, const struct broker_place *to)
{
	char self[32];

	if (from->object < 0)
		return result(linkat(from->dir, from->name, to->dir, to->name, 0));
	snprintf(self, sizeof(self), "/proc/self/fd/%d", from->object);
	return result(linkat(AT_FDCWD, self, to->dir, to->name, AT_SYMLINK_FOLLOW));
}

long broker_link(struct broker_call *c)
{
	auto_place struct broker_place *from = &c->b->place[0];
	auto_place struct broker_place *to = &c->b->place[1];
	int flags = (int)c->arg[c->row->flags];
	unsigned how = (flags & AT_SYMLINK_FOLLOW ? BROKER_FOLLOW : 0) |
		       (flags & AT_EMPTY_PATH ? BROKER_EMPTY : 0);
	long r;

	to->start = to->dir = to->object = -1;
	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	r = begin_two(c, how, from, to);
	if (r == 0)
		r = broker_judge(c, from, PROTECT_LINK_FROM);
	if (r == 0)
		r = broker_judge(c, to, S_ISLNK(from->mode) ? PROTECT_SYMLINK : PROTECT_LINK_TO);
	if (r == 0)
		r = broker_caller_alive(c);
	return r != 0 ? r : perform_link(from, to);
}
