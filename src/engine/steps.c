/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The steps that make a sandbox, in order: the order is the design. Each may use only what later
 * ones have not taken away. `ward run --dry-run` prints the same rows.
 */

#include "engine/confine.h"
#include "engine/show.h"
#include "engine/stage.h"

#include "base/macro.h"

static bool groups_first(const struct plan *p)
{
	return p->cgroup2;
}
static bool groups_later(const struct plan *p)
{
	return !p->cgroup2;
}
static bool by_root(const struct plan *p)
{
	return p->root;
}
static bool by_user(const struct plan *p)
{
	return !p->root;
}
static bool has_landlock(const struct plan *p)
{
	return p->landlock;
}
static bool for_one(const struct plan *p)
{
	return !p->living;
}
static bool has_terminal(const struct plan *p)
{
	return p->output == PLAN_TERMINAL && !p->living;
}

const struct step steps[] = {
	/* In version 2 init is born in its group; in version 1 groups are made while it works. */
	{"make control groups", STEP_SUPERVISOR, groups_first, confine_groups, show_groups},
	{"open folders of the host", STEP_SUPERVISOR, by_root, sources_open, show_sources},
	{"start in new namespaces", STEP_SUPERVISOR, NULL, confine_start, show_namespaces},
	{"map user and group", STEP_SUPERVISOR, NULL, confine_map, show_ids},
	{"make control groups", STEP_SUPERVISOR, groups_later, confine_groups, show_groups},
	{"hand over the control groups", STEP_SUPERVISOR, NULL, confine_hand_over, NULL},

	{"forget the caller", STEP_INIT, NULL, confine_session, NULL},
	{"begin a network namespace", STEP_INIT, NULL, network_begin, NULL},
	{"take on the ids", STEP_INIT, NULL, confine_ids, show_ids},
	{"end with the supervisor", STEP_INIT, NULL, confine_lifetime, NULL},
	{"name the host", STEP_INIT, NULL, confine_hostname, show_hostname},
	{"open folders of the host", STEP_INIT, by_user, sources_open, show_sources},
	{"build the root", STEP_INIT, NULL, root_build, show_root},
	{"take over the control groups", STEP_INIT, NULL, confine_take_over, NULL},
	{"enter the network namespace", STEP_INIT, NULL, network_enter, show_network},
	{"make it the root", STEP_INIT, NULL, root_enter, show_folder},
	{"make Landlock rules", STEP_INIT, has_landlock, rules_make, show_rules},
	{"open a terminal", STEP_INIT, has_terminal, confine_terminal, NULL},
	{"give up new capabilities", STEP_INIT, NULL, confine_capabilities, NULL},

	{"enter the control groups", STEP_PROGRAM, NULL, confine_attach, NULL},
	{"leave init's session", STEP_PROGRAM, NULL, confine_own_session, NULL},
	{"connect input and output", STEP_PROGRAM, for_one, confine_streams, show_streams},
	{"limit resources", STEP_PROGRAM, NULL, confine_resources, show_resources},
	{"drop capabilities", STEP_PROGRAM, NULL, confine_drop, NULL},
	{"lay Landlock rules", STEP_PROGRAM, has_landlock, confine_landlock, show_rules},
	{"reset signals", STEP_PROGRAM, NULL, confine_signals, NULL},
	{"filter system calls", STEP_PROGRAM, NULL, confine_filter, show_filter},
};
const size_t step_count = ARRAY_LEN(steps);

int steps_run(struct stage *s, enum step_place place, struct err *e)
{
	for (size_t i = 0; i < step_count; i++) {
		const struct step *step = &steps[i];
		int r;

		if (step->place != place || (step->wanted && !step->wanted(s->plan)))
			continue;
		r = step->run(s, e);
		if (r < 0)
			return err_ctx(e, r, "%s", step->name);
	}
	return 0;
}
