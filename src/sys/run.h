/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Running a program and keeping what it prints: without a shell, without standard input, with an
 * environment of the caller's choice and in bounded time. The program gets a process group of its
 * own, which is killed at the end: nothing of it lives on. Owns nothing.
 */

#include "base/buf.h"
#include "base/err.h"

/*
 * argv[0] is a path; PATH is not searched. Standard output goes to out, as much as fits; standard
 * error nowhere. Returns the exit status, 128 + n for a signal. -ETIMEDOUT after that many
 * milliseconds.
 */
int run_capture(const char *const *argv, const char *const *env, unsigned timeout_ms,
	struct buf *out, struct err *e);
