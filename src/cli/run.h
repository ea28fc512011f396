/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the parts of `ward run` share: options, and how a result is shown. */

#include "cli/cli.h"
#include "door/run.h"

struct run_options {
	struct opt_text session, agent, config;
	struct opt_list set, allow, deny, publish;
	struct opt_text net;
	struct opt_bool terminal, dry_run, background, json;
	struct opt_number memory, pids, cpu_time; /* of the command itself */
};

/* Says why the policy does not allow it; returns the exit status. */
int run_denied(struct call *c, const struct verdict *v, bool json);
/* --dry-run */
void run_show_plan(struct call *c, const struct run_answer *answer, bool json);
/* --json of what was not run: denied by policy, or ward failed. */
void run_json_error(struct call *c, enum end_reason reason, const char *text);
void run_json(struct call *c, const struct run_answer *answer, const struct result *r);
/* Says on standard error that a person is asked. */
void run_waits(const struct approval *p);
/* On a terminal: somebody who trusts in a sandbox should know that there is none. */
void run_unconfined(const struct verdict *v);
/* For people, on standard error, and only where something is worth knowing. */
void run_notes(const struct run_answer *answer, const struct result *r);
