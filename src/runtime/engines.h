/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Container engines on this machine: where they are, whether their daemon can be reached, which
 * version they say they are. Fills that part of a machine. Owns nothing. Called by the probe.
 */

#include "model/machine.h"

/* Looks through the absolute folders of a PATH (NULL: the usual ones); nothing is run. */
void engines_find(struct machine *m, const char *path);
/* Runs every engine that was found to ask for its version; at most a few seconds each. */
void engines_ask(struct machine *m);
