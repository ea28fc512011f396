/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * An audit log as it is at one moment, for readers. Its files are opened and measured under the
 * lock, which is let go at once: what is read afterwards cannot change any more, however long it
 * takes and whatever is written or put aside meanwhile. Owns descriptors.
 *
 * Should: read logs that somebody else damaged. Mustn't: make or change anything, load more than
 * some lines at a time, or read what belongs to another user.
 */

#include "base/mem.h"
#include "state/auditlog_parts.h"

struct auditlog_file {
	int fd;
	uint64_t first; /* number of its first line; 0: there is none, or it is none of ours */
	uint64_t size;
	char name[AUDITLOG_FILE];
};

struct auditlog_view {
	struct arena arena;
	struct auditlog_file *files; /* oldest first; the one that is written comes last */
	size_t count;
	struct auditlog_head head;
	int no_head; /* 0, or why what it says is not known: -ENOENT, -EBADMSG */
};

/* -ENOENT: there is no log. */
int auditlog_view_open(struct auditlog_view *v, const char *folder, struct err *e);
/* The same of a log that is open already. */
int auditlog_view_take(struct auditlog_view *v, const struct auditlog *l);
void auditlog_view_close(struct auditlog_view *v);

/* One line, without its end; NULL: one that is too long. Not 0 ends the reading. */
typedef int auditlog_see(void *ctx, const char *line, size_t len);
/* The lines of a file from a byte on. *ret_end: the byte behind the last whole one. What `see`
 * returned, or a negative errno. */
int auditlog_view_read(const struct auditlog_file *f, uint64_t from, auditlog_see *see, void *ctx,
	uint64_t *ret_end);
/* All lines of all files. */
int auditlog_view_all(const struct auditlog_view *v, auditlog_see *see, void *ctx);
/* Where the last lines begin: a file and a byte in it. */
int auditlog_view_tail(
	const struct auditlog_view *v, uint64_t lines, size_t *ret_file, uint64_t *ret_from);
/* Is it as it was written? anchor may be NULL. see: every line that is good, in order; may be
 * NULL. */
int auditlog_view_check(const struct auditlog_view *v, const struct auditlog_anchor *anchor,
	void (*see)(void *ctx, const char *line, size_t len), void *ctx,
	struct auditlog_state *ret);
