/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A part of a call that takes its time, in a process of its own: it answers with bytes and ends.
 * The process holds none of the caller's descriptors but those that it is told to keep, so that a
 * connection which the caller closes is closed. It dies with its caller. Owned by a job.
 */

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

#define WORKER_KEEP 8

struct worker {
	pid_t pid; /* 0: there is none */
	int from;  /* what it says */
	struct buf said;
};

struct worker_call {
	void (*work)(void *ctx, struct buf *out); /* in the process */
	void *ctx;
	int keep[WORKER_KEEP]; /* descriptors above 2 */
	size_t keep_count;
	int input;   /* becomes its standard input; -1: nothing to read */
	size_t most; /* bytes of the answer */
};

int worker_start(struct worker *w, const struct worker_call *call, struct err *e);
/* Takes what there is. True: it has ended, and `said` is all. */
bool worker_step(struct worker *w);
/* A signal for it, which its command gets too. */
void worker_signal(const struct worker *w, int number);
/* Ends it, if it has not ended, and waits for that. */
void worker_end(struct worker *w);
