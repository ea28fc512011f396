/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Another MCP server, as a child with pipes for its standard input and output, and the filter
 * between it and the client. What the child does is the caller's affair: it runs the server in a
 * sandbox of its own. Ends when the server has ended, which it is asked to when the client goes.
 */

#include "door/door.h"

struct wrap_request {
	struct door *door;
	const char *name; /* of the server, in rules */
	int client_in, client_out;
	/* In the child, with 0 and 1 in place: runs the server. Its exit status. */
	int (*run)(void *ctx);
	void *ctx;
};

/* The server's exit status, or a negative errno. */
int wrap_run(const struct wrap_request *q, struct err *e);
/* May a server have this name? No "__", which ends it in rules. */
bool wrap_is_name(const char *name);
