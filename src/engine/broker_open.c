/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "engine/broker_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

/*
 * open, openat, creat. The file is opened here, with the caller's flags, mode and umask, and put
 * into the caller's table; offset, locks and status flags live in the open file and go with it.
 * A regular file does not block an open, unless it lies on a file system of the network or of a
 * process; the kernel's own bound on these is the bound here. An open that breaks a lease blocks
 * too; the filter should not let programs take leases (fcntl F_SETLEASE).
 */
#define TMPFILE (O_TMPFILE & ~O_DIRECTORY)
#define SET_ID (S_ISUID | S_ISGID)

struct opening {
	int flags;
	mode_t mode;
	bool creates; /* if it is not there yet */
	bool reads, writes;
};

static struct opening read_flags(const struct broker_call *c)
{
	struct opening o = {.flags = (int)c->arg[c->row->flags] | c->row->fixed};
	int access = o.flags & O_ACCMODE;

	o.creates = o.flags & O_CREAT;
	o.reads = access != O_WRONLY;
	o.writes = access != O_RDONLY || (o.flags & O_TRUNC);
	if (o.flags & (O_CREAT | TMPFILE))
		o.mode = (mode_t)c->arg[c->row->mode] & 07777;
	return o;
}

static unsigned how_to_walk(const struct opening *o)
{
	bool whole = (o->flags & O_CREAT) && (o->flags & O_EXCL);

	return (whole || (o->flags & O_NOFOLLOW) ? 0 : BROKER_FOLLOW) |
	       (o->creates ? BROKER_CREATE : 0);
}

/* A descriptor that is only a name gives no right; the flags are in registers and stay so. */
static bool is_harmless(const struct broker_call *c, const struct opening *o)
{
	bool changes = o->writes || o->creates || (o->flags & TMPFILE);

	return (o->flags & O_PATH) || (!changes && c->b->spec.hide_count == 0);
}

/* Landlock before its interface 3 does not know a truncation that comes with reading only. */
static bool floor_holds(const struct broker_call *c, const struct opening *o)
{
	bool only_truncates = (o->flags & O_TRUNC) && (o->flags & O_ACCMODE) == O_RDONLY;

	return c->b->spec.floor && (c->b->spec.floor_truncates || !only_truncates);
}

static int judge(struct broker_call *c, const struct opening *o, struct broker_place *p)
{
	bool fresh = !p->exists;
	int r = 0;

	if (o->reads && c->b->spec.hide_count > 0 && !(fresh && o->creates))
		r = broker_judge_hidden(c, p);
	if (r < 0 || (o->flags & TMPFILE))
		return r; /* a file without a name; linkat gives it one, and is asked then */
	if (p->dots && p->object < 0)
		return 0; /* the kernel says why not */
	/* Said here and not asked again: what is judged as absent must not appear meanwhile. */
	if (fresh)
		return o->creates ? broker_judge(c, p, PROTECT_CREATE) : -ENOENT;
	if ((o->flags & O_CREAT) && (o->flags & O_EXCL))
		return -EEXIST;
	return o->writes ? broker_judge(c, p, PROTECT_WRITE) : 0;
}

/* What must be known of the caller before something comes into being or is emptied. */
static int prepare(struct broker_call *c, const struct opening *o, const struct broker_place *p)
{
	bool makes = (o->creates && !p->exists) || (o->flags & TMPFILE);
	int r = 0;

	if (makes || (o->flags & O_TRUNC))
		r = broker_caller_room(c);
	if (r >= 0 && makes)
		r = broker_caller_umask(c);
	/* Should it be gone by the time of the open, what is made belongs to its owner only. */
	else if (r >= 0 && o->creates)
		umask(077);
	return r < 0 ? r : broker_caller_alive(c);
}

static bool may_block(const struct opening *o, const struct broker_place *p)
{
	int access = o->flags & O_ACCMODE;

	return S_ISFIFO(p->mode) && !(o->flags & O_NONBLOCK) &&
	       (access == O_RDONLY || access == O_WRONLY);
}

static long perform(struct broker_call *c, const struct opening *o, struct broker_place *p)
{
	/* Never a terminal of its own. The last link was followed already, but for a file that is
	 * known by itself. */
	int flags = o->flags | O_CLOEXEC | O_NOCTTY;
	auto_fd int fd = -1;
	char self[32];

	if (may_block(o, p)) {
		int r = broker_place_open(p);

		return r < 0 ? r : broker_open_waiting(c, p->object, o->flags);
	}
	if (p->object >= 0) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", p->object);
		fd = open(self, flags & ~O_NOFOLLOW, o->mode);
	} else {
		fd = openat(p->dir, p->name, flags | O_NOFOLLOW, o->mode);
	}
	if (fd < 0)
		return -errno;
	return broker_send_fd(c, fd, o->flags);
}

static int walk(struct broker_call *c, const struct opening *o, struct broker_place *p)
{
	int r = broker_walk(c, c->row->at, c->row->path, how_to_walk(o), p);

	/* Magic links are files by themselves only when they may be followed. */
	if (r >= 0 && p->proc && p->exists && S_ISLNK(p->mode) && !(how_to_walk(o) & BROKER_FOLLOW))
		return o->creates && (o->flags & O_EXCL) ? -EEXIST : -ELOOP;
	return r;
}

long broker_open(struct broker_call *c)
{
	auto_place struct broker_place *p = &c->b->place[0];
	struct opening o = read_flags(c);
	int r;

	if (is_harmless(c, &o))
		return BROKER_CONTINUE;
	if (o.mode & SET_ID)
		return -EPERM;
	r = walk(c, &o, p);
	if ((r < 0 || !p->inside) && floor_holds(c, &o))
		return BROKER_CONTINUE;
	if (r >= 0)
		r = broker_may_act(c, p);
	if (r >= 0)
		r = judge(c, &o, p);
	if (r >= 0)
		r = prepare(c, &o, p);
	return r < 0 ? r : perform(c, &o, p);
}
