/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The layers of workspaces that are copied on write, in ward's own folder:
 *
 *   layers/NAME/upper   takes the changes of that sandbox
 *   layers/NAME/work    the kernel's own, beside it
 *   layers/NAME/chain   what lies below, and the snapshots: model/chain.h
 *   layers/NAME/lock    held by whoever mounts it or changes it
 *   layers/frozen/ID    layers that change no more; several may stand on one of them
 *
 * Whatever is killed in between, nothing is lost: the chain is written first, and what it says is
 * made true by whoever opens the layer next.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/chain.h"
#include "model/plan.h"

struct layer {
	struct arena *arena;
	const char *name;
	int folder; /* of all layers */
	int own;    /* of this one */
	int lock;   /* -1: not held */
	struct chain chain;
};

#define LAYER_NONE ((struct layer){.folder = -1, .own = -1, .lock = -1})

/*
 * Opens the layer of a sandbox. With a workspace it is made where there is none; with NULL that is
 * -ENOENT. layer_close() afterwards, in either case.
 */
int layer_open(struct arena *a, const char *state, const char *name, const char *workspace,
	struct layer *ret, struct err *e);
/* -EBUSY: a sandbox uses it. The chain is read again, and set right. */
int layer_lock(struct layer *l, unsigned wait_ms, struct err *e);
void layer_close(struct layer *l);
/* What a plan needs to mount it. */
struct plan_layer layer_plan(const struct layer *l);

/* Descriptors of what it is made of, the topmost first; the caller closes them. */
int layer_parts(const struct layer *l, int ret[CHAIN_LAYERS + 1], size_t *ret_count, struct err *e);

/* All that follows needs the lock. */
int layer_save(struct layer *l, struct err *e);
bool layer_is_empty(const struct layer *l); /* no change since the last snapshot */
/* The changes so far lie below from now on; under a name, or (NULL) none. */
int layer_freeze(struct layer *l, const char *snapshot, struct err *e);
/* Another layer of the same workspace, on the same frozen ones; -EEXIST. */
int layer_fork(struct layer *l, const char *state, const char *name, struct err *e);
/* Throws all changes away, but for snapshots. */
int layer_reset(struct layer *l, struct err *e);
/* Its folder is put in the place of what takes the changes, and nothing lies below. */
int layer_replace(struct layer *l, const char *made, struct err *e);
/* What would be lost with it, and for how long nobody has used it. */
enum layer_worth { LAYER_WORTH_NOTHING, LAYER_WORTH_CHANGES };
enum layer_worth layer_worth(const struct layer *l, int64_t *ret_unused_ms);
/* Removes it whole, and frozen ones that nobody needs any more. */
int layer_delete(struct layer *l, struct err *e);
void layer_collect(struct layer *l);

/* The names of all layers. */
int layer_list(
	struct arena *a, const char *state, const char ***ret, size_t *ret_count, struct err *e);
