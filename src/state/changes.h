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
	bool copied;       /* the kernel copied it from the workspace before it was changed */
	bool conflict;     /* the workspace's own changed meanwhile */
};

struct changes {
	struct arena *arena;
	struct layer *layer;
	int parts[CHAIN_LAYERS + 1]; /* the topmost first */
	size_t part_count;
	int base;                 /* the workspace */
	const char *const *paths; /* only these, and what is below them; NULL at the end */
	size_t path_count;        /* 0: all */
	struct change *items; /* sorted by path; of two with one path the deletion comes first */
	size_t count, capacity;
};

/* changes_close() afterwards, in either case. The layer stays the caller's. */
int changes_find(struct arena *a, struct layer *l, const char *const *paths, size_t path_count,
	struct changes *ret, struct err *e);
void changes_close(struct changes *c);

/* The two sides of a change, to read; -ENOENT: there is none. */
int changes_open_base(const struct changes *c, const struct change *k);
int changes_open_layer(const struct changes *c, const struct change *k);

/* What a link says, with a NUL behind it; longer than `size`: -ESTALE. */
int changes_read_link(int folder, const char *path, char *out, off_t size);

/* Of entries in a layer. */
bool changes_is_whiteout(const struct stat *st);
bool changes_is_opaque(int fd);
/* Whether the workspace's own is no longer what the layer was made upon. */
bool changes_is_stale(const struct chain *c, const char *path, const struct stat *base);
