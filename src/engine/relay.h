/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Output that passes through the supervisor: from the program's pipes or terminal to the caller's
 * descriptors, or into buffers of bounded size. Reading never stops before the end, so that the
 * program is never held up; what is beyond the limit is counted and dropped.
 */

#include "base/buf.h"
#include "model/plan.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

enum { RELAY_OUT, RELAY_ERR, RELAY_STREAMS };

struct relay {
	enum plan_output mode;
	uint64_t limit;
	int from[RELAY_STREAMS];      /* -1: ended or not used */
	struct buf *keep;             /* CAPTURE: two of them */
	uint64_t seen[RELAY_STREAMS]; /* bytes that came */
	uint64_t dropped[RELAY_STREAMS];
	bool caller_gone; /* writing to the caller failed: go on reading */
};

/* Reads what is there. True when something came. */
bool relay_pump(struct relay *r, int stream);
/* What is left after all writers have gone. */
void relay_drain(struct relay *r);
