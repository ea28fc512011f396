/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Output that passes through the supervisor: from the program's pipes or terminal to the caller's
 * descriptors, or into buffers of bounded size. What is beyond the limit is counted and dropped. A
 * caller that reads slowly holds up the program, as a pipe would, but never the supervisor; one
 * that has stopped reading is a closed pipe for the program.
 */

#include "base/buf.h"
#include "model/plan.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

enum { RELAY_OUT, RELAY_ERR, RELAY_STREAMS };
#define RELAY_CHUNK (64u << 10)

struct relay_stream {
	int from; /* -1: ended or not used */
	int to;   /* the caller's */
	char *chunk;
	size_t start, len; /* what of the chunk the caller has yet to take */
	uint64_t seen;     /* bytes that came */
	uint64_t dropped;
};

struct relay {
	enum plan_output mode;
	uint64_t limit;
	struct buf *keep; /* CAPTURE: two of them */
	struct relay_stream stream[RELAY_STREAMS];
};

void relay_init(struct relay *r, enum plan_output mode, uint64_t limit, struct buf *keep);
void relay_close(struct relay *r);
/* Gives up what the caller has not taken, and counts it. True when there was something. */
bool relay_drop(struct relay *r);
/* What to wait for before the next pump; descriptor -1: nothing. */
struct pollfd relay_wait(const struct relay *r, int stream);
/* Moves what can be moved without waiting. True when something came from the program. */
bool relay_pump(struct relay *r, int stream);
