/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A command without a sandbox: on the host, with the caller's rights. A keeper stands between the
 * supervisor and the program, in the place that init has in a sandbox: whatever loses its parent
 * below becomes its child, so that nothing outlives the command however it became a daemon, and
 * when the supervisor dies, the keeper ends everything too. Times, output and signals are those of
 * every other command (engine/supervise).
 *
 * Should: run the very bytes that were approved, or nothing. Mustn't: be taken for a confinement;
 * a program that wants to get away from its keeper can.
 */

#include "base/err.h"
#include "base/sha256.h"
#include "model/plan.h"
#include "model/result.h"

#define KEEPER_SCRIPT 63 /* the number under which a program finds its script: /dev/fd/63 */

struct keeper_call {
	const char *const *argv, *const *env; /* NULL at the end */
	int cwd;                              /* descriptor; -1: the caller's */
	int program;                          /* descriptor; -1: found by PATH of env */
	int script;            /* descriptor that the program gets as KEEPER_SCRIPT; -1 */
	const uint8_t *digest; /* SHA-256 of the program when it runs; NULL: it cannot change */
	enum plan_output output;
	uint64_t timeout, idle_timeout, kill_grace; /* ms; 0 = none */
	uint64_t output_limit;
};

/* Fails when nothing was run. result_free() afterwards. Signals to the caller are passed on. */
int keeper_run(const struct keeper_call *call, struct result *ret, struct err *e);
/* The SHA-256 of a file's content, from its beginning; -EFBIG: too large to be read now and then.
 */
int keeper_digest(int fd, uint8_t ret[SHA256_SIZE]);
