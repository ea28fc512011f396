/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the parts of `ward run` share: options, and how a result is shown. */

#include "cli/cli.h"
#include "door/run.h"

struct run_options {
	struct opt_text session, agent, config;
	struct opt_list set;
	struct opt_bool terminal, dry_run, json;
};

void run_json(struct call *c, const struct run_answer *answer, const struct result *r);
/* For people, on standard error, and only where something is worth knowing. */
void run_notes(const struct run_answer *answer, const struct result *r);
