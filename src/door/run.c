/* SPDX-License-Identifier: Apache-2.0 */
#include "door/run.h"

#include "base/str.h"
#include "door/ask.h"
#include "door/profile.h"
#include "engine/native.h"
#include "sys/idrange.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

static int look_at_caller(
	const struct run_request *q, struct arena *a, struct plan_caller *ret, struct err *e)
{
	char cwd[PATH_MAX];

	if (!getcwd(cwd, sizeof cwd))
		return err_sys(e, -errno, "find the current folder");
	if (cwd[0] != '/')
		return err_set(e, ENOENT,
			"the current folder cannot be reached from the root; go to another one");
	*ret = (struct plan_caller){
		.cwd = arena_printf(a, "%s", cwd),
		.env = q->env,
		.uid = geteuid(),
		.gid = getegid(),
		.pid = (uint32_t)getpid(),
		.terminal = q->terminal,
		.capture = q->capture,
		.agent = q->agent_entrance,
	};
	if (ret->uid == 0)
		idrange_find(&ret->id_first, &ret->id_count);
	return 0;
}

static int take_profile(struct run_answer *answer, struct arena *a, struct err *e)
{
	const char *name = answer->verdict.effective->s.sandbox.seccomp.v;

	if (!name || str_eq(name, "default"))
		return 0;
	return profile_load(name, &answer->machine, a, &answer->plan, e);
}

int run_plan(const struct run_request *q, struct arena *a, struct run_answer *ret, struct err *e)
{
	struct request request = {.session = q->session,
		.agent = q->agent,
		.argv = (char *const *)q->argv,
		.argc = q->argc};
	struct ask ask = {.config = q->config, .request = &request};
	struct plan_caller caller;
	struct plan_request plan = {.config = q->config,
		.verdict = &ret->verdict,
		.machine = &ret->machine,
		.caller = &caller,
		.argv = q->argv};
	int r = ask_decide(&ask, a, &ret->machine, &ret->verdict, e);

	if (r < 0 || ret->verdict.permission != PERMISSION_ALLOW)
		return r;
	if (ret->verdict.place != PLACE_SANDBOX)
		return err_set(e, ENOTSUP,
			"this command would run on the host (%s), which 'ward run' does not do",
			ret->verdict.reason_count ? ret->verdict.reasons[0].text : "mode off");
	r = look_at_caller(q, a, &caller, e);
	if (r == 0)
		r = plan_make(&plan, a, &ret->plan, e);
	if (r == 0)
		r = take_profile(ret, a, e);
	if (r == 0)
		ret->planned = true;
	return r;
}

static const struct runtime_ref *chosen(const struct verdict *v)
{
	return v->choice.chosen == RUNTIME_NONE ? NULL
						: &v->choice.candidates[v->choice.chosen].ref;
}

int run_command(const struct run_request *q, const struct run_answer *answer, struct result *ret,
	struct err *e)
{
	const struct runtime_ref *runtime = chosen(&answer->verdict);
	struct native_call call = {.plan = &answer->plan,
		.arguments = q->arguments,
		.arguments_len = q->arguments_len};

	if (!runtime)
		return err_set(e, ENOTSUP, "no runtime on this machine can enforce the policy");
	if (runtime->runtime != RUNTIME_NATIVE)
		return err_set(e, ENOTSUP,
			"runtime '%s' is not yet supported; use --set runtime=native",
			runtime_names[runtime->runtime]);
	return native_run(&call, ret, e);
}
