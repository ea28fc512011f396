/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Folders and files of the host that are bound into a sandbox: `host:inside[:ro|rw]`, read-only
 * unless written. This is the lexical half: it judges the spelling, for `config check`, `explain`
 * and the plan. A spelling proves nothing about what it leads to (links, renames), so whoever
 * mounts Should open the source once, ask the same questions about the opened file, and mount that
 * descriptor.
 *
 * Mustn't be bound: `/`; system folders; sockets of container engines; folders with keys and
 * passwords; ward's own files. Each of them, all that lies in it, and all that covers it: /var
 * covers /var/run.
 */

#include "base/err.h"
#include "base/field.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>

struct bindspec {
	const char *source; /* normalised, ~ expanded */
	const char *target; /* normalised */
	bool writable;
};

struct bindspec_rules {
	const char *home;              /* of the caller; NULL or "": unknown */
	const char *const *own;        /* ward's own folders, NULL at the end; NULL: none */
	const struct item *exceptions; /* allowedBindSources: these exact paths may be bound */
	size_t exception_count;
};

/* Reads one; `~` and `~/x` of the source stand for home. Does not ask whether it is allowed. */
int bindspec_parse(
	struct arena *a, const char *text, const char *home, struct bindspec *ret, struct err *e);
/*
 * Whether a path of the host may be seen inside, also for hostPaths. Exceptions lift everything but
 * `/` and ward's own files: a sandbox that writes those is no longer inside anything.
 */
int bindspec_source_allowed(const char *source, const struct bindspec_rules *rules, struct err *e);

/*
 * Whether a folder may be the workspace. The same, but for work inside the caller's own home: that
 * is where projects are. The home itself and what holds keys are not.
 */
int bindspec_workspace_allowed(const char *path, const struct bindspec_rules *rules, struct err *e);

/* For field tables: the form. */
int bindspec_check(const char *text, struct err *e);
int bindspec_check_source(const char *text, struct err *e); /* an absolute path, or from ~ on */
