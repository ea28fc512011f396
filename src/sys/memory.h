/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A process that will mostly wait gives the pages of its program's code back, and those of its
 * stack: those that it needs again come back from the page cache, a handful out of hundreds.
 */
void memory_settle(void);

/* How long a process waits before that is worth it. */
#define MEMORY_SETTLE_MS 200
