/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One command that waits for a person. The waiting process owns a socket in the folder of the
 * user's own that goes with the next start of the machine; who waits is alive, and nothing is left
 * of a request whose process has gone. What is approved is bytes: arguments, input, environment,
 * folder, executable, session, place and policy, all of them held in memory or by descriptor from
 * the moment they were shown, and what runs is what is held.
 *
 * Should: show all of it; be answered by another principal than the requester. Mustn't: be given by
 * the requester's own processes, from a sandbox, late, twice, or for anything that has changed.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "door/record.h"

#include <poll.h>
#include <stdbool.h>

#define APPROVAL_ID 33 /* 128 random bits in hex, and NUL */
#define APPROVAL_FDS 10

struct approval_request {
	const struct config *config;
	const struct verdict *verdict;
	const char *const *argv; /* NULL at the end; of an elevated command: verdict.argv */
	int cwd;                 /* descriptor; the caller's to close */
	const char *workspace;   /* of which that is a part; NULL: it is all of it */
	const char *const *env;
	const char *input; /* all that it can read; NULL: nothing, or see own_input */
	bool own_input;    /* the caller's own standard input, whose bytes nobody has seen */
	enum entrance entrance;
	struct record *record; /* NULL: nothing is written down */
	bool terminal;         /* a prompt on /dev/tty may be shown */
};

enum approval_state {
	APPROVAL_WAITS,
	APPROVAL_GIVEN,
	APPROVAL_DENIED,
	APPROVAL_EXPIRED,
	APPROVAL_STATES
};

struct approval;

/*
 * Also for what is elevated without a question: then it is given at once. 0: see approval_step().
 * -EPERM: it cannot be approved by anybody, e says why. What the request names is kept: it and the
 * arena must outlive the approval.
 */
int approval_begin(
	const struct approval_request *q, struct arena *a, struct approval **ret, struct err *e);
/* What to wait for before the next step; how many. */
size_t approval_poll(struct approval *p, struct pollfd *fds, size_t max);
int approval_timeout(const struct approval *p); /* ms */
/* Does what can be done without waiting. e: why not, with the approver's advice. */
enum approval_state approval_step(struct approval *p, struct err *e);
/* By an entrance that has asked a person itself; how: "elicitation". advice may be NULL. */
int approval_answer(
	struct approval *p, bool yes, const char *how, const char *advice, struct err *e);
const char *approval_id(const struct approval *p); /* "": nobody was asked */
/* Somebody can answer on the terminal of whoever asks. */
bool approval_has_prompt(const struct approval *p);
/* In full, escaped, for people. */
void approval_show(const struct approval *p, struct buf *out);
/* Until it is answered: a prompt on the terminal, other terminals by `ward approve`. 0: given;
 * -EACCES: not. */
int approval_wait(struct approval *p, struct err *e);
/* Descriptors that a process which runs it needs. */
size_t approval_keep(const struct approval *p, int *ret, size_t max);
/* A request that still waits is denied by that. */
void approval_free(struct approval **p);
