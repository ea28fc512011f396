/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Between the decision and the plan of a command: where the policy says "ask", a person is asked,
 * once, and what was elevated is held as it was approved until it runs. A no becomes a denial with
 * its reason. Owns the approval.
 */

#include "door/approval.h"
#include "door/run.h"

struct consent {
	struct approval *approval; /* NULL: nothing was elevated */
	struct record *record;     /* NULL: nothing is written down */
	enum entrance entrance;
	int cwd;
};

#define CONSENT ((struct consent){.cwd = -1})

/* Makes the verdict an allow or a deny; whatever goes wrong is a deny with that reason. */
void consent_ask(const struct run_request *q, struct arena *a, struct run_answer *io);
void consent_close(struct consent *c);
