/* SPDX-License-Identifier: Apache-2.0 */
#include "model/layer.h"

#include "test.h"

#define CGROUPS (MECHANISM_CGROUP1 | MECHANISM_CGROUP2)

static const struct {
	const char *text;
	enum layer_id layer;
	unsigned enough; /* mechanisms that are */
	unsigned weak;   /* mechanisms that are not */
} good[] = {
	{"filesystem", LAYER_FILESYSTEM, MECHANISM_NAMESPACE, 0},
	{"filesystem:landlock", LAYER_FILESYSTEM, MECHANISM_NAMESPACE | MECHANISM_LANDLOCK,
		MECHANISM_NAMESPACE},
	{"filesystem:namespace", LAYER_FILESYSTEM, MECHANISM_NAMESPACE, MECHANISM_LANDLOCK},
	{"filesystem:namespace", LAYER_FILESYSTEM, MECHANISM_VM, MECHANISM_CONTAINER},
	{"network", LAYER_NETWORK, MECHANISM_GVISOR, 0},
	{"network:gvisor", LAYER_NETWORK, MECHANISM_VM, MECHANISM_NAMESPACE},
	{"network:vm", LAYER_NETWORK, MECHANISM_VM, MECHANISM_GVISOR},
	{"processes", LAYER_PROCESSES, MECHANISM_NAMESPACE, 0},
	{"syscalls:seccomp", LAYER_SYSCALLS, MECHANISM_SECCOMP, MECHANISM_VM},
	{"memory", LAYER_MEMORY, MECHANISM_WATCHDOG, 0},
	{"memory:watchdog", LAYER_MEMORY, MECHANISM_CGROUP2, MECHANISM_RLIMIT},
	{"memory:cgroup", LAYER_MEMORY, MECHANISM_CGROUP1, MECHANISM_WATCHDOG},
	{"memory:cgroup", LAYER_MEMORY, MECHANISM_CGROUP2, MECHANISM_RLIMIT},
	{"memory:cgroup2", LAYER_MEMORY, MECHANISM_CGROUP2, MECHANISM_CGROUP1},
	{"cpu:cgroup1", LAYER_CPU, MECHANISM_CGROUP1, MECHANISM_CGROUP2},
	{"pids:rlimit", LAYER_PIDS, MECHANISM_RLIMIT, MECHANISM_WATCHDOG},
	{"pids:rlimit", LAYER_PIDS, MECHANISM_CGROUP1, 0},
	{"pids:cgroup", LAYER_PIDS, MECHANISM_CGROUP1, MECHANISM_RLIMIT},
	{"disk:quota", LAYER_DISK, MECHANISM_QUOTA, MECHANISM_TMPFS},
	{"disk:tmpfs", LAYER_DISK, MECHANISM_TMPFS, MECHANISM_WATCHDOG},
	{"disk:watchdog", LAYER_DISK, MECHANISM_TMPFS, MECHANISM_RLIMIT},
	{"landlock", LAYER_LANDLOCK, MECHANISM_LANDLOCK, 0},
	{"landlock:landlock", LAYER_LANDLOCK, MECHANISM_LANDLOCK, MECHANISM_NAMESPACE},
};

static const struct {
	const char *text;
	const char *part; /* of the message */
} bad[] = {
	{"", "unknown layer ''"},
	{"filesytem", "did you mean 'filesystem'"},
	{"Memory", "did you mean 'memory'"},
	{"everything", "one of filesystem, network, processes, syscalls, memory"},
	{"memory:", "unknown mechanism ''"},
	{":cgroup", "unknown layer"},
	{"memory:cgroups", "memory: unknown mechanism 'cgroups': did you mean 'cgroup'"},
	{"memory:landlock", "one of cgroup, cgroup1, cgroup2, watchdog"},
	{"cpu:watchdog", "one of cgroup, cgroup1, cgroup2"},
	{"network:seccomp", "unknown mechanism 'seccomp'"},
	{"memory:cgroup:2", "unknown mechanism 'cgroup:2'"},
	{"memory ", "unknown layer"},
	{"net\x1b[31m", "\\x1b"},
};

static void test_good(void)
{
	struct layer_require require;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct layer_answer enough = {.enforced = true, .mechanisms = good[i].enough};
		struct layer_answer weak = {.enforced = true, .mechanisms = good[i].weak};
		struct layer_answer none = {.mechanisms = good[i].enough};
		struct err e = {0};

		test_row("%s", good[i].text);
		if (!check_int(layer_require_parse(good[i].text, &require, &e), 0))
			continue;
		check_int(layer_require_check(good[i].text, &e), 0);
		check_int(require.layer, good[i].layer);
		check(layer_require_met(&require, &enough));
		check(!layer_require_met(&require, &none));
		if (good[i].weak)
			check(!layer_require_met(&require, &weak));
	}
}

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct layer_require require = {.layer = LAYER_COUNT};
		struct err e = {0};

		test_row("%s", bad[i].text);
		check(layer_require_parse(bad[i].text, &require, &e) < 0);
		check(layer_require_check(bad[i].text, NULL) < 0);
		check_int(require.layer, LAYER_COUNT);
		check_has(e.text, bad[i].part);
	}
}

static const struct test tests[] = {
	{"requirements", test_good},
	{"what is no requirement", test_bad},
};

TEST_MAIN(tests)
