/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The MCP server on two descriptors: one loop over the client, the calls that run, and signals.
 * Tools come through door/job.h, which decides each call anew; here is only the protocol. Ends when
 * the client has gone or a signal says so, with everything that it started.
 */

#include "door/door.h"

/* The exit status. */
int server_run(struct door *d, int in, int out, struct err *e);
