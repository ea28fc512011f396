/* SPDX-License-Identifier: Apache-2.0 */
#include "door/ask.h"

#include "runtime/engines.h"
#include "runtime/probe.h"

#include <stdlib.h>

static int decide_once(const struct ask *ask, const struct machine *m, struct arena *a,
	struct verdict *ret, struct err *e)
{
	if (ask->sandbox_only)
		return decide_sandbox(ask->config, m, ask->request, a, ret, e);
	return decide(ask->config, m, ask->request, a, ret, e);
}

/* Was any runtime looked at but the native one, which was taken? */
static bool needs_engines(const struct runtime_choice *choice)
{
	if (choice->count == 0)
		return false;
	return choice->chosen != 0 || choice->candidates[0].ref.runtime != RUNTIME_NATIVE;
}

int ask_decide(const struct ask *ask, struct arena *a, struct machine *ret_machine,
	struct verdict *ret, struct err *e)
{
	int r;

	if (ask->given) {
		*ret_machine = *ask->given;
		return decide_once(ask, ret_machine, a, ret, e);
	}
	if (ask->hopeful) {
		probe_hopeful(ret_machine);
		r = decide_once(ask, ret_machine, a, ret, e);
		if (r < 0 || !needs_engines(&ret->choice))
			return r;
	}
	probe_kernel(ret_machine);
	r = decide_once(ask, ret_machine, a, ret, e);
	if (r < 0 || !needs_engines(&ret->choice))
		return r;
	engines_find(ret_machine, getenv("PATH"));
	return decide_once(ask, ret_machine, a, ret, e);
}
