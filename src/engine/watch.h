/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The watchdog of the memory limit where no control group can be had: what all processes of a
 * sandbox use together, as the supervisor sees it from outside. It looks now and then, so that a
 * program can be above the limit for a moment, and it sees what is mapped: a file in memory that
 * nobody has mapped is not counted here. Nothing that the program says is believed. Owns nothing,
 * allocates nothing. Called by the supervisor.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A sandbox with more processes than this is over any limit. */
#define WATCH_PROCESSES 8192

struct watch_sample {
	uint64_t memory; /* bytes, with swap and page tables; UINT64_MAX: too many processes */
	unsigned processes, threads;
	uint64_t cpu_us; /* watch_usage(): of all that lives, and of what that has waited for */
	bool exact; /* shared memory was counted once; else each process counts what it shares */
};

/*
 * Sums up the sandbox whose first process has the number `init` here; the caller has not waited for
 * it, so that the number stays its own. Exact, which costs more, only when the estimate, which is
 * never too low, is above the limit. Returns 0, or a negative errno when init is gone.
 */
int watch_measure(pid_t init, uint64_t limit, struct watch_sample *ret);

/*
 * The same for one command, whose shepherd has the number `top` here: the processes below it, and
 * the time on processors of all that it has started.
 */
int watch_command(pid_t top, uint64_t limit, struct watch_sample *ret);
/* The number here of the process that has the number `inside` in the sandbox; 0: there is none. */
pid_t watch_find(pid_t init, pid_t inside);

/* Only to look: an estimate, and the time on processors too. */
int watch_usage(pid_t init, struct watch_sample *ret);

/* In how many milliseconds to look again: before memory can have grown to the limit, if possible.
 */
unsigned watch_next_ms(const struct watch_sample *sample, uint64_t limit);
