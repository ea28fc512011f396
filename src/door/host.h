/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A command on the host, with the caller's rights and without any confinement: mode off, tools
 * that bypass the sandbox, commands that were elevated to the host. It has a terminal only if the
 * caller shares theirs; output that is captured goes with a session of its own. What it starts ends
 * with it (engine/keeper).
 */

#include "base/err.h"
#include "model/plan.h"
#include "model/result.h"

struct approval;

struct host_call {
	const char *const *argv, *const *env; /* NULL at the end */
	int cwd;                              /* descriptor */
	int program; /* descriptor of the checked executable; -1: found by PATH of env */
	uint64_t timeout, idle_timeout, kill_grace, output_limit;
	enum plan_output output;
	const struct approval *approval; /* what was approved is what runs; NULL: none was needed */
};

/* Blocks; SIGINT, SIGTERM, SIGHUP are passed on; all descendants are gone afterwards. Fails when
 * nothing was run. */
int host_run(const struct host_call *q, struct result *ret, struct err *e);
/* Is "NAME=value" a variable by which a command does something else than its words say, such as
 * LD_PRELOAD or GIT_SSH_COMMAND? */
bool host_env_steers(const char *variable);
/* The times and limits of the settings that hold, as a sandbox would have them. */
void host_limits(
	const struct effective *eff, bool agent, bool capture, bool terminal, struct host_call *io);
