/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One request on its way through the door, as the audit log tells it: decided, then begun, then
 * ended; or refused. Whatever way it takes, pass_close() sees to it that there is one begin with
 * its end, or one refusal. Every way of running something holds one of these.
 */

#include "door/record.h"

struct pass {
	struct record *record; /* the caller's, which stays open, or `own` */
	struct record own;
	uint64_t begin;   /* 0: not yet */
	bool unwritable;  /* the log refuses: nothing may run, and nothing else helps */
	bool handed_over; /* somebody else writes its end */
};

/* given NULL: a log is opened for this request alone. */
int pass_open(struct pass *n, struct record *given, const struct config *c, struct arena *a,
	struct err *e);
/* Before anything runs; once, however often it is tried after that. */
int pass_begin(struct pass *n, const struct record_request *q, struct err *e);
/*
 * How it came out: r < 0: it failed, and e says why; ran false: it was refused, by the verdict in
 * q. result NULL: it was no command. Returns r. Where the end of what did run cannot be written,
 * result->unrecorded says so.
 */
int pass_close(struct pass *n, const struct record_request *q, bool ran, int r,
	struct result *result, struct err *e);
