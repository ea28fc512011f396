/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/cleanup.h"
#include "model/syscall.h"

#include <sys/syscall.h>

static void rows_are_sorted_and_found(void)
{
	size_t count = 0;

	for (; syscall_row(count); count++) {
		const char *name = syscall_row(count);

		test_row("%s", name);
		check(count == 0 || strcmp(syscall_row(count - 1), name) < 0);
		for (int arch = 0; arch < SYSCALL_ARCH_COUNT; arch++) {
			int number = syscall_number((enum syscall_arch)arch, name);

			check(number >= -1 && number < SYSCALL_NUMBERS);
			if (number >= 0)
				check_str(syscall_name((enum syscall_arch)arch, (uint32_t)number),
					name);
		}
		check(syscall_number(SYSCALL_X86_64, name) >= 0 ||
			syscall_number(SYSCALL_AARCH64, name) >= 0);
	}
	check_int(count, 383);
}

static void unknown_ones_are_not_found(void)
{
	check_int(syscall_number(SYSCALL_X86_64, "rea"), -1);
	check_int(syscall_number(SYSCALL_X86_64, "reads"), -1);
	check_int(syscall_number(SYSCALL_X86_64, ""), -1);
	check_int(syscall_number(SYSCALL_AARCH64, "open"), -1);
	check(syscall_name(SYSCALL_X86_64, 400) == NULL);
	check(syscall_name(SYSCALL_X86_64, SYSCALL_NUMBERS) == NULL);
	check(syscall_name(SYSCALL_X86_64, UINT32_MAX) == NULL); /* not the -1 of an absent call */
	check(syscall_name(SYSCALL_AARCH64, 244) == NULL);
}

/* Calls that are newer than the headers of many machines. */
static void new_ones_are_there(void)
{
	static const struct {
		const char *name;
		int x86_64, aarch64;
	} rows[] = {
		{"cachestat", 451, 451},
		{"fchmodat2", 452, 452},
		{"mseal", 462, 462},
		{"setxattrat", 463, 463},
		{"removexattrat", 466, 466},
		{"open_tree_attr", 467, 467},
		{"file_setattr", 469, 469},
		{"uretprobe", 335, -1},
		{"uprobe", 336, -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		test_row("%s", rows[i].name);
		check_int(syscall_number(SYSCALL_X86_64, rows[i].name), rows[i].x86_64);
		check_int(syscall_number(SYSCALL_AARCH64, rows[i].name), rows[i].aarch64);
	}
}

static void the_machine_agrees(void)
{
	check(SYSCALL_NATIVE != SYSCALL_ARCH_COUNT);
	check_int(syscall_number(SYSCALL_NATIVE, "read"), SYS_read);
	check_int(syscall_number(SYSCALL_NATIVE, "openat"), SYS_openat);
	check_int(syscall_number(SYSCALL_NATIVE, "seccomp"), SYS_seccomp);
	check_int(syscall_number(SYSCALL_NATIVE, "clone"), SYS_clone);
}

/* Names of the generic header that stand for another one on a machine with 64 bits; NULL: none. */
static const char *generic_name(const char *name)
{
	static const char *const none[] = {"syscalls", "arch_specific_syscall", "sync_file_range2"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (strcmp(name, none[i]) == 0)
			return NULL;
	return strcmp(name, "fstatat") == 0 ? "newfstatat" : name;
}

/* Every #define of a call in a kernel header is in the table; returns how many there are. */
static size_t header_agrees(enum syscall_arch arch, const char *path)
{
	FILE *file = fopen(path, "re");
	auto_free char *line = NULL;
	size_t size = 0, count = 0;
	char written[64];
	int number;

	while (file && getline(&line, &size, file) > 0) {
		const char *name = written;

		if (sscanf(line, "#define __NR_%63s %d", written, &number) != 2 &&
			sscanf(line, "#define __NR3264_%63s %d", written, &number) != 2)
			continue;
		if (arch == SYSCALL_AARCH64) {
			name = generic_name(written);
			if (!name || (number >= 403 && number <= 423)) /* for 32 bits only */
				continue;
		}
		if (number >= SYSCALL_NUMBERS)
			continue;
		test_row("%s: %s", path, name);
		check_int(syscall_number(arch, name), number);
		count++;
	}
	if (file)
		fclose(file);
	return count;
}

static void headers_agree(void)
{
	static const char *const x86[] = {"/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
		"/usr/include/asm/unistd_64.h", NULL};
	size_t count = 0;

	for (size_t i = 0; SYSCALL_NATIVE == SYSCALL_X86_64 && !count && x86[i]; i++)
		count = header_agrees(SYSCALL_X86_64, x86[i]);
	test_row("headers of x86_64");
	check(SYSCALL_NATIVE != SYSCALL_X86_64 || count >= 350);
	count = header_agrees(SYSCALL_AARCH64, "/usr/include/asm-generic/unistd.h");
	test_row("generic header");
	check(count >= 290);
}

static const struct test tests[] = {
	{"rows are sorted and found both ways", rows_are_sorted_and_found},
	{"unknown names and numbers are not found", unknown_ones_are_not_found},
	{"calls up to Linux 6.18 are there", new_ones_are_there},
	{"the numbers of this machine are right", the_machine_agrees},
	{"the numbers of the installed kernel headers are right", headers_agree},
};
TEST_MAIN(tests)
