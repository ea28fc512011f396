/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "engine/broker_parts.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

/*
 * Modes, owners, extended attributes, and truncation by name. Landlock does not know the first
 * three and its early interfaces not the last, so there is no floor under these calls and the
 * kernel never goes on with one: the broker acts outside of the workspace as well.
 */
#define ATTR_NAME_MAX 255

struct xattrat_args { /* struct xattr_args of the kernel from 6.13 on */
	uint64_t value;
	uint32_t size;
	uint32_t flags;
};

static int place_of_fd(struct broker_call *c, struct broker_place *p)
{
	int number = (int)c->arg[c->row->at];
	int object = broker_caller_file(c, number < 0 ? -1 : number);
	int r;

	p->start = p->dir = p->object = -1;
	if (object < 0)
		return object;
	r = broker_place_of(c, object, p);
	if (r < 0)
		return r;
	r = broker_caller_is_path(c, number);
	return r == 1 ? -EBADF : r;
}

/* The file that the call is about, open, judged. Rows without a path are about a descriptor. */
static int begin(struct broker_call *c, unsigned how, enum protect_op op, struct broker_place *p)
{
	int r = c->row->path == BROKER_ARG_NONE ? place_of_fd(c, p)
						: broker_walk(c, c->row->at, c->row->path, how, p);

	if (r >= 0)
		r = broker_may_act(c, p);
	if (r >= 0)
		r = broker_place_open(p);
	if (r >= 0)
		r = broker_judge(c, p, op);
	return r < 0 ? r : broker_caller_alive(c);
}

static void path_of(const struct broker_place *p, char out[32])
{
	snprintf(out, 32, "/proc/self/fd/%d", p->object);
}

static long result(long r)
{
	return r < 0 ? -errno : r;
}

static unsigned how_of(int flags)
{
	return (flags & AT_SYMLINK_NOFOLLOW ? 0 : BROKER_FOLLOW) |
	       (flags & AT_EMPTY_PATH ? BROKER_EMPTY : 0);
}

static int flags_of(const struct broker_call *c)
{
	return (int)c->arg[c->row->flags] | c->row->fixed;
}

long broker_chmod(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	mode_t mode = (mode_t)c->arg[c->row->mode];
	char self[32];
	int r;

	if (flags_of(c) & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (mode & (S_ISUID | S_ISGID))
		return -EPERM;
	r = begin(c, how_of(flags_of(c)), PROTECT_ATTR, p);
	if (r < 0)
		return r;
	if (S_ISLNK(p->mode))
		return -EOPNOTSUPP;
	path_of(p, self);
	return result(chmod(self, mode & 07777));
}

/* Owner and group are the arguments behind the path, or the descriptor. */
long broker_chown(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	uint8_t first = c->row->mode;
	int r;

	if (flags_of(c) & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	r = begin(c, how_of(flags_of(c)), PROTECT_ATTR, p);
	if (r < 0)
		return r;
	return result(fchownat(
		p->object, "", (uid_t)c->arg[first], (gid_t)c->arg[first + 1], AT_EMPTY_PATH));
}

/* A text of 1 to 255 bytes, in the place where links' texts are kept. */
static int read_attr_name(struct broker_call *c, uint64_t from)
{
	int r = broker_read_text(c, from, c->b->text, ATTR_NAME_MAX + 1);

	if (r == -ENAMETOOLONG)
		return -ERANGE;
	return r < 0 ? r : c->b->text[0] ? 0 : -ERANGE;
}

/* A link's own attributes can only be had by its name. */
static long set_attr(struct broker_call *c, const struct broker_place *p, size_t size, int flags)
{
	char path[NAME_MAX + 64];
	bool link = S_ISLNK(p->mode) && p->dir >= 0;

	if (link)
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%.255s", p->dir, p->name);
	else
		path_of(p, path);
	if (c->row->flags == BROKER_ARG_NONE) /* a row that removes */
		return result(
			link ? lremovexattr(path, c->b->text) : removexattr(path, c->b->text));
	if (link)
		return result(lsetxattr(path, c->b->text, c->b->value, size, flags));
	return result(setxattr(path, c->b->text, c->b->value, size, flags));
}

static long serve_xattr(struct broker_call *c, unsigned how, uint64_t name, uint64_t value,
	struct xattrat_args args)
{
	auto_place struct broker_place *p = &c->b->place[0];
	int r;

	p->start = p->dir = p->object = -1;
	if (args.flags & ~(uint32_t)(XATTR_CREATE | XATTR_REPLACE))
		return -EINVAL;
	r = read_attr_name(c, name);
	if (r >= 0 && args.size > BROKER_VALUE_MAX)
		r = -E2BIG;
	if (r >= 0)
		r = broker_read_bytes(c, value, c->b->value, args.size);
	if (r >= 0)
		r = begin(c, how, PROTECT_ATTR, p);
	return r < 0 ? r : set_attr(c, p, args.size, (int)args.flags);
}

/* setxattr, removexattr and their l and f forms: name, value, size and flags come in order from the
 * argument that the row's mode says. */
long broker_setxattr(struct broker_call *c)
{
	const uint64_t *arg = c->arg + c->row->mode;
	struct xattrat_args args = {0};
	uint64_t value = 0;

	if (c->row->flags != BROKER_ARG_NONE) {
		if (arg[2] > BROKER_VALUE_MAX)
			return -E2BIG;
		value = arg[1];
		args.size = (uint32_t)arg[2];
		args.flags = (uint32_t)c->arg[c->row->flags];
	}
	return serve_xattr(c, how_of(c->row->fixed), arg[0], value, args);
}

/* setxattrat: the rest lies behind a pointer. removexattrat: there is no rest. */
long broker_setxattrat(struct broker_call *c)
{
	struct xattrat_args args = {0};
	int flags = (int)c->arg[2];
	int r = 0;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	if (c->row->flags != BROKER_ARG_NONE) {
		if (c->arg[5] != sizeof(args))
			return c->arg[5] > sizeof(args) ? -E2BIG : -EINVAL;
		r = broker_read_bytes(c, c->arg[4], &args, sizeof(args));
	}
	return r < 0 ? r : serve_xattr(c, how_of(flags), c->arg[3], args.value, args);
}

long broker_truncate(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	off_t length = (off_t)c->arg[c->row->mode];
	rlim_t limit;
	char self[32];
	int r;

	p->start = p->dir = p->object = -1;
	if (length < 0)
		return -EINVAL;
	r = begin(c, BROKER_FOLLOW, PROTECT_WRITE, p);
	if (r < 0)
		return r;
	if (broker_caller_limit(c, RLIMIT_FSIZE, &limit) == 0 && (rlim_t)length > limit)
		return -EFBIG;
	path_of(p, self);
	return result(truncate(self, length));
}
