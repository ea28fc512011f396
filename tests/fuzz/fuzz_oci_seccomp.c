/* SPDX-License-Identifier: Apache-2.0 */

/* The reader of seccomp profiles over any bytes: an error that names a place, or a filter that the
 * kernel would take and that keeps ward's floor. The first byte chooses machine and variant. */

#include "json/oci_seccomp.h"

#include "../unit/bpfsim.h"
#include "model/syscall.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct bpf_program program;

static uint32_t ask(enum syscall_arch arch, const char *name, uint64_t first, uint64_t third)
{
	struct seccomp_data call = {.arch = syscall_audit_arch(arch),
		.nr = syscall_number(arch, name),
		.args = {first, 0, third}};

	return bpfsim_run(program.code, &call);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct oci_seccomp_target target = {.major = 5, .minor = 15};
	struct err e = {0};
	int rc;

	if (size == 0)
		return 0;
	target.arch = data[0] & 1 ? SYSCALL_AARCH64 : SYSCALL_X86_64;
	target.variant = (enum seccomp_variant)((data[0] >> 1) % SECCOMP_VARIANT_COUNT);
	rc = oci_seccomp_compile("fuzz", (const char *)data + 1, size - 1, &target, &program, &e);
	if (rc < 0) {
		if (e.code != -rc || (rc != -EFBIG && strncmp(e.text, "fuzz:", 5) != 0))
			abort();
		return 0;
	}
	if (e.code != 0 || !bpfsim_valid(program.code, program.len))
		abort();
	if (ask(target.arch, "mount", 0, 0) == SECCOMP_RET_ALLOW ||
		ask(target.arch, "clone", 1u << 28, 0) == SECCOMP_RET_ALLOW ||
		ask(target.arch, "fchmodat", 0, 04755) != (SECCOMP_RET_ERRNO | EPERM) ||
		ask(target.arch, "clone3", 0, 0) != (SECCOMP_RET_ERRNO | ENOSYS))
		abort();
	if (target.variant == SECCOMP_HIDE) {
		uint32_t ret = ask(target.arch, "openat", 0, 0);

		if (ret == SECCOMP_RET_ALLOW || ret == SECCOMP_RET_LOG)
			abort();
	}
	return 0;
}
