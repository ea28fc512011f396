/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Background processes of a sandbox that lives: commands that no caller waits for. What one writes
 * is kept in a ring of bounded size, in a file in memory that only the supervisor has; positions in
 * it count every byte that was ever written, so that what is no longer there is known. They end
 * with the sandbox; those that have ended are remembered, the last of them.
 */

#include "engine/post.h"

#include <stdbool.h>
#include <stdint.h>

#define LIVE_PROCESSES 64

struct live_process {
	int32_t id; /* 0: the row is free */
	bool ended;
	int input;  /* its standard input; -1: closed */
	int output; /* what it writes; -1: closed */
	int ring;
	uint64_t size, written; /* of the ring; bytes in all */
	uint64_t began, over;   /* us */
	struct post_end end;
	char command[POST_COMMAND];
};

struct live;
struct live_line;

/* A row, its pipes and its ring; ret_streams is what the command gets. NULL: there is no room. */
struct live_process *live_process_new(
	struct live *v, const struct post_exec *x, struct packet_fds *ret_streams);
void live_process_free(struct live_process *p);
struct live_process *live_process_find(struct live *v, int32_t id);
/* Something has come from it. */
void live_process_pump(struct live *v, struct live_process *p);
/* It is over: everybody who waits for it hears it. */
void live_process_end(struct live *v, struct live_process *p, const struct post_end *end);
/* A request about processes; true: it was one. The answer may come later. */
bool live_process_request(struct live *v, struct live_line *l, const struct post *m);
/* Answers those who wait for output or the end of it. */
void live_process_answer(struct live *v, struct live_process *p);
