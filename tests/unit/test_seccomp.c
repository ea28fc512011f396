/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward's own filters against the rows that they were made of (read here a second time, one by one
 * and without any compiler), and against tests/data/seccomp.case, which says in so many words what
 * is to happen.
 */
#include "test.h"

#include "bpfsim.h"
#include "cases.h"
#include "model/seccomp_build.h"

#include <errno.h>

#define EACH(type, name, count) \
	type name = (type)0;    \
	name < (count);         \
	name = (type)(name + 1)

/* The first row that has the name as a word, by taking the words apart. */
static const struct seccomp_row *naive_row(const char *name, int *ret_times)
{
	const struct seccomp_row *found = NULL;

	*ret_times = 0;
	for (const struct seccomp_row *row = seccomp_rules; row->names; row++) {
		auto_free char *names = strdup(row->names);
		char *rest = names, *word;

		while ((word = strsep(&rest, " ")))
			if (strcmp(word, name) == 0) {
				found = found ? found : row;
				(*ret_times)++;
			}
	}
	return found;
}

static bool naive_holds(const struct bpf_test *t, const uint64_t *args)
{
	uint64_t arg = t->low ? args[t->arg] & 0xffffffff : args[t->arg];

	switch ((enum bpf_op)t->op) {
	case BPF_TEST_EQ:
		return (arg & t->mask) == t->value;
	case BPF_TEST_NE:
		return (arg & t->mask) != t->value;
	case BPF_TEST_END:
	case BPF_TEST_LT:
	case BPF_TEST_LE:
	case BPF_TEST_GT:
	case BPF_TEST_GE:
	case BPF_TEST_COUNT:
		break;
	}
	check(!"a comparison that no row uses");
	return false;
}

static uint32_t naive_ret(enum seccomp_verdict verdict, int code, enum seccomp_variant v)
{
	const uint32_t told = SECCOMP_RET_USER_NOTIF, done = SECCOMP_RET_ALLOW;
	const uint32_t rets[SECCOMP_VERDICT_COUNT][SECCOMP_VARIANT_COUNT] = {
		[SECCOMP_ENOSYS] = {0x50000 | ENOSYS, 0x50000 | ENOSYS, 0x50000 | ENOSYS,
			0x50000 | ENOSYS},
		[SECCOMP_ALLOW] = {done, done, done, done},
		[SECCOMP_DENY] = {0x50000 | EPERM, told, told, told},
		[SECCOMP_BROKER] = {done, done, told, told},
		[SECCOMP_BROKER_READ] = {done, done, done, told},
	};

	return verdict == SECCOMP_FAIL ? 0x50000 | (uint32_t)code : rets[verdict][v];
}

static uint32_t naive(const struct seccomp_row *row, const uint64_t *args, enum seccomp_variant v)
{
	if (!row)
		return 0x50000 | ENOSYS;
	for (const struct seccomp_rule *r = row->rules; r && r->when; r++) {
		const struct bpf_test *t = r->tests;

		while (t->op != BPF_TEST_END && naive_holds(t, args))
			t++;
		if (t->op == BPF_TEST_END)
			return naive_ret(r->verdict, r->code, v);
	}
	return naive_ret(row->verdict, 0, v);
}

static void every_call_has_one_row(void)
{
	for (size_t i = 0; syscall_row(i); i++) {
		int times;

		test_row("%s", syscall_row(i));
		check(naive_row(syscall_row(i), &times) == seccomp_build_row(syscall_row(i)));
		check_int(times, 1);
	}
	check(seccomp_build_row("rea") == NULL);
	check(seccomp_build_row("ead") == NULL);
	check(seccomp_build_row("no_such_call") == NULL);
}

static void every_name_is_a_call(void)
{
	for (const struct seccomp_row *row = seccomp_rules; row->names; row++) {
		auto_free char *names = strdup(row->names);
		char *rest = names, *word;

		check(row->what && row->what[0]);
		while ((word = strsep(&rest, " "))) {
			test_row("%s", word);
			check(syscall_number(SYSCALL_X86_64, word) >= 0 ||
				syscall_number(SYSCALL_AARCH64, word) >= 0);
		}
	}
}

static bool to_broker(enum seccomp_verdict verdict)
{
	return verdict == SECCOMP_BROKER || verdict == SECCOMP_BROKER_READ;
}

/* What the builder and the listener rely on. */
static void rules_are_well_formed(void)
{
	for (const struct seccomp_row *row = seccomp_rules; row->names; row++) {
		bool broker = to_broker(row->verdict), soft = false;

		test_row("%s", row->names);
		check(row->verdict != SECCOMP_FAIL);
		for (const struct seccomp_rule *r = row->rules; r && r->when; r++) {
			test_row("%s: %s", row->names, r->when);
			check(!(r->hard && soft)); /* hard ones first */
			soft = soft || !r->hard;
			check(!r->hard || (r->verdict != SECCOMP_ALLOW && !to_broker(r->verdict)));
			check((r->verdict == SECCOMP_FAIL) == (r->code > 0));
			check(r->tests[0].op != BPF_TEST_END);
			check(r->tests[BPF_TESTS].op == BPF_TEST_END);
			check(!to_broker(r->verdict) ||
				r->tests[BPF_TESTS - SECCOMP_PROFILE_TESTS].op == BPF_TEST_END);
			/* Of a broker's call nothing that is to be refused reaches the listener. */
			check(!broker || r->verdict != SECCOMP_DENY);
		}
	}
}

static uint32_t run(
	const struct seccomp_program *p, uint32_t arch, uint32_t number, const uint64_t *args)
{
	struct seccomp_data data = {.arch = arch, .nr = (int)number};

	memcpy(data.args, args, sizeof(data.args));
	return bpfsim_run(p->code, &data);
}

/* Values that stand next to those that a row's rules name, for one argument. */
#define NEAR 400
static size_t near_values(const struct seccomp_row *row, uint8_t arg, uint64_t out[NEAR])
{
	size_t n = 0;

	out[n++] = 0;
	for (const struct seccomp_rule *r = row->rules; r && r->when; r++)
		for (const struct bpf_test *t = r->tests; t->op != BPF_TEST_END; t++) {
			const uint64_t bit = t->mask & -t->mask, high = 0xabcdull << 32;
			const uint64_t all[] = {t->value, t->value + 1, t->value - 1,
				t->value | high, ~t->value, bit, bit | high, ~bit, t->mask,
				~t->mask};

			if (t->arg != arg)
				continue;
			for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && n < NEAR; i++)
				out[n++] = all[i];
		}
	return n;
}

/* One call with every combination of such values, in the three arguments that have most. */
static void sweep(const struct seccomp_program *p, enum syscall_arch arch, uint32_t number,
	enum seccomp_variant v)
{
	static uint64_t near[6][NEAR];
	const char *name = syscall_name(arch, number);
	int times;
	const struct seccomp_row *row = name ? naive_row(name, &times) : NULL;
	uint64_t args[6] = {0};
	size_t n[6];

	for (uint8_t i = 0; i < 6; i++)
		n[i] = row ? near_values(row, i, near[i]) : 0;
	test_row("%s, variant %d, %u", syscall_arch_name(arch), v, number);
	check_int(run(p, syscall_audit_arch(arch), number, args), naive(row, args, v));
	for (size_t i = 0; i < n[0] * n[1] * n[2] * n[3]; i++) {
		args[0] = near[0][i % n[0]];
		args[1] = near[1][i / n[0] % n[1]];
		args[2] = near[2][i / n[0] / n[1] % n[2]];
		args[3] = near[3][i / n[0] / n[1] / n[2]];
		if (run(p, syscall_audit_arch(arch), number, args) != naive(row, args, v)) {
			test_row("%s, variant %d, %s(%#llx, %#llx, %#llx, %#llx)",
				syscall_arch_name(arch), v, name, (unsigned long long)args[0],
				(unsigned long long)args[1], (unsigned long long)args[2],
				(unsigned long long)args[3]);
			check(!"the filter and the rows agree");
			return;
		}
	}
}

static void filters_agree_with_rows(void)
{
	for (EACH(enum syscall_arch, arch, SYSCALL_ARCH_COUNT))
		for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT)) {
			const struct seccomp_program *p = seccomp_default_for(arch, v);

			test_row("%s, variant %d", syscall_arch_name(arch), v);
			if (!check(p && bpfsim_valid(p->code, p->len)))
				continue;
			for (uint32_t number = 0; number < 1024; number++)
				sweep(p, arch, number, v);
		}
}

static void other_machines_end_the_process(void)
{
	static const uint32_t others[] = {
		0x40000003 /* i386 */, 0xc000003e, 0xc00000b7, 0x40000028 /* arm */, 0, 0xffffffff};
	const uint64_t args[6] = {0};

	for (EACH(enum syscall_arch, arch, SYSCALL_ARCH_COUNT))
		for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT))
			for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
				for (uint32_t number = 0; number < 512; number++)
					if (others[i] != syscall_audit_arch(arch))
						check_int(run(seccomp_default_for(arch, v),
								  others[i], number, args),
							SECCOMP_RET_KILL_PROCESS);
}

static void x32_and_unknown_numbers_answer_enosys(void)
{
	const uint64_t args[6] = {0};

	for (EACH(enum syscall_arch, arch, SYSCALL_ARCH_COUNT))
		for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT))
			for (uint32_t number = 0; number < 600; number++) {
				const struct seccomp_program *p = seccomp_default_for(arch, v);
				uint32_t audit = syscall_audit_arch(arch);

				test_row("%s, %u", syscall_arch_name(arch), number);
				check_int(
					run(p, audit, number | 0x40000000, args), 0x50000 | ENOSYS);
				check_int(
					run(p, audit, number | 0x80000000, args), 0x50000 | ENOSYS);
				check_int(run(p, audit, ~number, args), 0x50000 | ENOSYS);
				check_int(run(p, audit, number + SYSCALL_NUMBERS, args),
					0x50000 | ENOSYS);
			}
}

static void asked_for_by_name(void)
{
	for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT)) {
		check(seccomp_default(v) == seccomp_default_for(SYSCALL_NATIVE, v));
		check_int(seccomp_variant_listens(v), v != SECCOMP_PLAIN);
	}
	check(seccomp_default_for(SYSCALL_ARCH_COUNT, SECCOMP_PLAIN) == NULL);
	check(seccomp_default(SECCOMP_VARIANT_COUNT) == NULL);
}

/* A verdict as the file writes it. */
static uint32_t read_ret(const char *word)
{
	static const struct {
		const char *word;
		uint32_t ret;
	} words[] = {
		{"allow", SECCOMP_RET_ALLOW},
		{"tell", SECCOMP_RET_USER_NOTIF},
		{"kill", SECCOMP_RET_KILL_PROCESS},
		{"EPERM", SECCOMP_RET_ERRNO | EPERM},
		{"ENOSYS", SECCOMP_RET_ERRNO | ENOSYS},
		{"EAFNOSUPPORT", SECCOMP_RET_ERRNO | EAFNOSUPPORT},
		{"EPROTONOSUPPORT", SECCOMP_RET_ERRNO | EPROTONOSUPPORT},
	};

	for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].ret;
	check(!"a known verdict");
	return 0;
}

static void case_on(enum syscall_arch arch, const char *name, const uint64_t *args,
	char *const wants[SECCOMP_VARIANT_COUNT])
{
	uint32_t audit = syscall_audit_arch(arch), number = 0;

	if (strncmp(name, "i386:", 5) == 0)
		audit = 0x40000003;
	else if (strncmp(name, "x32:", 4) == 0)
		number = 0x40000000;
	if (strchr(name, ':'))
		name = strchr(name, ':') + 1;
	if (name[0] >= '0' && name[0] <= '9')
		number = (uint32_t)strtoul(name, NULL, 0);
	else if (syscall_number(arch, name) >= 0)
		number |= (uint32_t)syscall_number(arch, name);
	else if (check(arch == SYSCALL_AARCH64 && syscall_number(SYSCALL_X86_64, name) >= 0))
		return;
	for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT))
		check_int(
			run(seccomp_default_for(arch, v), audit, number, args), read_ret(wants[v]));
}

static void one_case(char *line, void *ctx)
{
	char *name = cases_column(&line), *texts = cases_column(&line), *text;
	char *wants[SECCOMP_VARIANT_COUNT];
	uint64_t args[6] = {0};
	size_t n = 0;

	(void)ctx;
	for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT))
		wants[v] = cases_column(&line);
	if (!check(wants[SECCOMP_HIDE] && !line))
		return;
	while ((text = strsep(&texts, " ")) && n < 6) {
		char *end = NULL;

		args[n++] = *text == '-' ? 0 : strtoull(text, &end, 0);
		check(*text == '-' || *end == '\0');
	}
	for (EACH(enum syscall_arch, arch, SYSCALL_ARCH_COUNT))
		case_on(arch, name, args, wants);
}

static void cases(void)
{
	check(cases_read("tests/data/seccomp.case", one_case, NULL) > 200);
}

static bool refused_hard(const struct seccomp_row *row, const uint64_t *args)
{
	for (const struct seccomp_rule *r = row->rules; r && r->when; r++) {
		const struct bpf_test *t = r->tests;

		while (t->op != BPF_TEST_END && naive_holds(t, args))
			t++;
		if (r->hard && t->op == BPF_TEST_END)
			return true;
	}
	return false;
}

/* A profile that allows everything: what is still refused, and by which rows. */
static void profiles_lift_only_what_is_not_hard(void)
{
	static struct bpf_call all[SYSCALL_NUMBERS];
	static struct bpf_program program;
	const uint64_t none[6] = {0};

	for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
		all[i].ret = SECCOMP_RET_ALLOW;
	for (EACH(enum syscall_arch, arch, SYSCALL_ARCH_COUNT))
		for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT)) {
			struct seccomp_program p = {.code = program.code};

			check_int(seccomp_build(arch, v, all, &program, NULL), 0);
			check(bpfsim_valid(program.code, program.len));
			check_int(run(&p, 0x40000003, 0, none), SECCOMP_RET_KILL_PROCESS);
			for (uint32_t number = 0; number < 1024; number++) {
				const char *name = syscall_name(arch, number);
				int times;
				const struct seccomp_row *row =
					name ? naive_row(name, &times) : NULL;
				uint32_t want = naive(row, none, v);

				if (row && !row->hard && !to_broker(row->verdict) &&
					!refused_hard(row, none))
					want = SECCOMP_RET_ALLOW;
				test_row("%s, variant %d, %u", syscall_arch_name(arch), v, number);
				check_int(run(&p, syscall_audit_arch(arch), number, none), want);
			}
		}
}

/* A profile with rules of its own for openat: its refusals count, its permissions go to the broker.
 */
static void profiles_do_not_pass_the_broker(void)
{
	static struct bpf_call calls[SYSCALL_NUMBERS];
	static struct bpf_program program;
	static const struct bpf_rule rules[] = {
		{.ret = SECCOMP_RET_ERRNO | 77,
			.tests = {{.op = BPF_TEST_EQ, .arg = 0, .mask = UINT64_MAX, .value = 7}}},
		{.ret = SECCOMP_RET_ALLOW,
			.tests = {{.op = BPF_TEST_EQ, .arg = 0, .mask = UINT64_MAX, .value = 8}}},
	};
	static const struct {
		uint64_t args[6];
		uint32_t want[SECCOMP_VARIANT_COUNT];
	} rows[] = {
		{{7, 0, 0}, {0x5004d, 0x5004d, 0x5004d, 0x5004d}},
		{{7, 0, 1}, {0x5004d, 0x5004d, 0x5004d, 0x5004d}},
		{{7, 0, 0101, 04644}, {0x50001, 0x50001, 0x50001, 0x50001}}, /* hard */
		{{8, 0, 0}, {0x7fff0000, 0x7fff0000, 0x7fff0000, 0x7fc00000}},
		{{8, 0, 1}, {0x7fff0000, 0x7fff0000, 0x7fc00000, 0x7fc00000}},
		{{8, 0, 0101, 04644}, {0x50001, 0x50001, 0x50001, 0x50001}},
		{{9, 0, 0}, {0x50042, 0x50042, 0x50042,
				    0x50042}}, /* neither: the profile's last word */
		{{9, 0, 1}, {0x50042, 0x50042, 0x50042, 0x50042}},
	};
	uint32_t number = (uint32_t)syscall_number(SYSCALL_AARCH64, "openat");

	for (size_t i = 0; i < SYSCALL_NUMBERS; i++)
		calls[i].ret = SECCOMP_RET_ERRNO | 66;
	calls[number].rules = rules;
	calls[number].rule_count = 2;
	for (EACH(enum seccomp_variant, v, SECCOMP_VARIANT_COUNT)) {
		struct seccomp_program p = {.code = program.code};

		check_int(seccomp_build(SYSCALL_AARCH64, v, calls, &program, NULL), 0);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			test_row("variant %d, row %zu", v, i);
			check_u64(
				run(&p, syscall_audit_arch(SYSCALL_AARCH64), number, rows[i].args),
				rows[i].want[v]);
		}
	}
}

static const struct test tests[] = {
	{"every system call is in one row", every_call_has_one_row},
	{"every name in a row is a system call", every_name_is_a_call},
	{"the rules are as the builder and the listener expect them", rules_are_well_formed},
	{"every filter does what the rows say, for every number", filters_agree_with_rows},
	{"calls of another machine end the process", other_machines_end_the_process},
	{"x32 and unknown numbers answer ENOSYS", x32_and_unknown_numbers_answer_enosys},
	{"the filters are found", asked_for_by_name},
	{"the cases in tests/data/seccomp.case", cases},
	{"a profile lifts only what is not hard", profiles_lift_only_what_is_not_hard},
	{"a profile does not pass the broker", profiles_do_not_pass_the_broker},
};
TEST_MAIN(tests)
