/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The supervisor's part while a command runs: passes on signals and output, keeps the times, looks
 * after limits that no group keeps, and learns how it ended. Believes nothing that comes from
 * inside but that the command is over.
 */

#include "engine/meter.h"
#include "engine/relay.h"
#include "engine/stage.h"
#include "engine/terminal.h"
#include "engine/wire.h"

struct supervise {
	struct stage *stage;
	struct result *result;
	int signals;
	struct relay relay;
	struct terminal terminal;
	struct meter meter;
	bool ended, failed, orderly;
	bool given_up; /* it was killed and does not die: it waits in the kernel */
	struct wire_end end;
	struct err error;
	uint64_t started, ended_at, deadline, idle_deadline, kill_at, watch_at, settle_at,
		give_up_at;     /* us; 0 = none */
	enum end_reason reason; /* why we ended it; END_EXITED: we did not */
	int asked;              /* signals that asked the command to end */
};

/* Until the command has ended. Fails when it was never started. */
int supervise_loop(struct supervise *v, struct err *e);
/* What the command left is handed to the caller. */
void supervise_drain(struct supervise *v);
