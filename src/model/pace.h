/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How often something may happen: as many times at once as a rate has in its time, and then one
 * after the other at that pace. One number is all that is remembered: when what was done so far
 * would be over at the pace. Pure.
 */

#include "base/number.h"

#include <stdbool.h>
#include <stdint.h>

/* 0: now, and *io_next is what to remember; else in how many milliseconds. now_ms must not go back.
 */
uint64_t pace_take(const struct rate *r, uint64_t now_ms, uint64_t *io_next_us);
/* Nothing is remembered in it that would make anybody wait. */
bool pace_is_over(uint64_t now_ms, uint64_t next_us);
