/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tighten-only. The workspace's file is written by nobody trusted: it may forbid more, never allow
 * more. The same comparison serves locks, by which the administrator keeps later files from
 * loosening a key.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/config.h"

/*
 * Refuses the first value of `inner` that is looser than what `outer` gives, naming the key (with
 * `prefix` in front), where both were written, and both values. `only`: NULL, or the dotted path
 * (below sandbox/tools) of the one key or group of keys to compare; then values that come from
 * `inner`'s lower levels count as well.
 */
struct tighten {
	const struct config *config;
	struct arena *arena;
	const struct settings *inner;
	const struct settings *outer;
	const char *prefix; /* "agents.defaults", "agents.entries.x" */
	const char *only;
	const char *because; /* "the workspace's file may only tighten" */
};
int tighten_check(const struct tighten *t, struct err *e);

/* Applies what the workspace's file sets: of both values the tighter one, of granting lists the
 * common part, of forbidding lists the sum. Never loosens, whatever it is given. */
void tighten_apply(const struct config *c, struct arena *a, struct settings *target,
	const struct settings *workspace);
