/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/enforced.h"

#include "base/macro.h"
#include "engine/guarding.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Limits that a control group keeps, and what keeps them without one. */
static const struct kept {
	enum layer_id layer;
	enum leaf_limit limit;
	unsigned otherwise; /* enum mechanism; 0: nothing */
	const char *word;
} kept[] = {
	{LAYER_MEMORY, LEAF_MEMORY, MECHANISM_WATCHDOG, "watchdog"},
	{LAYER_CPU, LEAF_CPUS, 0, "none"},
	{LAYER_PIDS, LEAF_PIDS, MECHANISM_RLIMIT, "rlimit"},
};

static struct layer_answer answer(const struct stage *s, const struct kept *row)
{
	switch (s->leaf.held[row->limit].by) {
	case LEAF_BY_CGROUP1:
		return (struct layer_answer){true, MECHANISM_CGROUP1, "cgroup1", NULL, NULL};
	case LEAF_BY_CGROUP2:
		return (struct layer_answer){true, MECHANISM_CGROUP2, "cgroup2", NULL, NULL};
	case LEAF_BY_MACHINE: /* there is not more to be had than the limit */
		return (struct layer_answer){
			true, MECHANISM_CGROUP1 | MECHANISM_CGROUP2, "machine", NULL, NULL};
	case LEAF_UNASKED:
		return (struct layer_answer){true, ~0u, "no limit", NULL, NULL};
	case LEAF_BY_NONE:
		break;
	}
	return (struct layer_answer){row->otherwise != 0, row->otherwise, row->word, NULL, NULL};
}

int enforced_check(struct stage *s, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		struct layer_answer a = answer(s, &kept[i]);
		const struct layer_require *want = &s->plan->require[kept[i].layer];
		int why = s->leaf.held[kept[i].limit].error;

		if (!s->plan->required[kept[i].layer] || layer_require_met(want, &a))
			continue;
		return err_set(e, ENOTSUP,
			"the limit of %s cannot be enforced as required (%s): nothing was run; "
			"'ward doctor' says what is missing, and 'require' what must be",
			layer_names[kept[i].layer], strerror(why ? -why : ENOTSUP));
	}
	return 0;
}

void enforced_fill(const struct stage *s, struct result *r)
{
	static char landlock[32];
	const struct plan *p = s->plan;

	snprintf(landlock, sizeof landlock, "landlock ABI %u", p->landlock_abi);
	r->enforced[LAYER_FILESYSTEM] =
		p->landlock ? "mount namespace and landlock" : "mount namespace";
	r->enforced[LAYER_NETWORK] = !p->network.guarded ? "network namespace"
				     : guarding_is_by_port(s)
					     ? "network namespace and guard by port"
					     : "network namespace and guard";
	r->enforced[LAYER_PROCESSES] = "pid namespace";
	r->enforced[LAYER_SYSCALLS] = "seccomp";
	r->enforced[LAYER_DISK] = p->layer_size > 0 ? "tmpfs and watchdog" : "tmpfs";
	r->enforced[LAYER_LANDLOCK] = p->landlock ? landlock : "none";
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		r->enforced[kept[i].layer] = answer(s, &kept[i]).mechanism;
}
