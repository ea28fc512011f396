/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Sandboxes that live, from outside: found by name, started where there is none, asked. No daemon
 * stands behind them: whoever needs a sandbox first starts its supervisor, a process of its own
 * that goes on when its maker has gone.
 */

#include "base/err.h"
#include "base/mem.h"
#include "engine/post.h"
#include "model/card.h"
#include "model/plan.h"

#define LIVING_NAME 80

/* The name of the sandbox that a scope has for a workspace. */
void living_name(const char *scope_name, const struct plan *p, char ret[LIVING_NAME]);

struct living_make {
	int place;        /* see state/place.h */
	const char *name; /* of the sandbox */
	struct plan *plan;
	const struct verdict *verdict;
	const char *user_file; /* of the configuration; NULL: the user's own */
	char *arguments;       /* of this process; see engine/native.h */
	size_t arguments_len;
	uint64_t idle_ms, age_ms, startup_ms;
	struct rate creates; /* how often the agent may start one; count 0: as it likes */
};

/* Whether the configuration files are still those that it was made from. */
bool living_is_current(const struct card *c);
/* A connection to it. -ENOENT: it does not run. */
int living_connect(int place, const char *name, struct err *e);
/* The same, after it was started where it did not run; two callers at once start one. ret_died: the
 * one before did not end by itself. */
int living_start(const struct living_make *q, bool *ret_made, bool *ret_died, struct err *e);
/* Ends it; `anyway`: also while commands run, else -EBUSY. Returns when it is gone. */
int living_stop(int place, const char *name, bool anyway, struct err *e);
