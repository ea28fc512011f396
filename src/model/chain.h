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

struct chain_snapshot {
	const char *name;
	int64_t made_ms;
	struct chain_layers layers;
};

/* A file of the workspace as ward left it there: not a change by somebody else. */
struct chain_known {
	const char *path;
	uint64_t inode; /* 0: there is none */
	int64_t changed_s;
	uint32_t changed_ns;
};

struct chain {
	const char *workspace; /* its path on the host */
	int64_t since_s;       /* what changed in it later is a conflict */
	uint32_t since_ns;
	struct chain_layers below;
	struct chain_snapshot *snapshots; /* the oldest first */
	size_t snapshot_count;
	struct chain_known *known;
	size_t known_count;
};

int chain_read(const char *text, size_t len, struct arena *a, struct chain *ret, struct err *e);
void chain_write(const struct chain *c, struct buf *out);

/* Letters, digits, dot, dash and underscore; not beginning with a dot or dash. */
int chain_name_check(const char *name, struct err *e);
struct chain_snapshot *chain_find(struct chain *c, const char *name); /* NULL */
/* Whether the layer lies in it, or in one of its snapshots. */
bool chain_uses(const struct chain *c, const char *id);
/* Adds to the top; -E2BIG. */
int chain_push(struct chain_layers *l, const char *id, struct err *e);
int chain_add_snapshot(struct arena *a, struct chain *c, const char *name, int64_t made_ms,
	const struct chain_layers *layers, struct err *e);
void chain_drop_snapshot(struct chain *c, struct chain_snapshot *which);
const struct chain_known *chain_knows(const struct chain *c, const char *path);
/* In place of what was known of that path. */
void chain_learn(struct arena *a, struct chain *c, const struct chain_known *what);
