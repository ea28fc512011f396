/* SPDX-License-Identifier: Apache-2.0 */
#include "model/seccomp_default.h"

#include "model/seccomp_table.h"

const struct seccomp_program *seccomp_default(enum seccomp_variant v)
{
	return seccomp_default_for(SYSCALL_NATIVE, v);
}

const struct seccomp_program *seccomp_default_for(enum syscall_arch arch, enum seccomp_variant v)
{
	if (arch >= SYSCALL_ARCH_COUNT || v >= SECCOMP_VARIANT_COUNT)
		return NULL;
	return &seccomp_table[arch][v];
}
