/* SPDX-License-Identifier: Apache-2.0 */
#include "base/macro.h"
#include "base/str.h"
#include "engine/broker_parts.h"
#include "model/risk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name that the kernel has for a descriptor; it cannot be faked, and is not relative. */
int broker_fd_path(struct broker *b, int fd, char *out, size_t size)
{
	char name[16];
	ssize_t n;

	snprintf(name, sizeof(name), "%d", fd);
	n = readlinkat(b->fds, name, out, size);
	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	out[n] = '\0';
	return (int)n;
}

static enum protect_place worst(enum protect_place a, enum protect_place b)
{
	return a > b ? a : b;
}

/* What is hidden is protected as well: a hidden file that can be renamed is not hidden. */
static enum protect_place place_of(const struct broker *b, const char *rel)
{
	enum protect_place place = protect_place(b->spec.protect, b->spec.protect_count, rel);

	place = worst(place, protect_place(b->spec.hide, b->spec.hide_count, rel));
	return worst(place, protect_place(b->alias, b->alias_count, rel));
}

static enum protect_place hidden_place_of(const struct broker *b, const char *rel)
{
	enum protect_place place = protect_place(b->spec.hide, b->spec.hide_count, rel);

	for (size_t i = 0; i < b->alias_count; i++)
		if (b->alias_hides[i])
			place = worst(place, protect_place(b->alias + i, 1, rel));
	return place;
}

/*
 * What the kernel would say for reasons of its own, so that `rm -f` and `mkdir -p` of a protected
 * name that is not, or is, there succeed as ever. 0: it would have done it.
 */
static int natural(struct broker_place *p, enum protect_op op)
{
	static const bool makes[PROTECT_OP_COUNT] = {
		[PROTECT_CREATE] = true,
		[PROTECT_SYMLINK] = true,
		[PROTECT_MKDIR] = true,
		[PROTECT_LINK_TO] = true,
		[PROTECT_MOVE_FILE_TO] = true,
		[PROTECT_MOVE_LINK_TO] = true,
		[PROTECT_MOVE_DIR_TO] = true,
	};

	if (broker_place_look(p) < 0)
		return 0;
	if (makes[op])
		return p->exists && op < PROTECT_MOVE_FILE ? EEXIST : 0;
	if (!p->exists)
		return ENOENT;
	if (op == PROTECT_UNLINK && S_ISDIR(p->mode))
		return EISDIR;
	if (op == PROTECT_RMDIR && !S_ISDIR(p->mode))
		return ENOTDIR;
	return 0;
}

/* Is the workspace itself this file, or in it? Where it is a mount the kernel minds that. */
static bool holds_root(const struct broker *b, const struct broker_place *p)
{
	size_t len = strlen(p->path);

	return len > 0 && strncmp(b->spec.root, p->path, len) == 0 &&
	       (b->spec.root[len] == '/' || !b->spec.root[len]);
}

static struct broker_report *report_of(struct broker *b)
{
	return b->spec.report_of ? b->spec.report_of(b->spec.ctx, b->caller) : &b->report;
}

/* What the host runs may be told by its name; whether the call then succeeds is not waited for. */
static void note_risk(struct broker *b, const char *rel)
{
	size_t len = risk_reach(rel);
	struct broker_report *r;

	if (len == 0)
		return;
	r = report_of(b);
	len = len < sizeof r->risks[0] ? len : sizeof r->risks[0] - 1;
	for (size_t i = 0; i < r->risk_count; i++)
		if (strncmp(r->risks[i], rel, len) == 0 && !r->risks[i][len])
			return;
	if (r->risk_count == BROKER_RISKS_MAX) {
		r->risks_left_out++;
		return;
	}
	memcpy(r->risks[r->risk_count], rel, len);
	r->risks[r->risk_count++][len] = '\0';
}

int broker_judge(struct broker_call *c, struct broker_place *p, enum protect_op op)
{
	static const bool puts_something[PROTECT_OP_COUNT] = {
		[PROTECT_WRITE] = true,
		[PROTECT_CREATE] = true,
		[PROTECT_SYMLINK] = true,
		[PROTECT_LINK_TO] = true,
		[PROTECT_MOVE_FILE_TO] = true,
		[PROTECT_MOVE_LINK_TO] = true,
		[PROTECT_MOVE_DIR_TO] = true,
	};
	int code, own;

	if (p->dots && p->object < 0)
		return 0; /* the kernel says why not */
	if (!p->inside) {
		bool moves = op >= PROTECT_MOVE_FILE || op == PROTECT_RMDIR;

		return moves && holds_root(c->b, p) ? -EBUSY : 0;
	}
	if (!p->rel)
		return 0;
	code = protect_refuses(place_of(c->b, p->rel), op);
	if (code == 0) {
		if (puts_something[op])
			note_risk(c->b, p->rel);
		return 0;
	}
	own = natural(p, op);
	if (own)
		return -own;
	broker_note_refused(c->b, p->rel, op, code);
	return -code;
}

int broker_judge_hidden(struct broker_call *c, struct broker_place *p)
{
	int code, own;

	if (!p->inside || !p->rel)
		return 0;
	code = protect_refuses(hidden_place_of(c->b, p->rel), PROTECT_READ);
	if (code == 0)
		return 0;
	own = natural(p, PROTECT_READ);
	if (own)
		return -own;
	broker_note_refused(c->b, p->rel, PROTECT_READ, code);
	return -code;
}

static bool may_move(const struct broker *b, const char *from, const char *to)
{
	return protect_may_move(b->spec.protect, b->spec.protect_count, from, to) &&
	       protect_may_move(b->spec.hide, b->spec.hide_count, from, to) &&
	       protect_may_move(b->alias, b->alias_count, from, to);
}

/* What a folder takes with it must not become protected, nor cease to be. */
int broker_judge_move(struct broker_call *c, const struct broker_place *from,
	const struct broker_place *to, mode_t moved)
{
	if (!S_ISDIR(moved) || (!from->inside && !to->inside) || from->dots || to->dots ||
		may_move(c->b, from->rel, to->rel))
		return 0;
	broker_note_refused(c->b, to->rel ? to->rel : from->rel, PROTECT_MOVE_DIR_TO, EACCES);
	return -EACCES;
}

/*
 * A file that somebody handed in by a descriptor, whenever that was: it lies on none of the
 * sandbox's mounts. What has no name on any file system is nobody's but the program's.
 */
static bool is_foreign(const struct broker_call *c, const struct broker_place *p)
{
	struct broker_ident ident = {0};

	if (broker_identify(p->object, "", &ident) < 0)
		return true;
	if (S_ISFIFO(ident.mode) || S_ISSOCK(ident.mode) || ident.nameless)
		return false;
	return !broker_is_of_sandbox(c->b, ident.file.mount);
}

/*
 * Outside of the workspace the broker acts with no more than the caller's own rights, with three
 * exceptions that it must not lend: files that were handed in, what is its own in /proc, and
 * folders that cannot be reached by name in this sandbox, since the workspace might be found under
 * another name in there.
 */
int broker_may_act(struct broker_call *c, const struct broker_place *p)
{
	char folder[PATH_MAX + NAME_MAX + 2];
	struct broker_ident ident = {0};
	int len;

	if (p->inside)
		return 0;
	if (p->object >= 0 && is_foreign(c, p))
		return -EACCES;
	if (p->object >= 0)
		return !p->proc || broker_proc_allows(c, p->path) ? 0 : -EACCES;
	len = broker_fd_path(c->b, p->dir, folder, PATH_MAX);
	if (len < 0)
		return len;
	if (p->proc) {
		snprintf(folder + len, sizeof(folder) - (size_t)len, "/%.*s",
			(int)strcspn(p->name, "/"), p->name);
		return broker_proc_allows(c, folder) ? 0 : -EACCES;
	}
	if (broker_identify(AT_FDCWD, folder, &ident) < 0)
		return errno == ENOENT ? -ENOENT : -EACCES;
	return ident.file.mount == p->mount ? 0 : -EACCES;
}

void broker_note_denied(struct broker *b, int nr)
{
	struct broker_report *r = report_of(b);

	r->denied_total++;
	for (size_t i = 0; i < r->denied_count; i++)
		if (r->denied[i].nr == nr) {
			r->denied[i].count++;
			return;
		}
	if (r->denied_count < BROKER_DENIED_MAX)
		r->denied[r->denied_count++] = (struct broker_denied){nr, 1};
}

void broker_note_refused(struct broker *b, const char *rel, enum protect_op op, int code)
{
	struct broker_report *r = report_of(b);
	struct broker_refused *row;
	size_t len = strlen(rel);

	len = len < sizeof(row->path) ? len : sizeof(row->path) - 1;
	r->refused_total++;
	for (size_t i = 0; i < r->refused_count; i++) {
		row = &r->refused[i];
		if (strncmp(row->path, rel, len) == 0 && !row->path[len]) {
			row->count++;
			return;
		}
	}
	if (r->refused_count == BROKER_REFUSED_MAX)
		return;
	row = &r->refused[r->refused_count++];
	row->op = op;
	row->code = code;
	row->count = 1;
	memcpy(row->path, rel, len);
	row->path[len] = '\0';
}
