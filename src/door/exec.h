/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The way of a command into the sandbox of its session: decided and planned as for every other,
 * then handed to the sandbox that lives, which is started on first use. The caller's own
 * descriptors go in; signals are passed on; when the caller goes, the command ends.
 */

#include "door/client.h"
#include "door/living.h"
#include "door/run.h"

struct exec_answer {
	struct run_answer run;
	char name[LIVING_NAME];
	uint8_t config[POST_CONFIG]; /* digest of what it is made from */
	int32_t process;             /* id of a background process */
	bool made;                   /* the sandbox was started for it */
	bool lost;                   /* the sandbox died under it */
	bool died;                   /* the one before was killed: it was started for that reason */
	bool changed;                /* ... anew, because the configuration is another one */
	bool older;                  /* ... because it was another version of ward's */
	bool signalled;              /* the caller got signals and passed them on */
};

/* As run_whole(): a refusal by policy is an answer, and on failure nothing was run. */
int exec_whole(const struct run_request *q, struct arena *a, struct exec_answer *ret_answer,
	struct result *ret, struct err *e);
/*
 * The same command once more, as it was decided and planned, over a connection that is kept (both
 * -1: none yet; the caller closes it). Signals are the caller's own affair.
 */
int exec_again(const struct run_request *q, struct arena *a, struct exec_answer *io_answer,
	struct client_line *io_line, struct result *ret, struct err *e);
/* Starts a background process in it: its id. */
int exec_background(const struct run_request *q, struct arena *a, struct exec_answer *ret_answer,
	int32_t *ret_id, struct err *e);
/* The parts of it, for callers with more to wait for. Decided and planned, wherever it runs. */
int exec_decide(const struct run_request *q, bool hopeful, struct arena *a, struct exec_answer *ret,
	struct err *e);
/* Whether the agent may run another one now;
 * counted only where somebody has set a rate. */
int exec_count(struct arena *a, const struct exec_answer *answer, struct err *e);
/* What was planned and written down. ret_reached: a sandbox has heard of it, so that nothing is
 * tried again. */
int exec_carry_out(const struct run_request *q, const struct pass *pass, struct arena *a,
	struct exec_answer *answer, struct result *ret, bool *ret_reached, struct err *e);
/* Which sandbox it would be, and from what it would be made; nothing is started. */
int exec_plan(const struct run_request *q, bool hopeful, struct arena *a, struct exec_answer *ret,
	struct err *e);
/* Only starts the sandbox, where it does not run. */
int exec_start(const struct run_request *q, struct arena *a, struct exec_answer *ret_answer,
	struct err *e);
