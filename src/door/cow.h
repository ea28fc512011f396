/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The layer of a sandbox whose workspace is copied on write: taken before it is made, and asked
 * for by those who look at the changes. */

#include "base/err.h"
#include "model/plan.h"
#include "state/layer.h"

#define COW_WAIT_MS 15000 /* for a sandbox that is about to end */

/* Makes the folders that outlive it, and completes the plan. ret_lock: a descriptor that is held as
 * long as the sandbox lives; -1 where the workspace is of another kind. */
int cow_take(struct arena *a, const char *name, unsigned wait_ms, struct plan *p, int *ret_lock,
	struct err *e);

/* Only the former: private workspaces and caches. */
int cow_make_own(const struct plan *p, struct arena *a, struct err *e);

/*
 * The layer, locked: its sandbox is stopped first; -EBUSY while commands run in it, unless they are
 * to be ended. layer_close() afterwards, in either case.
 */
int cow_hold(struct arena *a, const char *name, bool anyway, struct layer *ret, struct err *e);
/* The layer as it is now, whoever uses it. */
int cow_look(struct arena *a, const char *name, struct layer *ret, struct err *e);

/*
 * Removes layers that hold nothing, and (age_ms > 0) layers, private workspaces and caches that
 * nobody has used for that long. Says of each whose it was; with `try` nothing is removed. None
 * that a sandbox uses.
 */
typedef void cow_fn(void *ctx, const char *name, const char *workspace, bool changes);
int cow_prune(struct arena *a, uint64_t age_ms, bool try, cow_fn *fn, void *ctx, struct err *e);
