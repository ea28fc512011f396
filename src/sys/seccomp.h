/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Filters on system calls. Owns nothing. */

#include <stdbool.h>
#include <stdint.h>

/* Does the kernel know this SECCOMP_RET_* action? 0, -EOPNOTSUPP, -ENOSYS. */
int seccomp_has_action(uint32_t action);
/* Loads a filter that allows everything, into the calling process for good; for a child that tries.
 */
int seccomp_try(void);
/* Is the calling process itself under a filter that somebody else loaded? */
bool seccomp_filtered(void);
