/* SPDX-License-Identifier: Apache-2.0 */
#include "model/machine.h"

#include "machines.h"
#include "test.h"

/* Every layer of the native sandbox on one machine; "-" = not enforced. */
static const struct row {
	const char *name;
	void (*make)(struct machine *m);
	const char *filesystem, *network, *processes, *syscalls;
	const char *memory, *cpu, *pids, *disk, *landlock;
	const char *why; /* part of the reason of the first layer that is not there or is weaker */
} rows[] = {
	{"v2 delegated", machine_v2_delegated, "mount namespace and landlock", "network namespace",
		"pid namespace", "seccomp", "cgroup2", "cgroup2", "cgroup2", "tmpfs",
		"landlock ABI 6", NULL},
	{"v1 root", machine_v1_root, "mount namespace and landlock", "network namespace",
		"pid namespace", "seccomp", "cgroup1", "cgroup1", "cgroup1", "tmpfs",
		"landlock ABI 6", NULL},
	{"v2 not delegated", machine_v2_not_delegated, "mount namespace and landlock",
		"network namespace", "pid namespace", "seccomp", "watchdog", "-", "rlimit", "tmpfs",
		"landlock ABI 6", "may not make cgroups"},
	{"no cgroup", machine_no_cgroup, "mount namespace and landlock", "network namespace",
		"pid namespace", "seccomp", "watchdog", "-", "rlimit", "tmpfs", "landlock ABI 6",
		"not mounted"},
	{"no user namespaces", machine_no_userns, "-", "-", "-", "seccomp", "cgroup2", "cgroup2",
		"cgroup2", "-", "landlock ABI 6", "user.max_user_namespaces is 0"},
	{"no landlock", machine_no_landlock, "mount namespace", "network namespace",
		"pid namespace", "seccomp", "cgroup2", "cgroup2", "cgroup2", "tmpfs", "-",
		"not among the active security modules"},
	{"ubuntu with AppArmor", machine_ubuntu, "-", "-", "-", "seccomp", "cgroup2", "cgroup2",
		"cgroup2", "-", "landlock ABI 4", "AppArmor"},
	{"kernel 5.10", machine_5_10, "-", "-", "-", "-", "-", "-", "-", "-", "-", "5.15"},
	{"inside docker", machine_in_docker, "-", "-", "-", "seccomp", "watchdog", "-", "-", "-",
		"landlock ABI 6", "seccomp filter around ward"},
	{"no seccomp", machine_no_seccomp, "mount namespace and landlock", "network namespace",
		"pid namespace", "-", "cgroup2", "cgroup2", "cgroup2", "tmpfs", "landlock ABI 6",
		"without seccomp"},
};

static const char *wanted(const struct row *row, enum layer_id layer)
{
	const char *const all[LAYER_COUNT] = {row->filesystem, row->network, row->processes,
		row->syscalls, row->memory, row->cpu, row->pids, row->disk, row->landlock};

	return all[layer];
}

static void test_layers(void)
{
	struct machine m;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *first_why = NULL;

		rows[i].make(&m);
		for (enum layer_id l = 0; l < LAYER_COUNT; l++) {
			struct layer_answer a = machine_layer(&m, l);
			const char *want = wanted(&rows[i], l);
			bool enforced = strcmp(want, "-") != 0;

			test_row("%s: %s", rows[i].name, layer_names[l]);
			check_int(a.enforced, enforced);
			check_str(a.mechanism, enforced ? want : "none");
			check_int(a.mechanisms != 0, enforced);
			check(enforced || a.why);
			if (!first_why)
				first_why = a.why;
		}
		if (rows[i].why)
			check_has(first_why, rows[i].why);
		else
			check(!first_why);
	}
}

static void test_tables_are_complete(void)
{
	for (size_t i = 0; i < FACILITY_COUNT; i++) {
		test_row("facility %zu", i);
		check(facility_rows[i].key && facility_rows[i].label &&
			facility_rows[i].consequence);
	}
	for (size_t i = 0; i < SETTING_COUNT; i++)
		check(setting_rows[i].key && setting_rows[i].name && setting_rows[i].meaning);
	for (size_t i = 0; i < REASON_COUNT; i++)
		check(reason_names[i] != NULL);
	check(!reason_names[REASON_COUNT]);
	for (size_t i = 0; i < CGROUP_LAYOUT_COUNT; i++)
		check(cgroup_layout_names[i] != NULL);
	for (size_t i = 0; i < LAYER_COUNT; i++)
		check(layer_names[i] != NULL);
}

/* Whatever a probe answers, there is something to say about it. */
static void test_every_reason_has_words(void)
{
	struct machine m;

	machine_init(&m);
	for (enum facility f = 0; f < FACILITY_COUNT; f++)
		for (enum reason r = REASON_OK; r < REASON_COUNT; r++) {
			m.facility[f] = r;
			test_row("%s: %s", facility_rows[f].key, reason_names[r]);
			if (r == REASON_OK)
				check(!machine_why(&m, f) && !machine_remedy(&m, f));
			else
				check(machine_why(&m, f) != NULL);
		}
}

static void test_unknown_is_not_enforced(void)
{
	struct machine m;

	machine_init(&m);
	machine_set_kernel(&m, "6.1.0");
	for (enum layer_id l = 0; l < LAYER_COUNT; l++) {
		test_row("%s", layer_names[l]);
		check_int(machine_layer(&m, l).enforced, l == LAYER_MEMORY);
	}
}

static void test_kernel(void)
{
	static const struct {
		const char *text;
		bool ok;
		unsigned major, minor;
	} kernels[] = {
		{"6.18.44-fc", true, 6, 18},
		{"5.15.0", true, 5, 15},
		{"5.4", true, 5, 4},
		{"6", false, 0, 0},
		{"", false, 0, 0},
		{"-5.4", false, 0, 0},
		{"x6.1", false, 0, 0},
	};
	struct machine m;

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		test_row("%s", kernels[i].text);
		machine_init(&m);
		check_int(machine_set_kernel(&m, kernels[i].text), kernels[i].ok);
		check_int(m.kernel_major, kernels[i].major);
		check_int(m.kernel_minor, kernels[i].minor);
	}
	machine_set_kernel(&m, "5.15.1");
	check(machine_kernel_at_least(&m, 5, 15));
	check(machine_kernel_at_least(&m, 4, 20));
	check(!machine_kernel_at_least(&m, 5, 16));
	check(!machine_kernel_at_least(&m, 6, 0));
}

/* A controller that is said to work but to live nowhere is not there. */
static void test_cgroup_without_version(void)
{
	struct machine m;
	struct layer_answer a;

	machine_v2_delegated(&m);
	m.cgroup_cpu = 0;
	a = machine_layer(&m, LAYER_CPU);
	check(!a.enforced);
	check_has(a.why, "not mounted");
}

static void test_landlock_abi_of_the_future(void)
{
	struct machine m;

	machine_v2_delegated(&m);
	m.landlock_abi = 99;
	check_str(machine_layer(&m, LAYER_LANDLOCK).mechanism, "landlock");
}

static const struct test tests[] = {
	{"layers of made-up machines", test_layers},
	{"tables are complete", test_tables_are_complete},
	{"every reason has words", test_every_reason_has_words},
	{"what nobody tried is not enforced", test_unknown_is_not_enforced},
	{"kernel versions", test_kernel},
	{"a controller that lives nowhere", test_cgroup_without_version},
	{"a Landlock of the future", test_landlock_abi_of_the_future},
};

TEST_MAIN(tests)
