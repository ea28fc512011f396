/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One direction of a connection that is relayed: what comes from one socket goes to the other, the
 * end of it too. Little is copied through memory of ours; much goes through a pipe, which the
 * kernel does without copying, and which is given back when there is little again. Nothing is read
 * that the other side has not room for, but for one buffer: who does not read is waited for by who
 * writes. Neither socket is owned, and neither waits (O_NONBLOCK).
 *
 * Mustn't: move more than it was allowed to, to the byte.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PUMP_UNLIMITED UINT64_MAX

struct pump {
	int from, to;
	int pipe[2];    /* -1: none */
	size_t piped;   /* bytes in it */
	unsigned calls; /* in a row that found little to move through it */
	uint64_t since; /* moved when the last one was given back */
	char *rest;     /* what the other side did not take; NULL: nothing */
	size_t rest_size, rest_at;
	uint64_t moved;   /* to the other side */
	uint64_t allowed; /* that may be read at all */
	bool plain;       /* no pipe was to be had */
	bool over;        /* nothing more comes */
	bool ended;       /* ... and the other side knows */
};

enum pump_state {
	PUMP_AGAIN, /* there may be more at once: others first */
	PUMP_READ,  /* until there is something to read */
	PUMP_WRITE, /* until the other side takes more */
	PUMP_SPENT, /* all that was allowed is moved, and more may come */
	PUMP_ENDED,
	PUMP_BROKEN, /* one of the two is gone */
};

void pump_init(struct pump *p, int from, int to, uint64_t allowed);
/* Also at half of it; what was not moved is lost. */
void pump_free(struct pump *p);
/* Bytes that somebody else has read, of which the other side takes what it can; -EBUSY: there are
 * others already; -EDQUOT: more than is allowed. */
int pump_put(struct pump *p, const void *data, size_t size);
/* Only what is there already: PUMP_READ when nothing is left of it. */
enum pump_state pump_flush(struct pump *p);
enum pump_state pump_run(struct pump *p);
/* Something waits for the other side to take more. */
static inline bool pump_is_full(const struct pump *p)
{
	return p->rest || p->piped > 0;
}
