/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * From the rows of model/seccomp_rules.h to a filter, with or without a profile that a person
 * brought along. Pure; owns nothing. Called by the generator of ward's own filters and by the
 * reader of profiles.
 *
 * A profile has its way but for four things: hard rows and rules stay refused; numbers that ward
 * does not know answer ENOSYS; calls of another machine end the process; and what the profile
 * allows still goes to the broker where the broker has a say.
 */

#include "base/err.h"
#include "model/bpf.h"
#include "model/seccomp_default.h"
#include "model/seccomp_rules.h"

#include <stdbool.h>

/* Tests that a profile may put on one call at once, so that room is left for the broker's own. */
#define SECCOMP_PROFILE_TESTS 6

/* The row that names the call; NULL: none does, it answers ENOSYS. */
const struct seccomp_row *seccomp_build_row(const char *name);
/* What the verdict is for a filter: SECCOMP_RET_*. */
uint32_t seccomp_build_ret(enum seccomp_verdict verdict, int code, enum seccomp_variant v);
/*
 * `profile` has SYSCALL_NUMBERS rows, by number, or is NULL for ward's own filter. What it returns
 * for a call mustn't be SECCOMP_RET_USER_NOTIF. On failure *ret is of no use.
 */
int seccomp_build(enum syscall_arch arch, enum seccomp_variant v, const struct bpf_call *profile,
	struct bpf_program *ret, struct err *e);
