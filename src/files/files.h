/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The tools that read and change files, on a workspace that somebody has opened: nothing here knows
 * a path of the host, and every name is followed from that descriptor. What a path leads to is
 * known before anything is done to it (files_walk.h); patterns of protected and hidden names are
 * held against that, never against the name that was given. Owns nothing; called by door/.
 *
 * Errors: EXDEV it leads outside, EPERM protected or hidden, EROFS, ENOENT, EEXIST, EISDIR,
 * ENOTDIR, EFBIG too large, EINVAL the request makes no sense there, ELOOP, ESTALE somebody else
 * changed it meanwhile. A path in a message is escaped and relative to the workspace.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/protect.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define FILES_LIMIT ((uint64_t)10 << 20)
#define FILES_NOBODY ((uid_t)-1)

struct files {
	int root;         /* of the workspace: a folder, opened to read or as O_PATH */
	const char *name; /* what it is called besides /workspace and /agent; NULL: nothing */
	bool read_only;   /* nothing may be changed */
	uid_t owner; /* by root: whose rights hold, and who owns what is made; FILES_NOBODY: the
		      * caller */
	gid_t group;
	uint64_t limit; /* bytes of one file, and of one answer; 0: FILES_LIMIT */
	const char *const *protect, *const *hide; /* patterns of model/protect.h */
	size_t protect_count, hide_count;
};

uint64_t files_limit(const struct files *f);
/* Which names a caller may ask for: 0, or refused by a pattern. The path is the real one. */
int files_judge(const struct files *f, const char *path, enum protect_op op, struct err *e);
bool files_is_hidden(const struct files *f, const char *path);
/* -EROFS where nothing may be changed. */
int files_may_change(const struct files *f, const char *path, struct err *e);

/*
 * Acts for the owner of the workspace until files_stop, which every files_start needs; where that
 * is the caller anyway, nothing happens. For this the process must have one thread.
 */
struct files_self {
	bool switched;
	uid_t user;
	gid_t group;
	int group_count;
	gid_t *groups;
};
int files_start(const struct files *f, struct files_self *ret, struct err *e);
void files_stop(struct files_self *s);

/* "'<path>': <text>: <reason>" with the path escaped; the workspace itself is '.'. Return -code. */
int files_fail(struct err *e, int code, const char *path, const char *text);
int files_fail_sys(struct err *e, int r, const char *what, const char *path);
