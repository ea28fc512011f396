/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Made-up machines by name, as tables of tests write them. */

#include "base/mem.h"
#include "base/str.h"
#include "machines.h"
#include "test.h"

#include <stdlib.h>

static const struct {
	const char *name;
	void (*make)(struct machine *m);
} made_machines[] = {
	{"full", machine_v2_delegated},
	{"rootless-v2-undelegated", machine_v2_not_delegated},
	{"v1-root", machine_v1_root},
	{"no-cgroup", machine_no_cgroup},
	{"no-userns", machine_no_userns},
	{"no-landlock", machine_no_landlock},
	{"ubuntu", machine_ubuntu},
	{"kernel-5.10", machine_5_10},
	{"in-docker", machine_in_docker},
	{"no-seccomp", machine_no_seccomp},
	{"nothing", machine_init},
};

/* One of these names, then what is added to it: root, or the name of an engine. */
static inline void made_machine(const char *text, struct machine *ret)
{
	char *copy = mem_dup(text), *rest = copy;
	const char *name = strsep(&rest, " ");
	const char *word;
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(made_machines) && !found; i++) {
		found = str_eq(made_machines[i].name, name);
		if (found)
			made_machines[i].make(ret);
	}
	check(found);
	while ((word = strsep(&rest, " ")) != NULL) {
		found = str_eq(word, "root");
		ret->root |= found;
		for (int i = 0; i < ENGINE_COUNT; i++)
			if (str_eq(engine_rows[i].name, word)) {
				engine_found(ret, (enum engine)i, "9.9.9");
				found = true;
			}
		check(found);
	}
	free(copy);
}
