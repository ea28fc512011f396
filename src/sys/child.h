/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Trying something that cannot be taken back: in a child that ends afterwards. Whatever the child
 * does to itself, crashes included, the caller gets an answer in bounded time, and no process is
 * left. Owns nothing.
 */

/* Runs in the child; a negative errno or a value >= 0. Must not return to code that prints. */
typedef int child_fn(void *ctx);

/*
 * The function's answer. -ETIMEDOUT: it was killed after that many milliseconds; -EOWNERDEAD: it
 * ended without an answer, by a signal for example; other negative values may come from the
 * function or from fork.
 */
int child_try(child_fn *fn, void *ctx, unsigned timeout_ms);
