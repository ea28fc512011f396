/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Locks: the administrator's file lists keys that no later file, profile or flag may loosen, for
 * example "agents.defaults.sandbox.network" (holds for every agent), "agents.entries.x.sandbox"
 * (for one), "tools.deny".
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/config.h"

/* Is this path of a key or a group of keys one that can be locked? */
int locks_check_path(const char *path, struct err *e);
/* Is the result for this agent nowhere looser, in locked keys, than the administrator's file alone
 * makes it? */
int locks_check(const struct config *c, const char *agent, struct arena *a,
	const struct settings *result, struct err *e);
