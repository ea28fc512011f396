/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What one command in a sandbox that lives used, as a row of the history: of fixed size, written
 * whole or not at all, and with a sum by which damage is seen. Pure; owns nothing.
 */

#include "model/result.h"

#include <stdbool.h>
#include <stdint.h>

#define USAGE_MAGIC 0x57550002u

struct usage_row {
	uint32_t magic;
	uint32_t sum;     /* of all that follows */
	int64_t ended_ms; /* by the calendar */
	uint64_t wall_us, user_us, system_us;
	uint64_t memory_peak, read_bytes, written_bytes, sent_bytes, received_bytes;
	int32_t exit_code; /* -1: it was ended by a signal */
	int32_t signal;
	int32_t reason; /* enum end_reason */
	uint32_t hits;  /* a bit for each enum limit_hit */
	char sandbox[80];
	char session[80];
	char command[40]; /* the program's name */
	uint32_t background;
	uint32_t zero;
};

void usage_close(struct usage_row *row); /* fills in magic and sum */
/* Every text ends, and the sum is right. */
bool usage_check(struct usage_row *row);

struct usage_total {
	uint64_t commands, failed, timeouts, ooms;
	uint64_t wall_us, cpu_us, memory_peak, read_bytes, written_bytes, sent_bytes,
		received_bytes;
	int64_t first_ms, last_ms;
};

void usage_add(struct usage_total *t, const struct usage_row *row);
