/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what is made of the rows of src/model/seccomp_rules.c, on standard output: the filters as
 * C (seccomp_gen --code), or the list of system calls for people (seccomp_gen --markdown). Run
 * while ward is built, and by tests/checks/syscalls.
 */
#include "model/seccomp_build.h"

#include "base/macro.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {
	[SECCOMP_PLAIN] = "plain",
	[SECCOMP_WATCH] = "watch",
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

static const struct {
	int code;
	const char *name;
} errors[] = {
	{EPERM, "EPERM"},
	{EAFNOSUPPORT, "EAFNOSUPPORT"},
	{EPROTONOSUPPORT, "EPROTONOSUPPORT"},
};

static const char *const verdicts[] = {
	[SECCOMP_ENOSYS] = "absent (ENOSYS)",
	[SECCOMP_ALLOW] = "allowed",
	[SECCOMP_DENY] = "refused (EPERM), counted",
	[SECCOMP_FAIL] = "refused",
	[SECCOMP_BROKER] = "allowed; by the broker where files are protected or hidden",
	[SECCOMP_BROKER_READ] = "allowed; by the broker where files are hidden",
};
_Static_assert(ARRAY_LEN(verdicts) == SECCOMP_VERDICT_COUNT, "words for every verdict");

static void write_verdict(enum seccomp_verdict verdict, int code, bool hard)
{
	printf("%s", verdicts[verdict]);
	for (size_t i = 0; i < ARRAY_LEN(errors); i++)
		if (verdict == SECCOMP_FAIL && errors[i].code == code)
			printf(" (%s)", errors[i].name);
	if (hard)
		printf(", always");
}

static void write_names(const char *names)
{
	putchar('`');
	for (const char *p = names; *p; p++)
		if (*p == ' ')
			fputs("` `", stdout);
		else
			putchar(*p);
	putchar('`');
}

static bool same_verdict(const struct seccomp_rule *a, const struct seccomp_rule *b)
{
	return a->verdict == b->verdict && a->code == b->code && a->hard == b->hard;
}

/* Neighbours with one verdict share it. */
static void write_rules(const struct seccomp_rule *rules)
{
	for (const struct seccomp_rule *r = rules; r && r->when; r++) {
		const struct seccomp_rule *next = r + 1;

		printf(" %s", r->when);
		if (next->when && same_verdict(r, next)) {
			putchar(',');
			continue;
		}
		printf(": ");
		write_verdict(r->verdict, r->code, r->hard);
		printf("%s", next->when ? ";<br>" : "");
	}
}

/* The list of system calls of docs/syscalls.md. */
static int write_markdown(void)
{
	printf("| system calls | for | verdict | but |\n|---|---|---|---|\n");
	for (const struct seccomp_row *row = seccomp_rules; row->names; row++) {
		printf("| ");
		write_names(row->names);
		printf(" | %s | ", row->what);
		write_verdict(row->verdict, 0, row->hard);
		printf(" |");
		write_rules(row->rules);
		printf(" |\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	int r = -1;

	if (argc == 2 && strcmp(argv[1], "--code") == 0)
		r = write_code();
	else if (argc == 2 && strcmp(argv[1], "--markdown") == 0)
		r = write_markdown();
	else
		fprintf(stderr, "usage: seccomp_gen --code | --markdown\n");
	return r < 0 || fflush(stdout) == EOF ? EXIT_FAILURE : EXIT_SUCCESS;
}
