/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The caller's side of one command in a living sandbox: asks its supervisor over a connection,
 * hands on streams, signals and the terminal, and hears how it ended.
 */

#include "engine/post.h"
#include "engine/relay.h"
#include "engine/terminal.h"

/*
 * A connection that is kept for the next command. With the answer to each comes a process of the
 * sandbox that waits for the next one and gets it at once, while the supervisor only hears of it:
 * one process less has to wake up in between.
 */
struct client_line {
	int sandbox; /* -1: none yet */
	int waiting; /* -1: none, the supervisor is asked */
};

struct client {
	const struct plan *plan;
	const uint8_t *config; /* its digest */
	int sandbox, signals;
	struct client_line *line; /* NULL: for this command only */
	int32_t process;          /* background: its id */
	bool background;
	struct plan_caps caps;
	uint64_t begin;  /* its line in the audit log */
	const char *who; /* ... and whose it is: for the supervisor, should we die */
	struct relay relay;
	struct terminal terminal;
	struct result *result;
	int input;      /* the command's standard input; 0 is the caller's own */
	uint32_t spent; /* connections that were ended by their budget */
	bool ended, signalled, changed, older, lost;
};

/* One attempt with the sandbox that is there; 1: nothing was begun, the next one is asked. */
int client_carry_out(struct client *c, struct arena *a, struct err *e);

/*
 * The same in pieces, for a caller that has more to wait for: begun, a step whenever one of the
 * descriptors is ready, closed in any case. Steps never wait. As above, 1: the next sandbox is
 * asked.
 */
#define CLIENT_POLL 5
int client_begin(struct client *c, struct err *e);
void client_poll(const struct client *c, struct pollfd fds[CLIENT_POLL]);
int client_step(
	struct client *c, const struct pollfd fds[CLIENT_POLL], struct arena *a, struct err *e);
/* The command has ended, and what it wrote is handed on. */
bool client_is_done(const struct client *c);
void client_close(struct client *c);
void client_line_close(struct client_line *l);
