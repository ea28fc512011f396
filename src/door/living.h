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
	size_t pool;         /* blanks that are kept ready for the next ones; 0: none is used */
	struct blank *blank; /* it is one of those, and `plan` is its */
	const uint8_t *kind; /* ... and this the digest of all that it was made from */
};

/* door/pool.c and this module: what a sandbox says of itself, but for its version. */
void living_fill_card(const struct living_make *q, struct card *c);
/* Becomes the supervisor; `ready` hears when the sandbox is, or why not. */
_Noreturn void living_supervise(const struct living_make *q, int ready);
/* The words of the command that a process was started for are not its own. */
void living_rename(char *arguments, size_t size, const char *name);
/* A process that is nobody's child, and where it says something. */
int living_detach(const struct living_make *q,
	void (*become)(const struct living_make *q, int ready), int *ret_ready, struct err *e);

/* Whether the configuration files are still those that it was made from. */
bool living_is_current(const struct card *c);
/* A connection to it. -ENOENT: it does not run. */
int living_connect(int place, const char *name, struct err *e);
/* The same, after it was started where it did not run; two callers at once start one. ret_died: the
 * one before did not end by itself. */
int living_start(const struct living_make *q, bool *ret_made, bool *ret_died, struct err *e);
/* Ends it; `anyway`: also while commands run, else -EBUSY. Returns when it is gone. */
int living_stop(int place, const char *name, bool anyway, struct err *e);
