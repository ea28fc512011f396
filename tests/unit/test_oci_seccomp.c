/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "bpfsim.h"
#include "json/oci_seccomp.h"
#include "model/syscall.h"

#include <errno.h>

#define ALLOW SECCOMP_RET_ALLOW
#define TELL SECCOMP_RET_USER_NOTIF
#define FAILS(code) (SECCOMP_RET_ERRNO | (code))

static const char file[] = "tests/data/seccomp-profile.json";

static struct bpf_program program;

static int compile(
	const char *text, size_t len, enum syscall_arch arch, enum seccomp_variant v, struct err *e)
{
	struct oci_seccomp_target target = {.arch = arch, .variant = v, .major = 5, .minor = 15};
	int r = oci_seccomp_compile("p.json", text, len, &target, &program, e);

	check(r < 0 || bpfsim_valid(program.code, program.len));
	return r;
}

static char *read_file(void)
{
	FILE *f = fopen(file, "re");
	char *text = calloc(1, 65536);

	test_row("%s", file);
	check(f && fread(text, 1, 65535, f) > 1000);
	if (f)
		fclose(f);
	return text;
}

struct want {
	const char *name;
	uint64_t args[4];
	uint32_t ret;
};

static void asks(enum syscall_arch arch, const struct want *wants, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int number = syscall_number(arch, wants[i].name);
		struct seccomp_data data = {.arch = syscall_audit_arch(arch), .nr = number};

		test_row("%s: %s(%#llx, %#llx, %#llx)", syscall_arch_name(arch), wants[i].name,
			(unsigned long long)wants[i].args[0], (unsigned long long)wants[i].args[1],
			(unsigned long long)wants[i].args[2]);
		memcpy(data.args, wants[i].args, sizeof(wants[i].args));
		if (number >= 0 || arch == SYSCALL_X86_64)
			check_u64(bpfsim_run(program.code, &data), wants[i].ret);
	}
}
#define ASKS(arch, ...)                                \
	asks(arch, (const struct want[]){__VA_ARGS__}, \
		sizeof((const struct want[]){__VA_ARGS__}) / sizeof(struct want))

/* A profile as container engines ship them. */
static void a_whole_profile(void)
{
	auto_free char *text = read_file();

	for (int arch = 0; arch < SYSCALL_ARCH_COUNT; arch++) {
		struct err e = {0};
		int r = compile(text, strlen(text), (enum syscall_arch)arch, SECCOMP_PLAIN, &e);

		test_row("%s: %s", file, e.text);
		if (!check_int(r, 0))
			continue;
		ASKS((enum syscall_arch)arch, {"read", {0}, ALLOW}, {"openat", {0}, ALLOW},
			{"ptrace", {0}, ALLOW},                 /* from kernel 4.8 on */
			{"memfd_secret", {0}, FAILS(EPERM)},    /* from kernel 9.0 on */
			{"process_madvise", {0}, FAILS(EPERM)}, /* in no rule */
			{"statmount", {0}, FAILS(EPERM)},
			{"perf_event_open", {0}, FAILS(EPERM)}, /* wants a capability */
			{"kcmp", {0}, FAILS(EPERM)}, {"personality", {0}, ALLOW},
			{"personality", {8}, ALLOW}, {"personality", {0x40000}, FAILS(EPERM)},
			{"personality", {0x100000008}, FAILS(EPERM)}, /* all 64 bits, as written */
			{"clone", {0x11}, ALLOW}, {"clone", {0x10000011}, FAILS(EPERM)},
			{"socket", {1, 1, 0}, ALLOW}, {"socket", {2, 1, 0}, ALLOW},
			{"socket", {16, 3, 0}, ALLOW},
			{"socket", {16, 3, 9},
				FAILS(EPROTONOSUPPORT)}, /* ward's floor comes first */
			{"socket", {40, 1, 0}, FAILS(EAFNOSUPPORT)}, {"mount", {0}, FAILS(EPERM)},
			{"bpf", {0}, FAILS(EPERM)}, {"keyctl", {0}, FAILS(EPERM)},
			{"clone3", {0}, FAILS(ENOSYS)}, {"openat2", {0}, FAILS(ENOSYS)},
			{"io_uring_setup", {0}, FAILS(ENOSYS)},
			{"fchmodat", {0, 0, 04755}, FAILS(EPERM)},
			{"fchmodat", {0, 0, 0755}, ALLOW}, {"sched_setattr", {0}, FAILS(77)},
			{"syslog", {0}, SECCOMP_RET_LOG}, {"getcpu", {0}, SECCOMP_RET_TRAP},
			{"vhangup", {0}, FAILS(EPERM)}, /* hard, though the profile would kill */
			{"userfaultfd", {0}, SECCOMP_RET_KILL_PROCESS},
			{"fanotify_init", {0}, SECCOMP_RET_KILL_THREAD});
		ASKS((enum syscall_arch)arch,
			{"arch_prctl", {0}, arch == SYSCALL_X86_64 ? ALLOW : FAILS(EPERM)},
			{"modify_ldt", {0}, FAILS(EPERM)}, /* for a machine that is not ours */
			{"migrate_pages", {0},
				arch == SYSCALL_X86_64 ? FAILS(EPERM) : ALLOW}); /* excluded */
	}
}

static void the_broker_keeps_its_say(void)
{
	static const char text[] = "{defaultAction: 'SCMP_ACT_ALLOW', syscalls: ["
				   "{names: ['unlinkat'], action: 'SCMP_ACT_LOG'},"
				   "{names: ['renameat2'], action: 'SCMP_ACT_ERRNO', errnoRet: 5},"
				   "{names: ['openat'], action: 'SCMP_ACT_LOG', args: "
				   "[{index: 0, value: 3, op: 'SCMP_CMP_EQ'}]}]}";

	for (int v = 0; v < SECCOMP_VARIANT_COUNT; v++) {
		const bool broker = v >= SECCOMP_PROTECT;
		const uint32_t change = broker ? TELL : ALLOW;
		const uint32_t look = v == SECCOMP_HIDE ? TELL : ALLOW;
		const uint32_t deny = v == SECCOMP_PLAIN ? FAILS(EPERM) : TELL;

		check_int(
			compile(text, strlen(text), SYSCALL_AARCH64, (enum seccomp_variant)v, NULL),
			0);
		ASKS(SYSCALL_AARCH64, {"mkdirat", {0, 0, 0755}, change},
			{"mkdirat", {0, 0, 02755}, FAILS(EPERM)},
			{"unlinkat", {0}, broker ? TELL : SECCOMP_RET_LOG},
			{"renameat2", {0}, FAILS(5)}, {"openat", {9, 0, 0}, look},
			{"openat", {9, 0, 1}, change},
			{"openat", {3, 0, 0}, v == SECCOMP_HIDE ? TELL : SECCOMP_RET_LOG},
			{"openat", {3, 0, 2}, broker ? TELL : SECCOMP_RET_LOG},
			{"mount", {0}, deny}, {"setns", {0}, deny}, {"unshare", {1u << 28}, deny},
			{"ptrace", {0}, ALLOW}, {"read", {0}, ALLOW});
	}
}

/* Unknown numbers and machines are never the profile's business. */
static void allowing_all_opens_no_door(void)
{
	static const char text[] = "{defaultAction: 'SCMP_ACT_ALLOW'}";
	struct seccomp_data data = {.arch = syscall_audit_arch(SYSCALL_X86_64), .nr = 0x40000000};

	check_int(compile(text, strlen(text), SYSCALL_X86_64, SECCOMP_PLAIN, NULL), 0);
	check_u64(bpfsim_run(program.code, &data), FAILS(ENOSYS));
	data.nr = SYSCALL_NUMBERS;
	check_u64(bpfsim_run(program.code, &data), FAILS(ENOSYS));
	data.nr = 400;
	check_u64(bpfsim_run(program.code, &data), FAILS(ENOSYS));
	data.nr = 0;
	check_u64(bpfsim_run(program.code, &data), ALLOW);
	data.arch = 0x40000003;
	check_u64(bpfsim_run(program.code, &data), SECCOMP_RET_KILL_PROCESS);
}

#define RULE(rest) "{defaultAction: 'SCMP_ACT_ERRNO', syscalls: [" rest "]}"
#define ON(args) RULE("{name: 'kcmp', action: 'SCMP_ACT_ALLOW', args: [" args "]}")

/* What kcmp answers, which is ward's to refuse but not hard. */
static void conditions(void)
{
	static const struct {
		const char *text;
		uint64_t yes[4], no[4];
	} rows[] = {
		{ON("{index: 0, value: 5, op: 'SCMP_CMP_EQ'}"), {5}, {0x100000005}},
		{ON("{index: 1, value: 5, op: 'SCMP_CMP_NE'}"), {0, 0x100000005}, {0, 5}},
		{ON("{index: 2, value: 5, op: 'SCMP_CMP_LT'}"), {0, 0, 4}, {0, 0, 5}},
		{ON("{index: 2, value: 5, op: 'SCMP_CMP_LE'}"), {0, 0, 5}, {0, 0, 1ull << 32}},
		{ON("{index: 3, value: 5, op: 'SCMP_CMP_GT'}"), {0, 0, 0, 1ull << 32},
			{0, 0, 0, 5}},
		{ON("{index: 0, value: 4294967296, op: 'SCMP_CMP_GE'}"), {1ull << 32},
			{0xffffffff}},
		{ON("{index: 0, value: 18446744073709551615, op: 'SCMP_CMP_EQ'}"), {UINT64_MAX},
			{0xffffffff}},
		{ON("{index: 0, value: 0xF0, valueTwo: 0x10, op: 'SCMP_CMP_MASKED_EQ'}"),
			{0xff00000000000f1f}, {0x30}},
		{ON("{index: 0, value: 1, op: 'SCMP_CMP_EQ'}, "
		    "{index: 1, value: 2, op: 'SCMP_CMP_EQ'}"),
			{1, 2}, {1, 3}},
		{ON("{index: 0, value: 1, op: 'SCMP_CMP_EQ'}, "
		    "{index: 0, value: 2, op: 'SCMP_CMP_EQ'}"),
			{2}, {3}},
		{RULE("{name: 'kcmp', action: 'SCMP_ACT_KILL', args: "
		      "[{index: 0, value: 1, op: 'SCMP_CMP_EQ'}]}, "
		      "{name: 'kcmp', action: 'SCMP_ACT_ALLOW', args: "
		      "[{index: 0, value: 3, op: 'SCMP_CMP_LT'}]}"),
			{2}, {1}},
		{RULE("{name: 'kcmp', action: 'SCMP_ACT_KILL', args: "
		      "[{index: 0, value: 1, op: 'SCMP_CMP_EQ'}]}, "
		      "{names: ['kcmp', 'nothing'], action: 'SCMP_ACT_ALLOW', args: null}, "
		      "{names: ['kcmp'], action: 'SCMP_ACT_ERRNO'}"),
			{1}, {UINT64_MAX}}, /* for all arguments: there is no other answer */
	};
	const size_t count = sizeof(rows) / sizeof(rows[0]);

	for (size_t i = 0; i < count; i++) {
		struct seccomp_data data = {.arch = syscall_audit_arch(SYSCALL_X86_64),
			.nr = syscall_number(SYSCALL_X86_64, "kcmp")};
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(compile(rows[i].text, strlen(rows[i].text), SYSCALL_X86_64, SECCOMP_PLAIN,
				  &e),
			0);
		check_str(e.text, "");
		memcpy(data.args, rows[i].yes, sizeof(rows[i].yes));
		check_u64(bpfsim_run(program.code, &data), ALLOW);
		memcpy(data.args, rows[i].no, sizeof(rows[i].no));
		check_int(bpfsim_run(program.code, &data) == ALLOW, i + 1 == count);
	}
}

/* Conditions on the machine: does the rule count? */
static void machines(void)
{
#define WITH(rest) RULE("{name: 'kcmp', action: 'SCMP_ACT_ALLOW', " rest "}")
	static const struct {
		const char *text;
		bool counts;
	} rows[] = {
		{WITH("includes: {}"), true},
		{WITH("excludes: {}"), true},
		{WITH("includes: {caps: []}"), true},
		{WITH("includes: {caps: ['CAP_SYS_PTRACE']}"), false},
		{WITH("excludes: {caps: ['CAP_SYS_PTRACE']}"), true},
		{WITH("includes: {arches: ['amd64', 'x32']}"), true},
		{WITH("includes: {arches: ['arm64']}"), false},
		{WITH("excludes: {arches: ['arm64']}"), true},
		{WITH("excludes: {arches: ['amd64']}"), false},
		{WITH("includes: {minKernel: '4.8'}"), true},
		{WITH("includes: {minKernel: '5.15'}"), true},
		{WITH("includes: {minKernel: '5.16'}"), false},
		{WITH("includes: {minKernel: '6.0'}"), false},
		{WITH("excludes: {minKernel: '5.15'}"), false},
		{WITH("excludes: {minKernel: '5.16'}"), true},
		{WITH("includes: {arches: ['amd64'], caps: ['CAP_BPF']}"), false},
		{WITH("includes: {arches: ['amd64']}, excludes: {caps: ['CAP_BPF']}"), true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct seccomp_data data = {.arch = syscall_audit_arch(SYSCALL_X86_64),
			.nr = syscall_number(SYSCALL_X86_64, "kcmp")};

		test_row("%s", rows[i].text);
		check_int(compile(rows[i].text, strlen(rows[i].text), SYSCALL_X86_64, SECCOMP_PLAIN,
				  NULL),
			0);
		check_u64(bpfsim_run(program.code, &data), rows[i].counts ? ALLOW : FAILS(EPERM));
	}
}

static void errors_name_the_place(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", "p.json:1:1: "},
		{"{", "p.json:1:"},
		{"[]", "p.json:1:1: a list in place of an object"},
		{"{}", "p.json:1:1: defaultAction is missing"},
		{"{defaultAction: 5}", "p.json:1:17: defaultAction: a number in place of a text"},
		{"{defaultAction: 'SCMP_ACT_NO'}", "p.json:1:17: unknown action 'SCMP_ACT_NO'"},
		{"{defaultAction: 'a\\u001b[2J'}", "unknown action 'a\\x1b[2J'"},
		{"{defaultAction: 'SCMP_ACT_NOTIFY'}", "nobody in ward could answer it"},
		{"{defaultAction: 'SCMP_ACT_TRACE'}", "nobody in ward could answer it"},
		{"{defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 4096}", "a number above 4095"},
		{"{defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: -1}", "not a whole number"},
		{"{defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1.5}", "not a whole number"},
		{"{defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1e1}", "not a whole number"},
		{"{defaultAction: 'SCMP_ACT_ERRNO', defaultErrno: 'EIO'}", "write the number too"},
		{"{defaultAction: 'SCMP_ACT_KILL', defaultErrnoRet: 1}", "has no place beside"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', listenerPath: '/x'}",
			"p.json:1:35: unknown key 'listenerPath'"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', architectures: ['x86']}",
			"unknown architecture 'x86'"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', architectures: [5]}", "a number in place"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', archMap: [{}]}", "architecture is missing"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', archMap: [7]}", "in place of an object"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', archMap: [{architecture: 'y'}]}",
			"unknown architecture 'y'"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', archMap: [{architecture: 'SCMP_ARCH_X86_64', "
		 "subArchitectures: ['z']}]}",
			"unknown architecture 'z'"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', flags: ['x']}", "unknown flag 'x'"},
		{"{defaultAction: 'SCMP_ACT_ALLOW', syscalls: {}}", "an object in place of a list"},
		{RULE("5"), "a number in place of an object"},
		{RULE("{name: 'read'}"), "action is missing"},
		{RULE("{action: 'SCMP_ACT_ALLOW'}"), "either names or name"},
		{RULE("{name: 'read', names: [], action: 'SCMP_ACT_ALLOW'}"),
			"either names or name"},
		{RULE("{names: [3], action: 'SCMP_ACT_ALLOW'}"), "a number in place of a text"},
		{RULE("{names: [3], action: 'SCMP_ACT_ERRNO'}"), "a number in place of a text"},
		{RULE("{name: 'read', action: 'SCMP_ACT_ALLOW', arg: []}"), "unknown key 'arg'"},
		{RULE("{name: 'read', action: 'SCMP_ACT_ALLOW', errnoRet: 1}"), "has no place"},
		{RULE("{name: 'kcmp', action: 'SCMP_ACT_ALLOW'}, {name: 'kcmp', action: "
		      "'SCMP_ACT_KILL'}"),
			"kcmp has two actions for all arguments"},
		{ON("5"), "a number in place of an object"},
		{ON("{index: 0, value: 1}"), "index, value and op"},
		{ON("{index: 6, value: 1, op: 'SCMP_CMP_EQ'}"), "a number above 5"},
		{ON("{index: 9, value: 1, op: 'SCMP_CMP_EQ'}"), "a number above 5"},
		{ON("{index: 0, value: 18446744073709551616, op: 'SCMP_CMP_EQ'}"),
			"a number above 18446744073709551615"},
		{ON("{index: 0, value: -1, op: 'SCMP_CMP_EQ'}"), "not a whole number"},
		{ON("{index: 0, value: 1, op: 'SCMP_CMP_IN'}"), "unknown op 'SCMP_CMP_IN'"},
		{ON("{index: 0, value: 1, valueTwo: 'x', op: 'SCMP_CMP_EQ'}"),
			"in place of a number"},
		{ON("{index: 0, value: 1, op: 'SCMP_CMP_EQ', mask: 1}"), "unknown key 'mask'"},
		{WITH("includes: {arches: ['vax']}"), "unknown machine 'vax'"},
		{WITH("includes: {cap: []}"), "unknown key 'cap'"},
		{WITH("includes: {caps: [1]}"), "a number in place of a text"},
		{WITH("includes: {minKernel: 'x'}"), "not a version"},
		{WITH("includes: {minKernel: '4'}"), "not a version"},
		{WITH("excludes: {minKernel: '4.8.1'}"), "not a version"},
		{WITH("excludes: {minKernel: '99999999999.1'}"), "not a version"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(compile(rows[i].text, strlen(rows[i].text), SYSCALL_X86_64, SECCOMP_PLAIN,
				  &e),
			-EINVAL);
		check_int(e.code, EINVAL);
		check(strncmp(e.text, "p.json:1:", 9) == 0);
		check_has(e.text, rows[i].want);
		check_int(compile(rows[i].text, strlen(rows[i].text), SYSCALL_X86_64, SECCOMP_PLAIN,
				  NULL),
			-EINVAL);
	}
}

/* One rule for `names` names with `args` conditions on one argument. */
static char *large(size_t names, size_t args)
{
	struct buf b = BUF(4u << 20);

	buf_puts(&b,
		"{defaultAction: 'SCMP_ACT_ERRNO', syscalls: [{action: 'SCMP_ACT_ALLOW', args: [");
	for (size_t i = 0; i < args; i++)
		buf_printf(&b, "{index: 0, op: 'SCMP_CMP_EQ', value: %zu},", i);
	buf_puts(&b, "], names: [");
	for (size_t i = 0; i < names; i++)
		buf_puts(&b, "'read',");
	buf_puts(&b, "]}]}");
	return buf_take(&b);
}

static void sizes_are_bounded(void)
{
	static const struct {
		size_t names, args;
		int want;
	} rows[] = {
		{1, 500, 0},
		{1, 2000, -E2BIG},      /* of instructions */
		{3000, 2, -E2BIG},      /* of rules */
		{30000, 10000, -E2BIG}, /* more than any memory, if all were made */
		{200000, 2, -EFBIG},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_free char *text = large(rows[i].names, rows[i].args);
		struct err e = {0};

		test_row("%zu names, %zu conditions", rows[i].names, rows[i].args);
		check_int(compile(text, strlen(text), SYSCALL_X86_64, SECCOMP_PLAIN, &e),
			rows[i].want);
		check_int(-e.code, rows[i].want);
		check_int(e.text[0] != '\0', rows[i].want < 0);
	}
}

static const struct test tests[] = {
	{"a profile as container engines ship them", a_whole_profile},
	{"the broker keeps its say", the_broker_keeps_its_say},
	{"a profile that allows all opens no door", allowing_all_opens_no_door},
	{"conditions on arguments", conditions},
	{"conditions on the machine", machines},
	{"errors name the place", errors_name_the_place},
	{"sizes are bounded", sizes_are_bounded},
};
TEST_MAIN(tests)
