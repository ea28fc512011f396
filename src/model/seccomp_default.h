/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * ward's own filters, made of model/seccomp_rules.c when ward is built, so that a start only hands
 * them to the kernel. Constant; the engine loads one of them with sys/seccomp.h.
 */

#include "model/syscall.h"

#include <linux/filter.h>
#include <stdbool.h>

enum seccomp_variant {
	SECCOMP_PLAIN,   /* nobody listens: no broker, what is dangerous fails with EPERM */
	SECCOMP_WATCH,   /* a listener counts refusals; no broker */
	SECCOMP_PROTECT, /* a listener counts refusals and is the broker of changes to files */
	SECCOMP_HIDE,    /* as PROTECT, and the broker opens files for reading too */
	SECCOMP_VARIANT_COUNT
};

struct seccomp_program {
	const struct sock_filter *code;
	unsigned short len;
};

/* Mustn't be loaded without a listener, or calls that are its business would fail with ENOSYS. */
static inline bool seccomp_variant_listens(enum seccomp_variant v)
{
	return v != SECCOMP_PLAIN;
}

/* For the machine that ward is built for; NULL: ward has no table of its calls. */
const struct seccomp_program *seccomp_default(enum seccomp_variant v);
const struct seccomp_program *seccomp_default_for(enum syscall_arch arch, enum seccomp_variant v);
