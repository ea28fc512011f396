/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What every command that runs something begins with: whose session it is, and what holds for it.
 */

#include "cli/cli.h"
#include "door/door.h"

#define REQUEST_LISTS 3

struct request_who {
	const char *session, *agent, *config; /* as the options say; NULL: not given */
	const struct opt_list *set;
	const char *net;
	/* allow, deny, publish; NULL: the command has no such option */
	const struct opt_list *network[REQUEST_LISTS];
};

/* Loads the configuration, and fills in who asks; config is the caller's to free. */
int request_load(struct call *c, const struct request_who *who, struct config *config,
	struct run_request *io, struct err *e);
/* What a failed command with --json says: the reason, as an object too. Returns r. */
int request_failed(struct call *c, bool json, int r, const struct err *e);

/* The same as a door for calls of tools, which stays open: door_close(). c and who are kept. */
struct request_door {
	struct call *call;
	struct request_who who;
	struct door door;
};
int request_open(struct call *c, const struct request_who *who, enum entrance entrance,
	struct request_door *ret, struct err *e);
