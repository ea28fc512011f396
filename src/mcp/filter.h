/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What passes between a client and another MCP server. Each message is read once, strictly, and
 * handed on as the same bytes; only lists of tools are written anew, when tools are missing from
 * them. Methods that the protocol does not have do not pass, nor do answers that nobody waits for.
 * Every call of a tool is decided when it comes, and recorded, as are those that are refused.
 */

#include "door/door.h"
#include "mcp/rpc.h"

#define FILTER_PENDING 1024 /* requests of the client that wait for an answer */

struct filter_pending;

struct filter {
	struct door *door;
	const char *server;         /* its name in rules: mcp__NAME__TOOL */
	struct rpc *client, *inner; /* the one who asks, and the server */
	struct filter_pending *first;
	size_t count;
	bool broken; /* the configuration cannot be read */
};

void filter_from_client(struct filter *f, const char *text, size_t len);
void filter_from_server(struct filter *f, const char *text, size_t len);
/* Takes notice of a configuration that has changed, and tells the client. */
int filter_refresh(struct filter *f, struct err *e);
/* The server has gone: whoever waits for it hears that. */
void filter_end(struct filter *f, const char *why);
