/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what is made of the rows of src/model/seccomp_rules.c, on standard output: the filters as
 * C (seccomp_gen --code), or the list of system calls for people (seccomp_gen --markdown). Run
 * while ward is built, and by tests/checks/syscalls.
 */
#include "model/seccomp_build.h"

#include "base/macro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {
	[SECCOMP_PLAIN] = "plain",
	[SECCOMP_PROTECT] = "protect",
	[SECCOMP_HIDE] = "hide",
};
_Static_assert(ARRAY_LEN(variants) == SECCOMP_VARIANT_COUNT, "a name for every variant");

static int write_array(enum syscall_arch arch, enum seccomp_variant v)
{
	static struct bpf_program program;
	struct err e = {0};

	if (seccomp_build(arch, v, NULL, &program, &e) < 0) {
		fprintf(stderr, "seccomp_gen: %s\n", e.text);
		return -1;
	}
	printf("static const struct sock_filter %s_%s[] = {\n", syscall_arch_name(arch),
		variants[v]);
	for (size_t i = 0; i < program.len; i++)
		printf("\t{0x%02x, %u, %u, 0x%x},\n", program.code[i].code, program.code[i].jt,
			program.code[i].jf, program.code[i].k);
	printf("};\n\n");
	return 0;
}

static int write_code(void)
{
	printf("/* Written by seccomp_gen from model/seccomp_rules.c. */\n"
	       "#include \"model/seccomp_table.h\"\n\n"
	       "#include \"base/macro.h\"\n\n");
	for (int arch = 0; arch < SYSCALL_ARCH_COUNT; arch++)
		for (int v = 0; v < SECCOMP_VARIANT_COUNT; v++)
			if (write_array((enum syscall_arch)arch, (enum seccomp_variant)v) < 0)
				return -1;
	printf("const struct seccomp_program\n"
	       "\tseccomp_table[SYSCALL_ARCH_COUNT][SECCOMP_VARIANT_COUNT] = {\n");
	for (int arch = 0; arch < SYSCALL_ARCH_COUNT; arch++)
		for (int v = 0; v < SECCOMP_VARIANT_COUNT; v++) {
			const char *name = syscall_arch_name((enum syscall_arch)arch);

			printf("\t[%d][%d] = {%s_%s, ARRAY_LEN(%s_%s)},\n", arch, v, name,
				variants[v], name, variants[v]);
		}
	printf("};\n");
	return 0;
}

int main(int argc, char **argv)
{
	int r = -1;

	if (argc == 2 && strcmp(argv[1], "--code") == 0)
		r = write_code();
	else
		fprintf(stderr, "usage: seccomp_gen --code\n");
	return r < 0 || fflush(stdout) == EOF ? EXIT_FAILURE : EXIT_SUCCESS;
}
