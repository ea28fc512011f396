/* SPDX-License-Identifier: Apache-2.0 */
#include "model/bpf.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>

/*
 * Code grows forward. A jump inside one call's tests is short by construction: a rule has at most
 * BPF_TESTS tests of at most 8 instructions. A branch of the tree may be longer than the 255 that a
 * conditional jump can skip; then an unconditional one, which has 32 bits, is put behind it.
 */
_Static_assert(BPF_TESTS * 8 + 1 <= 255, "a rule is skipped by one jump");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "where the halves of an argument lie");

struct range {
	uint32_t from; /* up to the next one's */
	const struct bpf_call *call;
};

struct emitter {
	struct bpf_program *out;
	bool full;
};

static void emit(struct emitter *m, uint16_t code, uint32_t k, size_t jt, size_t jf)
{
	if (m->out->len == BPF_MAXINSNS) {
		m->full = true;
		return;
	}
	m->out->code[m->out->len++] =
		(struct sock_filter){.code = code, .jt = (uint8_t)jt, .jf = (uint8_t)jf, .k = k};
}

static void emit_ret(struct emitter *m, uint32_t ret)
{
	emit(m, BPF_RET | BPF_K, ret, 0, 0);
}

/* A conditional jump to places counted from the start of the program. */
static void emit_jump(struct emitter *m, uint16_t op, uint32_t k, size_t yes, size_t no)
{
	size_t next = m->out->len + 1;

	emit(m, BPF_JMP | op | BPF_K, k, yes - next, no - next);
}

static size_t load_size(uint32_t mask)
{
	return mask == UINT32_MAX ? 1 : 2;
}

static void emit_load(struct emitter *m, const struct bpf_test *t, bool upper)
{
	uint32_t mask = (uint32_t)(upper ? t->mask >> 32 : t->mask);
	size_t at = offsetof(struct seccomp_data, args) + 8u * t->arg + (upper ? 4 : 0);

	emit(m, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
	if (mask != UINT32_MAX)
		emit(m, BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
}

/* The comparison that is made, and whether it is its contrary that was asked for. */
static const struct {
	uint16_t jump;
	bool contrary;
} ops[BPF_TEST_COUNT] = {
	[BPF_TEST_EQ] = {BPF_JEQ, false},
	[BPF_TEST_NE] = {BPF_JEQ, true},
	[BPF_TEST_GT] = {BPF_JGT, false},
	[BPF_TEST_LE] = {BPF_JGT, true},
	[BPF_TEST_GE] = {BPF_JGE, false},
	[BPF_TEST_LT] = {BPF_JGE, true},
};

static size_t test_size(const struct bpf_test *t)
{
	size_t upper = load_size((uint32_t)(t->mask >> 32)) + (ops[t->op].jump == BPF_JEQ ? 1 : 2);

	return load_size((uint32_t)t->mask) + 1 + (t->low ? 0 : upper);
}

/* Goes on behind itself when the test holds, to `fail` when it does not. */
static void emit_test(struct emitter *m, const struct bpf_test *t, size_t fail)
{
	size_t end = m->out->len + test_size(t);
	size_t yes = ops[t->op].contrary ? fail : end, no = ops[t->op].contrary ? end : fail;

	if (!t->low) {
		uint32_t value = (uint32_t)(t->value >> 32);

		emit_load(m, t, true);
		if (ops[t->op].jump != BPF_JEQ)
			emit_jump(m, BPF_JGT, value, yes, m->out->len + 1);
		emit_jump(m, BPF_JEQ, value, m->out->len + 1, no);
	}
	emit_load(m, t, false);
	emit_jump(m, ops[t->op].jump, (uint32_t)t->value, yes, no);
}

static void emit_rule(struct emitter *m, const struct bpf_rule *rule)
{
	size_t end = m->out->len + 1;

	for (const struct bpf_test *t = rule->tests; t->op != BPF_TEST_END; t++)
		end += test_size(t);
	for (const struct bpf_test *t = rule->tests; t->op != BPF_TEST_END; t++)
		emit_test(m, t, end);
	emit_ret(m, rule->ret);
}

static void emit_call(struct emitter *m, const struct bpf_call *call)
{
	for (size_t i = 0; i < call->rule_count && !m->full; i++)
		emit_rule(m, &call->rules[i]);
	emit_ret(m, call->ret);
}

/* Moves the code from `at` on by one place; every jump in it is relative and stays right. */
static void make_room(struct emitter *m, size_t at)
{
	struct sock_filter *code = m->out->code;

	emit(m, 0, 0, 0, 0);
	if (!m->full)
		memmove(&code[at + 1], &code[at], (m->out->len - at - 1) * sizeof(code[0]));
}

/* A holds the number. */
static void emit_tree(struct emitter *m, const struct range *ranges, size_t count)
{
	size_t branch = m->out->len, half = count / 2, left;

	if (count == 1) {
		emit_call(m, ranges[0].call);
		return;
	}
	emit(m, BPF_JMP | BPF_JGE | BPF_K, ranges[half].from, 0, 0);
	emit_tree(m, ranges, half);
	left = m->out->len - branch - 1;
	if (left > 255)
		make_room(m, branch + 1);
	if (m->full)
		return;
	if (left > 255) {
		m->out->code[branch].jf = 1;
		m->out->code[branch + 1] =
			(struct sock_filter){.code = BPF_JMP | BPF_JA, .k = (uint32_t)left};
	} else {
		m->out->code[branch].jt = (uint8_t)left;
	}
	emit_tree(m, ranges + half, count - half);
}

/* Neighbours that end the same way whatever their arguments are one range. */
static bool same(const struct bpf_call *a, const struct bpf_call *b)
{
	return !a->rule_count && !b->rule_count && a->ret == b->ret;
}

int bpf_compile(const struct bpf_filter *f, struct bpf_program *ret, struct err *e)
{
	struct emitter m = {.out = ret};
	const struct bpf_call unknown = {.ret = f->unknown};
	struct range ranges[BPF_MAXINSNS];
	size_t count = 0;

	for (size_t i = 0; i <= f->count && count < BPF_MAXINSNS; i++) {
		const struct bpf_call *call = i < f->count ? &f->calls[i] : &unknown;

		if (count == 0 || !same(ranges[count - 1].call, call))
			ranges[count++] = (struct range){.from = (uint32_t)i, .call = call};
	}
	ret->len = 0;
	emit(&m, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
	emit(&m, BPF_JMP | BPF_JEQ | BPF_K, f->arch, 1, 0);
	emit_ret(&m, f->foreign);
	emit(&m, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	emit_tree(&m, ranges, count);
	if (m.full || count == BPF_MAXINSNS)
		return err_set(e, E2BIG,
			"the filter has more than the %d instructions that the kernel takes; "
			"use fewer conditions on arguments",
			BPF_MAXINSNS);
	return 0;
}
