/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a layer changes in its workspace: the layers are walked, never the whole workspace, so it
 * costs what was changed, however large the rest is. What a sandbox put there is not believed: no
 * link is followed, nothing but regular files is read.
 */

#include "state/layer.h"

#include <sys/stat.h>

enum change_kind { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED, CHANGE_KIND_COUNT };
extern const char *const change_kind_names[];

struct change {
	const char *path; /* relative to the workspace */
	enum change_kind kind;
	struct stat base;  /* as the workspace has it; mode 0: it has none */
	struct stat layer; /* as the layers have it; mode 0: none */
	size_t part;       /* which of the layers has it */
	bool content;      /* not only the mode */
	bool unreadable;   /* ... which could not be compared */
	bool copied;       /* added, from something that the workspace had, there or elsewhere */
	bool conflict;     /* the workspace's own changed meanwhile */
	bool needed;       /* not asked for itself: something in it is */
};

struct changes {
	struct arena *arena;
	struct layer *layer;
	bool held;                   /* the layer is locked, and may be changed */
	int parts[CHAIN_LAYERS + 1]; /* the topmost first */
	size_t part_count;
	int base;                 /* the workspace */
	const char *const *paths; /* only these, and what is below them; NULL at the end */
	size_t path_count;        /* 0: all */
	struct change *items; /* sorted by path; of two with one path the deletion comes first */
	size_t count, capacity;
	size_t skipped; /* folders that cannot be read, or lie too deep */
	const char *first_skipped;
	struct changes_opened *opened; /* folders whose mode was changed to get in */
	size_t opened_count, opened_capacity;
};

/*
 * changes_close() afterwards, in either case. The layer stays the caller's. held: folders that
 * their own mode forbids to read are read nevertheless; their modes come back with changes_close().
 */
int changes_find(struct arena *a, struct layer *l, bool held, const char *const *paths,
	size_t path_count, struct changes *ret, struct err *e);
void changes_close(struct changes *c);

/* Of entries in a layer. */
bool changes_is_whiteout(const struct stat *st);
bool changes_is_opaque(int fd);
