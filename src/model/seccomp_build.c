/* SPDX-License-Identifier: Apache-2.0 */
#include "model/seccomp_build.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/vec.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>

struct build {
	enum seccomp_variant variant;
	struct arena arena;
};

/* The rules of one call while they are put together. */
struct rules {
	struct bpf_rule *items;
	size_t count, cap;
};

static void build_free(struct build *b)
{
	arena_free(&b->arena);
}

/* Is the name one of the words? */
static bool has_word(const char *words, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = words; (p = strstr(p, name)); p += len)
		if ((p == words || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

const struct seccomp_row *seccomp_build_row(const char *name)
{
	for (const struct seccomp_row *row = seccomp_rules; row->names; row++)
		if (has_word(row->names, name))
			return row;
	return NULL;
}

uint32_t seccomp_build_ret(enum seccomp_verdict verdict, int code, enum seccomp_variant v)
{
	switch (verdict) {
	case SECCOMP_ALLOW:
		return SECCOMP_RET_ALLOW;
	case SECCOMP_DENY:
		return seccomp_variant_listens(v) ? SECCOMP_RET_USER_NOTIF
						  : SECCOMP_RET_ERRNO | EPERM;
	case SECCOMP_FAIL:
		return SECCOMP_RET_ERRNO | (uint32_t)code;
	case SECCOMP_BROKER:
		return v >= SECCOMP_PROTECT ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
	case SECCOMP_BROKER_READ:
		return v == SECCOMP_HIDE ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
	case SECCOMP_ENOSYS:
	case SECCOMP_VERDICT_COUNT:
		break;
	}
	return SECCOMP_RET_ERRNO | ENOSYS;
}

/* Is it the broker's business in this variant? */
static bool is_told(const struct build *b, enum seccomp_verdict verdict)
{
	return (verdict == SECCOMP_BROKER || verdict == SECCOMP_BROKER_READ) &&
	       seccomp_build_ret(verdict, 0, b->variant) == SECCOMP_RET_USER_NOTIF;
}

/* tests and more, which may be NULL. */
static void add(struct build *b, struct rules *to, const struct bpf_test *tests,
	const struct bpf_test *more, uint32_t ret)
{
	struct bpf_rule rule = {.ret = ret};
	size_t n = 0;

	for (; tests && tests->op != BPF_TEST_END && n < BPF_TESTS; tests++)
		rule.tests[n++] = *tests;
	for (; more && more->op != BPF_TEST_END && n < BPF_TESTS; more++)
		rule.tests[n++] = *more;
	vec_push(&b->arena, &to->items, &to->count, &to->cap, rule);
}

static void add_own(struct build *b, struct rules *to, const struct seccomp_rule *rule)
{
	add(b, to, rule->tests, NULL, seccomp_build_ret(rule->verdict, rule->code, b->variant));
}

/* What the profile says for these tests; where the call would be done, which a log does not change,
 * the broker's conditions come first. */
static uint32_t add_theirs(struct build *b, struct rules *to, const struct seccomp_row *row,
	const struct bpf_test *tests, uint32_t ret)
{
	if (ret != SECCOMP_RET_ALLOW && ret != SECCOMP_RET_LOG)
		return ret;
	for (const struct seccomp_rule *r = row->rules; r && r->when; r++)
		if (is_told(b, r->verdict))
			add(b, to, tests, r->tests, SECCOMP_RET_USER_NOTIF);
	return is_told(b, row->verdict) ? SECCOMP_RET_USER_NOTIF : ret;
}

static struct bpf_call call_own(struct build *b, const struct seccomp_row *row)
{
	struct rules rules = {0};

	for (const struct seccomp_rule *r = row->rules; r && r->when; r++)
		add_own(b, &rules, r);
	return (struct bpf_call){.rules = rules.items,
		.rule_count = rules.count,
		.ret = seccomp_build_ret(row->verdict, 0, b->variant)};
}

static struct bpf_call call_theirs(
	struct build *b, const struct seccomp_row *row, const struct bpf_call *profile)
{
	struct rules rules = {0};
	uint32_t ret;

	if (row->hard)
		return call_own(b, row);
	for (const struct seccomp_rule *r = row->rules; r && r->when; r++)
		if (r->hard)
			add_own(b, &rules, r);
	for (size_t i = 0; i < profile->rule_count; i++) {
		const struct bpf_rule *theirs = &profile->rules[i];

		ret = add_theirs(b, &rules, row, theirs->tests, theirs->ret);
		add(b, &rules, theirs->tests, NULL, ret);
	}
	ret = add_theirs(b, &rules, row, NULL, profile->ret);
	return (struct bpf_call){.rules = rules.items, .rule_count = rules.count, .ret = ret};
}

/* A rule that gives what comes behind it anyway is left out, so that the tree can merge calls. */
static void simplify(struct bpf_call *call)
{
	while (call->rule_count && call->rules[call->rule_count - 1].ret == call->ret)
		call->rule_count--;
}

int seccomp_build(enum syscall_arch arch, enum seccomp_variant v, const struct bpf_call *profile,
	struct bpf_program *ret, struct err *e)
{
	auto_(build_free) struct build b = {.variant = v};
	struct bpf_call calls[SYSCALL_NUMBERS];
	const struct bpf_filter filter = {.arch = syscall_audit_arch(arch),
		.foreign = SECCOMP_RET_KILL_PROCESS,
		.unknown = SECCOMP_RET_ERRNO | ENOSYS,
		.calls = calls,
		.count = SYSCALL_NUMBERS};

	for (uint32_t i = 0; i < SYSCALL_NUMBERS; i++) {
		const char *name = syscall_name(arch, i);
		const struct seccomp_row *row = name ? seccomp_build_row(name) : NULL;

		if (!row)
			calls[i] = (struct bpf_call){.ret = filter.unknown};
		else if (profile)
			calls[i] = call_theirs(&b, row, &profile[i]);
		else
			calls[i] = call_own(&b, row);
		simplify(&calls[i]);
	}
	return bpf_compile(&filter, ret, e);
}
