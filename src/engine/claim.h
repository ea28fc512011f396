/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A blank is claimed: the workspace, which was missing, is put into the sandbox that waits. Until
 * then a user's keeps the host's root at hand, and no program runs; what goes wrong ends the
 * sandbox, and whoever wanted it makes one of its own.
 */

#include "engine/stage.h"

#include <limits.h>
#include <stdint.h>

/* The workspace; in memory that supervisor and init share. */
struct claim {
	uint64_t device, inode; /* that it must be */
	char path[PATH_MAX];
};

/* Room for it, before init is made. */
int claim_open(struct stage *s, struct err *e);
/* Supervisor: something was mounted, or otherwise mounted, since. */
bool claim_is_stale(const struct stage *s);
/* Supervisor: has it put in. Init says when it is. */
int claim_send(struct stage *s, struct err *e);
/* Init: waits for that, and does it. */
int claim_wait(struct stage *s, struct err *e);
