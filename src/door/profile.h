/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The file that the key `seccomp` names becomes the filter of a plan. Compiled once: what comes out
 * is kept under a hash of everything that went in, and where it cannot be kept it is compiled each
 * time. Owns nothing; the filter lives in the arena. Called by door/run.h.
 *
 * Should: believe only a file that nobody but the caller and root can change; a command that could
 * write it would choose the next one's filter.
 */

#include "model/machine.h"
#include "model/plan.h"

/* Sets the plan's filter. Errors name the file and the place in it. */
int profile_load(
	const char *path, const struct machine *m, struct arena *a, struct plan *p, struct err *e);
