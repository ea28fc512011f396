/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a workspace that is copied on write stands on, as a text in its folder: since when, which
 * frozen layers lie below the one that takes changes, and which snapshots there are. Pure; texts
 * live in the arena.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

#define CHAIN_LAYERS 48 /* on top of each other */
#define CHAIN_SNAPSHOTS 256
#define CHAIN_NAME 64 /* of a snapshot */
#define CHAIN_ID 16   /* of a layer: hexadecimal digits */

struct chain_layers { /* the topmost first */
	const char *id[CHAIN_LAYERS];
	size_t count;
};

/* By the clock that files are dated by. */
struct chain_time {
	int64_t s;
	uint32_t ns;
};

struct chain_snapshot {
	const char *name;
	int64_t made_ms;
	struct chain_time since;
	struct chain_layers layers;
};

/* A file of the workspace as ward left it there: not a change by somebody else. */
struct chain_known {
	const char *path;
	size_t order;   /* in which it was learnt */
	uint64_t inode; /* 0: there is none */
	struct chain_time changed;
};

struct chain {
	const char *workspace;   /* its path on the host */
	struct chain_time since; /* what changed in it later is a conflict */
	const char *upper;       /* the layer that takes changes */
	struct chain_layers below;
	struct chain_snapshot *snapshots; /* the oldest first */
	size_t snapshot_count;
	struct chain_known *known; /* the first `known_sorted` of them by path */
	size_t known_count, known_sorted;
};

int chain_read(const char *text, size_t len, struct arena *a, struct chain *ret, struct err *e);
void chain_write(const struct chain *c, struct buf *out);

/* Letters, digits, dot, dash and underscore; not beginning with a dot or dash. */
int chain_name_check(const char *name, struct err *e);
struct chain_snapshot *chain_find(struct chain *c, const char *name); /* NULL */
/* Whether the frozen layer lies in it, or in one of its snapshots. */
bool chain_uses(const struct chain *c, const char *id);
/* Adds to the top; -E2BIG. */
int chain_push(struct chain_layers *l, const char *id, struct err *e);
/* Of what lies below now. */
int chain_add_snapshot(
	struct arena *a, struct chain *c, const char *name, int64_t made_ms, struct err *e);
/* Whether what lies below now is one of them. */
bool chain_is_kept(const struct chain *c);
void chain_drop_snapshot(struct chain *c, struct chain_snapshot *which);
/* Among what was known when chain_sort() was called last; NULL. */
const struct chain_known *chain_knows(const struct chain *c, const char *path);
/* In place of what was known of that path, from the next chain_sort() on. */
void chain_learn(struct arena *a, struct chain *c, const struct chain_known *what);
void chain_sort(struct chain *c);
bool chain_is_later(const struct chain_time *a, const struct chain_time *b); /* a than b */
