/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The filters themselves. Their definition is written by gen/seccomp_gen.c while ward is built;
 * read by model/seccomp_default.c only.
 */

#include "model/seccomp_default.h"

extern const struct seccomp_program seccomp_table[SYSCALL_ARCH_COUNT][SECCOMP_VARIANT_COUNT];
