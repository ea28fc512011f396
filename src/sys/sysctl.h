/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kernel settings by the name that sysctl(8) uses. Owns nothing. */

#include <stdint.h>

/* "kernel.yama.ptrace_scope"; -ENOENT where the kernel has no such setting, -EINVAL for what is no
 * number. */
int sysctl_read(const char *name, int64_t *ret);
