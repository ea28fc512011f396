/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How often an agent does something, counted across all processes of a user: a small file in the
 * folder in which sandboxes are found, which goes away with the next start of the machine. */

#include "base/err.h"
#include "base/number.h"

/* What is counted, each for itself. */
enum rate_kind { RATE_CREATES, RATE_EXECS, RATE_KIND_COUNT };

/* -EDQUOT: not now; the message says when. A rate of nothing (count 0) allows everything. */
int rate_take(
	int place, const char *agent, enum rate_kind kind, const struct rate *r, struct err *e);
/* Removes the files of agents for whom there is nothing to wait for any more. */
void rate_prune(int place);
