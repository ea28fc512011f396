/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The layers of workspaces that are copied on write, in ward's own folder:
 *
 *   layers/NAME/u-ID    takes the changes of that sandbox
 *   layers/NAME/work    the kernel's own, beside it
 *   layers/NAME/chain   which of them, what lies below, and the snapshots: model/chain.h
 *   layers/NAME/lock    held by whoever mounts it or changes it
 *   layers/frozen/ID    layers that change no more; several may stand on one of them
 *
 * Whatever is killed in between, nothing is lost: everything new gets a name of its own, the chain
 * is exchanged in one step, and what it says is made true by whoever takes the layer next.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/chain.h"
#include "model/plan.h"

#define LAYER_NAME 24 /* "u-" and an id */

struct layer {
	struct arena *arena;
	const char *name;
	int folder; /* of all layers */
	int own;    /* of this one */
	int lock;   /* -1: not held */
	struct chain chain;
};

#define LAYER_NONE ((struct layer){.folder = -1, .own = -1, .lock = -1})

/* Opens the layer of a sandbox to look at it; -ENOENT: there is none. layer_close() afterwards, in
 * either case. */
int layer_open(
	struct arena *a, const char *state, const char *name, struct layer *ret, struct err *e);
/*
 * The same, locked and set right. With a workspace it is made where there is none. -EBUSY: somebody
 * else has it, for longer than that.
 */
int layer_take(struct arena *a, const char *state, const char *name, const char *workspace,
	unsigned wait_ms, struct layer *ret, struct err *e);
void layer_close(struct layer *l);
/* What a plan needs to mount it. */
struct plan_layer layer_plan(const struct layer *l);

/* Descriptors of what it is made of, the topmost first; the caller closes them. */
int layer_parts(const struct layer *l, int ret[CHAIN_LAYERS + 1], size_t *ret_count, struct err *e);
/* The folder that takes the changes. */
void layer_upper(const struct layer *l, char ret[LAYER_NAME]);

/* All that follows needs the lock. */
int layer_save(struct layer *l, struct err *e);
bool layer_is_empty(const struct layer *l); /* no change since the last snapshot */
/* From now on: what is older in the workspace was there before. */
void layer_begin(struct layer *l);
/* The changes so far lie below from now on; under a name, or (NULL) none. */
int layer_freeze(struct layer *l, const char *snapshot, struct err *e);
/* Another layer of the same workspace, on the same frozen ones; -EEXIST. */
int layer_fork(struct layer *l, const char *state, const char *name, struct err *e);
/* Throws all changes away, but for snapshots. */
int layer_reset(struct layer *l, struct err *e);
/* A name for another folder to take the changes; it takes the old one's place, with nothing below.
 */
const char *layer_new_id(struct layer *l);
int layer_replace(struct layer *l, const char *id, struct err *e);
/* What would be lost with it, and for how long nobody has used it. */
enum layer_worth { LAYER_WORTH_NOTHING, LAYER_WORTH_CHANGES };
enum layer_worth layer_worth(const struct layer *l, int64_t *ret_unused_ms);
/* Removes it whole, and frozen ones that nobody needs any more. */
int layer_delete(struct layer *l, struct err *e);
void layer_collect(struct layer *l);

/* The folder of all layers. */
int layer_open_all(const char *state, bool make, struct layer *l, struct err *e);
/* ... held while frozen ones come or go. */
int layer_lock_all(const struct layer *l, struct err *e);

/* The names of all layers. */
int layer_list(
	struct arena *a, const char *state, const char ***ret, size_t *ret_count, struct err *e);
