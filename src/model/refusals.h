/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How often a refusal is written down: somebody who is turned away can come as often as they like,
 * and must not fill the log. A few a minute are, the others are counted, and stand with the next
 * one. Owns nothing.
 */

#include <stdint.h>

#define REFUSALS_A_MINUTE 4u

struct refusals {
	uint64_t minute;  /* ms: when it began; 0: none has */
	uint32_t written; /* in it */
	uint32_t waiting; /* that were not written down yet */
};

/* One more: how many the line is to stand for, with those that waited; 0: none is written now. */
uint32_t refusals_add(struct refusals *r, uint64_t now_ms);
/* The end: how many were not written down. */
uint32_t refusals_end(struct refusals *r);
