/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A seccomp profile in the form of the OCI runtime specification, as docker and podman write it, to
 * a filter. What it says counts but for ward's floor; see model/seccomp_build.h. Owns nothing.
 * Called by whoever has read the file that the key `seccomp` names.
 *
 * The sandbox has no capabilities: rules that want one do not count. Names of calls that ward does
 * not know are passed over, as other programs do; everything else that is unknown is an error, and
 * so are two rules for all arguments of one call that contradict each other. A rule for all
 * arguments counts before rules with conditions; those count in order of the text. Two conditions
 * on one argument mean that one of them holds, conditions on several that all hold, as in runc.
 */

#include "base/err.h"
#include "model/bpf.h"
#include "model/seccomp_default.h"

#include <stddef.h>

#define OCI_SECCOMP_MAX_BYTES (1u << 20)

struct oci_seccomp_target {
	enum syscall_arch arch;
	enum seccomp_variant variant;
	unsigned major, minor; /* of the kernel, for minKernel */
};

/*
 * name stands in front of errors: "name:line:column: what". -EFBIG: too long a text; -E2BIG: too
 * many rules for one filter; -EINVAL. On failure *ret is of no use.
 */
int oci_seccomp_compile(const char *name, const char *text, size_t len,
	const struct oci_seccomp_target *target, struct bpf_program *ret, struct err *e);
