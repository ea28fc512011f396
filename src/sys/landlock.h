/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Landlock: rules about files that a process lays on itself. Owns nothing. */

/*
 * The version of the interface, from 1 on. -ENOSYS: the kernel does not know Landlock; -EOPNOTSUPP:
 * it does, but it is not among the security modules that were chosen at boot.
 */
int landlock_abi(void);
/* Lays a rule set on the calling process for good that forbids to make device nodes; for a child
 * that tries. */
int landlock_try(void);
