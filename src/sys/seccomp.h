/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Filters on system calls. Owns nothing. */

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/* Does the kernel know this SECCOMP_RET_* action? 0, -EOPNOTSUPP, -ENOSYS. */
int seccomp_has_action(uint32_t action);
/* Loads a filter that allows everything, into the calling process for good; for a child that tries.
 */
int seccomp_try(void);
/* Is the calling process itself under a filter that somebody else loaded? */
bool seccomp_filtered(void);
/*
 * Loads a filter into the calling thread for good, which must have no_new_privs or CAP_SYS_ADMIN.
 * Returns 0, with `listener` the descriptor (CLOEXEC) on which the calls arrive that the filter
 * sends there. Touches no memory but its stack: fit for a child that shares its parent's.
 *
 * Once a listener has taken a call up, only SIGKILL disturbs the waiting program, so that the
 * listener never does a thing twice that a signal made the program repeat; before Linux 5.19 any
 * signal does.
 */
int seccomp_load(const struct sock_filter *code, unsigned short len, bool listener);
