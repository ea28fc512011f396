/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A compiler from tables to classic BPF for seccomp: what happens to each system call by its number
 * and its arguments becomes a balanced tree over ranges of numbers. Pure; owns nothing. Called when
 * ward is built (the default filters) and when a person brings a profile of his own.
 *
 * The code only uses what the kernel's own evaluator understands, so calls that are always allowed
 * get into its bitmap and do not run the filter at all.
 */

#include "base/err.h"

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bpf_op {
	BPF_TEST_END, /* no test: behind the last one */
	BPF_TEST_EQ,
	BPF_TEST_NE,
	BPF_TEST_LT,
	BPF_TEST_LE,
	BPF_TEST_GT,
	BPF_TEST_GE,
	BPF_TEST_COUNT
};

/*
 * (argument & mask) op value, unsigned. `low`: the kernel itself takes only the lower half of the
 * register (an int, an unsigned int, a mode), so the upper half mustn't have a say: whoever looked
 * at all 64 bits could be passed by garbage in the upper ones.
 */
struct bpf_test {
	uint8_t op;
	uint8_t arg; /* 0 to 5 */
	bool low;
	uint64_t mask;
	uint64_t value;
};

#define BPF_TESTS 8
struct bpf_rule {
	struct bpf_test tests[BPF_TESTS + 1]; /* all must hold; ends with BPF_TEST_END */
	uint32_t ret;                         /* SECCOMP_RET_* */
};

/* One system call: the first rule that holds decides, else `ret`. */
struct bpf_call {
	const struct bpf_rule *rules;
	size_t rule_count;
	uint32_t ret;
};

struct bpf_filter {
	uint32_t arch;                /* AUDIT_ARCH_* */
	uint32_t foreign;             /* for calls of every other machine */
	uint32_t unknown;             /* for numbers from `count` on */
	const struct bpf_call *calls; /* by number */
	size_t count;
};

struct bpf_program {
	size_t len;
	struct sock_filter code[BPF_MAXINSNS];
};

/* -E2BIG: more instructions than the kernel takes. */
int bpf_compile(const struct bpf_filter *f, struct bpf_program *ret, struct err *e);
