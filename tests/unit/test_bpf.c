/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpfsim.h"
#include "model/bpf.h"

#include <errno.h>

#define ARCH 0xc000003e
enum { KILL = 1, UNKNOWN = 2, YES = 3, NO = 4, FIRST = 100 };

static const uint64_t values[] = {0, 1, 2, 3, 6, 7, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	0x100000000, 0x100000001, 0x100000007, 0x7ffffffff, 0x7fffffff00000000, 0x8000000000000000,
	0xffffffff00000000, 0xffffffff00000007, 0xfffffffffffffffe, UINT64_MAX};
#define VALUES (sizeof(values) / sizeof(values[0]))

static bool holds(const struct bpf_test *t, uint64_t arg)
{
	uint64_t left = arg & t->mask, right = t->value;

	if (t->low) {
		left = (uint32_t)left;
		right = (uint32_t)right;
	}
	switch ((enum bpf_op)t->op) {
	case BPF_TEST_EQ:
		return left == right;
	case BPF_TEST_NE:
		return left != right;
	case BPF_TEST_LT:
		return left < right;
	case BPF_TEST_LE:
		return left <= right;
	case BPF_TEST_GT:
		return left > right;
	case BPF_TEST_GE:
		return left >= right;
	case BPF_TEST_END:
	case BPF_TEST_COUNT:
		break;
	}
	return true;
}

static bool compiled(const struct bpf_filter *f, struct bpf_program *program)
{
	struct err e = {0};

	return check_int(bpf_compile(f, program, &e), 0) &&
	       check(bpfsim_valid(program->code, program->len));
}

static void one_test(const struct bpf_test *t)
{
	static struct bpf_program program;
	struct bpf_rule rule = {.tests = {*t}, .ret = YES};
	struct bpf_call call = {.rules = &rule, .rule_count = 1, .ret = NO};
	struct bpf_filter f = {
		.arch = ARCH, .foreign = KILL, .unknown = UNKNOWN, .calls = &call, .count = 1};

	if (!compiled(&f, &program))
		return;
	for (size_t i = 0; i < VALUES; i++) {
		struct seccomp_data data = {.arch = ARCH};

		data.args[t->arg] = values[i];
		test_row("(%#llx & %#llx) op %d %#llx%s", (unsigned long long)values[i],
			(unsigned long long)t->mask, t->op, (unsigned long long)t->value,
			t->low ? ", lower half" : "");
		check_int(bpfsim_run(program.code, &data), holds(t, values[i]) ? YES : NO);
	}
}

static void every_comparison(void)
{
	static const uint64_t masks[] = {
		UINT64_MAX, 0xffffffff, 0xffffffff00000000, 7, 0, 0x8000000080000000};

	for (uint8_t op = BPF_TEST_EQ; op < BPF_TEST_COUNT; op++)
		for (size_t m = 0; m < sizeof(masks) / sizeof(masks[0]); m++)
			for (size_t v = 0; v < VALUES; v++)
				for (int low = 0; low < 2; low++)
					one_test(&(struct bpf_test){.op = op,
						.arg = (uint8_t)(v % 6),
						.low = low,
						.mask = masks[m],
						.value = values[v]});
}

static void all_tests_of_a_rule_must_hold(void)
{
	static struct bpf_program program;
	struct bpf_rule rules[2] = {{.ret = YES}, {.ret = FIRST}};
	struct bpf_call call = {.rules = rules, .rule_count = 2, .ret = NO};
	struct bpf_filter f = {.arch = ARCH, .calls = &call, .count = 1};
	struct seccomp_data data = {.arch = ARCH};

	for (uint8_t i = 0; i < BPF_TESTS; i++) /* of the largest size */
		rules[0].tests[i] = (struct bpf_test){
			.op = BPF_TEST_LE, .arg = i % 6, .mask = UINT64_MAX - 1, .value = 10};
	rules[1].tests[0] =
		(struct bpf_test){.op = BPF_TEST_EQ, .arg = 5, .mask = UINT64_MAX, .value = 50};
	if (!compiled(&f, &program))
		return;
	check_int(bpfsim_run(program.code, &data), YES);
	for (int i = 0; i < 6; i++) {
		data.args[i] = 50;
		test_row("argument %d", i);
		check_int(bpfsim_run(program.code, &data), i == 5 ? FIRST : NO);
		data.args[i] = 0;
	}
}

static void numbers_and_machines(void)
{
	static struct bpf_program program;
	struct bpf_call calls[] = {{.ret = YES}, {.ret = YES}, {.ret = NO}, {.ret = YES}};
	struct bpf_filter f = {
		.arch = ARCH, .foreign = KILL, .unknown = UNKNOWN, .calls = calls, .count = 4};
	static const struct {
		uint32_t arch;
		uint32_t number;
		uint32_t want;
	} rows[] = {
		{ARCH, 0, YES},
		{ARCH, 1, YES},
		{ARCH, 2, NO},
		{ARCH, 3, YES},
		{ARCH, 4, UNKNOWN},
		{ARCH, 0x40000000, UNKNOWN},
		{ARCH, 0xffffffff, UNKNOWN},
		{ARCH + 1, 0, KILL},
		{0x40000003, 1, KILL},
	};

	if (!compiled(&f, &program))
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct seccomp_data data = {.arch = rows[i].arch, .nr = (int)rows[i].number};

		test_row("%#x of %#x", rows[i].number, rows[i].arch);
		check_int(bpfsim_run(program.code, &data), rows[i].want);
	}
	check_int(program.len, 4 + 4 + 3); /* neighbours are merged: four ranges, three branches */
}

/* Branches of more than 255 instructions. */
static void far_jumps(void)
{
	enum { COUNT = 900 };
	static struct bpf_program program;
	static struct bpf_call calls[COUNT];
	struct bpf_rule rule = {.ret = YES,
		.tests = {{.op = BPF_TEST_EQ, .arg = 1, .low = true, .mask = 0xff, .value = 9}}};
	struct bpf_filter f = {
		.arch = ARCH, .foreign = KILL, .unknown = UNKNOWN, .calls = calls, .count = COUNT};

	for (uint32_t i = 0; i < COUNT; i++) {
		calls[i].ret = FIRST + i;
		if (i % 5 == 0) {
			calls[i].rules = &rule;
			calls[i].rule_count = 1;
		}
	}
	if (!compiled(&f, &program))
		return;
	for (uint32_t i = 0; i < COUNT + 2; i++) {
		struct seccomp_data data = {.arch = ARCH, .nr = (int)i, .args = {0, 9}};
		struct seccomp_data other = {.arch = ARCH, .nr = (int)i, .args = {9, 8}};
		uint32_t plain = i < COUNT ? FIRST + i : UNKNOWN;

		test_row("%u", i);
		check_int(bpfsim_run(program.code, &other), plain);
		check_int(bpfsim_run(program.code, &data), i < COUNT && i % 5 == 0 ? YES : plain);
	}
}

static void too_large_is_an_error(void)
{
	enum { COUNT = 5000 };
	static struct bpf_program program;
	static struct bpf_call calls[COUNT];
	struct bpf_filter f = {.arch = ARCH, .calls = calls};

	for (uint32_t i = 0; i < COUNT; i++)
		calls[i].ret = i;
	for (f.count = 2030; f.count < 2060; f.count++) {
		struct err e = {0};
		int r = bpf_compile(&f, &program, &e);

		test_row("%zu", f.count);
		check(r == 0 || r == -E2BIG);
		if (r == 0)
			check(bpfsim_valid(program.code, program.len));
		else
			check_has(e.text, "more than the 4096 instructions");
	}
	f.count = 2000;
	check_int(bpf_compile(&f, &program, NULL), 0);
	f.count = 2100;
	check_int(bpf_compile(&f, &program, NULL), -E2BIG);
	f.count = COUNT;
	check_int(bpf_compile(&f, &program, NULL), -E2BIG);
}

static void an_empty_table(void)
{
	static struct bpf_program program;
	struct bpf_filter f = {.arch = ARCH, .foreign = KILL, .unknown = UNKNOWN};

	if (!compiled(&f, &program))
		return;
	check_int(bpfsim_run(program.code, &(struct seccomp_data){.arch = ARCH}), UNKNOWN);
	check_int(bpfsim_run(program.code, &(struct seccomp_data){.arch = 1}), KILL);
}

static const struct test tests[] = {
	{"every comparison, on both halves and with masks", every_comparison},
	{"all tests of a rule must hold, rules in order", all_tests_of_a_rule_must_hold},
	{"numbers, unknown ones and other machines", numbers_and_machines},
	{"branches that are far away", far_jumps},
	{"a program that the kernel would not take is an error", too_large_is_an_error},
	{"a table without calls", an_empty_table},
};
TEST_MAIN(tests)
