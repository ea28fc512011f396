/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What holds for one agent: built-in values, profile, defaults and the agent's own entry merged
 * over all levels, with the workspace's file tightening the result and the administrator's locks
 * checked. Pure.
 *
 * A profile sits right beneath the section that names it: named by agents.defaults, the defaults
 * override it; named by an agent's entry, it overrides the defaults and the entry overrides it.
 */

#include "model/config.h"
#include "model/netpolicy.h"
#include "model/toolpolicy.h"

struct effective {
	const char *agent;
	bool agent_known; /* some file has an entry for it */
	struct settings s;
	struct toolpolicy tools;
	struct rules rules;      /* elevated.rules and elevated.patterns in one form, in order */
	struct opt_list require; /* with the limits that somebody wrote */
	struct net_policy net;
};

/* agent may be NULL: agents.defaults alone. Fails when a lock or the workspace's file is violated.
 */
int resolve_agent(const struct config *c, const char *agent, struct arena *a, struct effective *ret,
	struct err *e);
/* The same with a further profile on top: where an elevated command runs. */
int resolve_elevated(const struct config *c, const struct effective *from, const char *profile,
	struct arena *a, struct effective *ret, struct err *e);
/* Only the levels up to `last`, without the workspace's file and without checks. */
int resolve_up_to(const struct config *c, const char *agent, enum level last, struct arena *a,
	struct settings *ret, struct err *e);
/* Parses the lists of a network section, which the reader has checked. */
struct net_policy resolve_network(struct arena *a, const struct network *n);
/* elevated.rules and, behind them, elevated.patterns in the same form. */
struct rules resolve_rules(struct arena *a, const struct elevated *el);
