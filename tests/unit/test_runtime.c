/* SPDX-License-Identifier: Apache-2.0 */
#include "model/runtime.h"

#include "machines.h"
#include "test.h"

#define ARRAY_MAX 6

static size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (n < ARRAY_MAX && list[n])
		n++;
	return n;
}

/* A user without delegation, and every container engine installed. */
static void machine_user_engines(struct machine *m)
{
	machine_v2_not_delegated(m);
	engine_found(m, ENGINE_DOCKER, "28.0.1");
	engine_found(m, ENGINE_PODMAN, "5.2.0");
	engine_found(m, ENGINE_RUNSC, "release-20251020.0");
	engine_found(m, ENGINE_LIMACTL, "1.0.0");
}

static void machine_docker_closed(struct machine *m)
{
	machine_no_userns(m);
	engine_found(m, ENGINE_DOCKER, "28.0.1");
	m->engine[ENGINE_DOCKER].reachable = false;
}

#define FOUR "filesystem", "network", "processes", "syscalls"

/* wish -> the runtime that is chosen ("-" = none), and every candidate with its verdict. */
static const struct {
	const char *name;
	void (*machine)(struct machine *m);
	const char *runtime;
	const char *fallback[ARRAY_MAX];
	const char *require[ARRAY_MAX];
	const char *looked_at; /* candidates in order */
	const char *chosen;
	const char *why; /* part of the last candidate's reason */
} choices[] = {
	{"auto takes native", machine_v2_delegated, "auto", {0}, {FOUR}, "native", "native", NULL},
	{"auto without engines and namespaces", machine_no_userns, "auto", {0}, {FOUR},
		"native gvisor podman docker", "-", "docker was not found"},
	{"auto goes on to podman", machine_engines, "auto", {0}, {FOUR}, "native gvisor podman",
		"podman", NULL},
	{"auto never takes the host", machine_no_userns, "auto", {0}, {0},
		"native gvisor podman docker", "-", "docker was not found"},
	{"auto never takes spawn", machine_no_userns, "auto", {0}, {"syscalls"},
		"native gvisor podman docker", "-", "docker was not found"},
	{"AppArmor stops native", machine_ubuntu, "native", {0}, {FOUR}, "native", "-", "AppArmor"},
	{"kernel 5.10 stops native", machine_5_10, "native", {0}, {FOUR}, "native", "-", "5.15"},
	{"inside docker", machine_in_docker, "native", {0}, {FOUR}, "native", "-",
		"seccomp filter"},
	{"no seccomp", machine_no_seccomp, "native", {0}, {FOUR}, "native", "-", "without seccomp"},
	{"no seccomp, not required", machine_no_seccomp, "native", {0}, {"network"}, "native",
		"native", NULL},
	{"memory by a watchdog is enough", machine_v2_not_delegated, "native", {0},
		{FOUR, "memory"}, "native", "native", NULL},
	{"memory:cgroup is not met by a watchdog", machine_v2_not_delegated, "native", {0},
		{FOUR, "memory:cgroup"}, "native", "-", "may not make cgroups"},
	{"memory:cgroup by version 1", machine_v1_root, "native", {0}, {FOUR, "memory:cgroup"},
		"native", "native", NULL},
	{"memory:cgroup2 is not met by version 1", machine_v1_root, "native", {0},
		{FOUR, "memory:cgroup2"}, "native", "-", "weaker"},
	{"cpu without a cgroup", machine_no_cgroup, "native", {0}, {"cpu"}, "native", "-",
		"not mounted"},
	{"auto passes by native for a limit", machine_user_engines, "auto", {0}, {FOUR, "cpu"},
		"native gvisor podman docker", "docker", NULL},
	{"a user's podman has the user's cgroups", machine_user_engines, "podman", {0}, {"cpu"},
		"podman", "-", "may not make cgroups"},
	{"landlock where there is none", machine_no_landlock, "native", {0}, {FOUR, "landlock"},
		"native", "-", "security modules"},
	{"filesystem:landlock where there is none", machine_no_landlock, "native", {0},
		{"filesystem:landlock"}, "native", "-", "security modules"},
	{"containers have no landlock", machine_engines, "docker", {0}, {"landlock"}, "docker", "-",
		"no Landlock"},
	{"a named runtime stands alone", machine_engines, "gvisor", {0}, {FOUR}, "gvisor", "-",
		"runsc was not found"},
	{"then the fallback list in order", machine_engines, "gvisor", {"crun", "docker", "podman"},
		{FOUR}, "gvisor crun docker", "docker", NULL},
	{"fallback may be auto", machine_engines, "runc", {"auto"}, {FOUR},
		"runc native gvisor podman", "podman", NULL},
	{"fallback named twice counts once", machine_no_userns, "native",
		{"native", "docker", "docker"}, {FOUR}, "native docker", "-", "docker"},
	{"a daemon out of reach", machine_docker_closed, "docker", {0}, {FOUR}, "docker", "-",
		"socket"},
	{"host enforces nothing", machine_v2_delegated, "host", {0}, {FOUR}, "host", "-",
		"enforces nothing"},
	{"host where nothing is required", machine_v2_delegated, "host", {0}, {0}, "host", "host",
		NULL},
	{"host as a written fallback", machine_no_userns, "native", {"host"}, {0}, "native host",
		"host", NULL},
	{"host as a fallback meets no requirement", machine_no_userns, "native", {"host"}, {FOUR},
		"native host", "-", "enforces nothing"},
	{"spawn has no network", machine_v2_delegated, "spawn", {0}, {FOUR}, "spawn", "-",
		"only Landlock and seccomp"},
	{"spawn for what it has", machine_v2_delegated, "spawn", {0},
		{"filesystem", "syscalls", "pids", "memory"}, "spawn", "spawn", NULL},
	{"spawn without landlock", machine_no_landlock, "spawn", {0}, {"filesystem"}, "spawn", "-",
		"security modules"},
	{"spawn does not count root's processes", machine_v1_root, "spawn", {0}, {"pids"}, "spawn",
		"-", "does not bind root"},
	{"a container of somebody else", machine_engines, "docker:dev", {0}, {FOUR}, "docker:dev",
		"-", "somebody else"},
	{"a container of somebody else, as it is", machine_engines, "docker:dev", {0},
		{"filesystem", "processes"}, "docker:dev", "docker:dev", NULL},
	{"two containers are two candidates", machine_engines, "docker:a", {"docker:b", "docker"},
		{FOUR}, "docker:a docker:b docker", "docker", NULL},
	{"a virtual machine", machine_user_engines, "lima", {0}, {FOUR, "memory"}, "lima", "lima",
		NULL},
	{"gvisor's walls", machine_user_engines, "gvisor", {0},
		{"filesystem:gvisor", "network:namespace", "syscalls"}, "gvisor", "gvisor", NULL},
	{"a vm is more than gvisor", machine_user_engines, "gvisor", {"lima"}, {"syscalls:vm"},
		"gvisor lima", "lima", NULL},
};

static void ref_text(const struct runtime_ref *ref, char *out, size_t size)
{
	size_t len = strlen(out);

	snprintf(out + len, size - len, "%s%s%s%s", len ? " " : "", runtime_names[ref->runtime],
		ref->container ? ":" : "", ref->container ? ref->container : "");
}

static void check_choice(size_t i, const struct runtime_choice *c)
{
	char all[256] = "", last[64] = "-";

	for (size_t n = 0; n < c->count; n++) {
		const struct runtime_candidate *candidate = &c->candidates[n];

		ref_text(&candidate->ref, all, sizeof(all));
		check_int(candidate->accepted, (int)n == c->chosen);
		check(candidate->accepted || candidate->why);
	}
	if (c->chosen >= 0) {
		last[0] = '\0';
		ref_text(&c->candidates[c->chosen].ref, last, sizeof(last));
	}
	check_str(all, choices[i].looked_at);
	check_str(last, choices[i].chosen);
	if (choices[i].why)
		check_has(c->candidates[c->count - 1].why, choices[i].why);
}

static void test_choices(void)
{
	struct runtime_choice choice;
	struct machine m;

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct err e = {0};
		struct runtime_wish wish = {
			.runtime = choices[i].runtime,
			.fallback = choices[i].fallback,
			.fallback_count = list_length(choices[i].fallback),
			.require = choices[i].require,
			.require_count = list_length(choices[i].require),
		};

		test_row("%s", choices[i].name);
		choices[i].machine(&m);
		if (check_int(runtime_choose(&wish, &m, &choice, &e), 0))
			check_choice(i, &choice);
	}
}

static void test_names(void)
{
	static const struct {
		const char *text;
		const char *part; /* of the message; NULL: good */
	} words[] = {
		{"auto", NULL},
		{"native", NULL},
		{"kubernetes", NULL},
		{"docker:dev_1.x-y", NULL},
		{"Docker", "did you mean 'docker'"},
		{"dokcer", "did you mean 'docker'"},
		{"", "unknown runtime"},
		{"docker:", "no name of a container"},
		{"docker:a b", "no name of a container"},
		{"docker:-x", "no name of a container"},
		{"docker:_x", "no name of a container"},
		{"docker:a\x1b", "\\x1b"},
		{"podman:x", "unknown runtime"},
		{"something else", "docker:<container>"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct err e = {0};

		test_row("%s", words[i].text);
		check_int(runtime_check(words[i].text, &e) == 0, words[i].part == NULL);
		if (words[i].part)
			check_has(e.text, words[i].part);
	}
}

/* A wish that cannot be read is an error even where nothing would have asked for it. */
static void test_bad_wishes(void)
{
	static const char *const bad_layer[] = {"network", "memori"};
	static const char *const bad_fallback[] = {"host", "dcoker"};
	struct runtime_choice choice = {.chosen = 77};
	struct machine m;
	struct err e = {0};

	machine_no_userns(&m);
	check(runtime_choose(&(struct runtime_wish){.runtime = "nativ"}, &m, &choice, &e) < 0);
	check_has(e.text, "did you mean 'native'");
	check(runtime_choose(&(struct runtime_wish){"native", NULL, 0, bad_layer, 2}, &m, &choice,
		      &e) < 0);
	check_has(e.text, "did you mean 'memory'");
	machine_v2_delegated(&m);
	check(runtime_choose(&(struct runtime_wish){"native", bad_fallback, 2, NULL, 0}, &m,
		      &choice, &e) < 0);
	check_has(e.text, "did you mean 'docker'");
	check_int(choice.chosen, 77);
}

static void test_too_many(void)
{
	static char names[40][16];
	const char *fallback[40];
	struct runtime_choice choice;
	struct machine m;
	struct err e = {0};

	for (size_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "docker:c%zu", i);
		fallback[i] = names[i];
	}
	machine_no_userns(&m);
	check(runtime_choose(&(struct runtime_wish){"native", fallback, 40, NULL, 0}, &m, &choice,
		      &e) < 0);
	check_has(e.text, "more than 32");
}

/* Whatever the machine, a layer that is not enforced says why, and the host enforces none. */
static void test_every_runtime_answers(void)
{
	void (*const machines[])(struct machine *) = {machine_v2_delegated, machine_no_userns,
		machine_5_10, machine_in_docker, machine_engines, machine_user_engines};
	struct machine m;

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		for (enum runtime r = 0; r < RUNTIME_COUNT; r++)
			for (enum layer_id l = 0; l < LAYER_COUNT; l++) {
				struct layer_answer a;

				machines[i](&m);
				a = runtime_layer(&m, r, l);
				test_row(
					"machine %zu: %s: %s", i, runtime_names[r], layer_names[l]);
				check(a.mechanism != NULL);
				check_int(a.enforced, a.mechanisms != 0);
				check(a.enforced || a.why);
				if (r == RUNTIME_HOST)
					check(!a.enforced);
			}
}

static const struct test tests[] = {
	{"choices", test_choices},
	{"names of runtimes", test_names},
	{"wishes that cannot be read", test_bad_wishes},
	{"too many candidates", test_too_many},
	{"every runtime answers for every layer", test_every_runtime_answers},
};

TEST_MAIN(tests)
