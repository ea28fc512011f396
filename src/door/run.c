/* SPDX-License-Identifier: Apache-2.0 */
#include "door/run.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "door/ask.h"
#include "door/consent.h"
#include "door/cow.h"
#include "door/host.h"
#include "door/living.h"
#include "door/load.h"
#include "door/profile.h"
#include "engine/native.h"
#include "sys/idrange.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static const char *find_cwd(struct arena *a)
{
	char cwd[PATH_MAX];

	return getcwd(cwd, sizeof cwd) ? arena_text(a, cwd, strlen(cwd)) : NULL;
}

static int look_at_caller(const struct run_request *q, const char *cwd, struct arena *a,
	struct plan_caller *ret, struct err *e)
{
	if (!cwd)
		return err_set(e, ENOENT,
			"the current folder was removed, or cannot be reached; go to another one");
	if (cwd[0] != '/')
		return err_set(e, ENOENT,
			"the current folder cannot be reached from the root; go to another one");
	*ret = (struct plan_caller){
		.cwd = cwd,
		.env = q->env,
		.state = load_state_path(a),
		.uid = geteuid(),
		.gid = getegid(),
		.pid = (uint32_t)getpid(),
		.terminal = q->terminal,
		.capture = q->capture,
		.agent = q->agent_entrance,
		.living = q->living,
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

/* Where there is none, nothing will run; record_begin() says so. */
static void take_audit(const struct config *c, struct arena *a, struct plan_audit *ret)
{
	struct auditlog_call call = {0};

	record_where(c, a, &call, NULL);
	*ret = (struct plan_audit){call.folder, call.rotate, call.keep, (int)call.sync};
}

/* Why the native runtime cannot do it, in words; it is the one that needs nothing installed. */
static const char *why_not_native(const struct verdict *v)
{
	for (size_t i = 0; i < v->reason_count; i++)
		if (v->reasons[i].code == BECAUSE_RUNTIME_REJECTED &&
			strncmp(v->reasons[i].text, "native ", 7) == 0)
			return v->reasons[i].text;
	return "no runtime can enforce the policy";
}

static bool has_reason(const struct verdict *v, enum because code)
{
	for (size_t i = 0; i < v->reason_count; i++)
		if (v->reasons[i].code == code)
			return true;
	return false;
}

/* That nothing can enforce the policy is a fault of the machine, not an answer of the policy. */
static int check_runtime_found(const struct verdict *v, struct err *e)
{
	const struct runtime_choice *c = &v->choice;

	if (has_reason(v, BECAUSE_NO_RUNTIME))
		return err_set(e, ENOTSUP, "nothing was run: %s", why_not_native(v));
	if (c->count > 0 && c->chosen != RUNTIME_NONE && v->place == PLACE_SANDBOX &&
		c->candidates[c->chosen].ref.runtime != RUNTIME_NATIVE)
		return err_set(e, ENOTSUP,
			"nothing was run: runtime '%s' is not yet supported by this version (%s)",
			runtime_names[c->candidates[c->chosen].ref.runtime], why_not_native(v));
	return 0;
}

/* There is nothing to plan but what every command has. */
static int plan_host(const struct run_request *q, const struct plan_request *plan, struct arena *a,
	struct run_answer *ret)
{
	struct host_call call = {.cwd = -1};

	host_limits(ret->verdict.effective, q->agent_entrance, q->capture, q->terminal, &call);
	ret->plan = (struct plan){.argv = plan->argv,
		.env = q->env,
		.timeout = call.timeout,
		.idle_timeout = call.idle_timeout,
		.kill_grace = call.kill_grace,
		.output = call.output,
		.output_limit = call.output_limit};
	plan_workspace(plan, a, &ret->plan);
	ret->host = ret->planned = true;
	return 0;
}

int run_make_plan(const struct run_request *q, bool hopeful, struct arena *a,
	struct run_answer *ret, struct err *e)
{
	struct request request = {.session = q->session,
		.agent = q->agent,
		.command = q->command,
		.argv = (char *const *)q->argv,
		.argc = q->command ? 0 : q->argc,
		.no_tool = q->no_tool};
	struct ask ask = {.config = q->config, .request = &request, .hopeful = hopeful};
	struct plan_caller caller;
	struct plan_request plan = {.config = q->config,
		.verdict = &ret->verdict,
		.machine = &ret->machine,
		.caller = &caller,
		.argv = q->argv};
	int r;

	ret->cwd = find_cwd(a);
	r = ask_decide(&ask, a, &ret->machine, &ret->verdict, e);
	if (r == 0)
		r = check_runtime_found(&ret->verdict, e);
	if (r == 0 && q->consent)
		consent_ask(q, a, ret);
	if (r < 0 || ret->verdict.permission != PERMISSION_ALLOW)
		return r;
	/* What was elevated runs as the words that were matched, never through a shell. */
	if (ret->verdict.rule)
		plan.argv = (const char *const *)ret->verdict.argv.v;
	r = look_at_caller(q, ret->cwd, a, &caller, e);
	if (r == 0 && ret->verdict.place != PLACE_SANDBOX)
		return plan_host(q, &plan, a, ret);
	if (r == 0)
		r = plan_make(&plan, a, &ret->plan, e);
	if (r == 0)
		r = take_profile(ret, a, e);
	if (r == 0)
		take_audit(q->config, a, &ret->plan.audit);
	if (r == 0)
		ret->planned = true;
	return r;
}

int run_plan(const struct run_request *q, struct arena *a, struct run_answer *ret, struct err *e)
{
	return run_make_plan(q, false, a, ret, e);
}

static int on_host(const struct run_request *q, const struct run_answer *answer, struct result *ret,
	struct err *e)
{
	const struct plan *p = &answer->plan;
	struct host_call call = {.argv = p->argv,
		.env = p->env,
		.cwd = -1,
		.program = -1,
		.timeout = p->timeout,
		.idle_timeout = p->idle_timeout,
		.kill_grace = p->kill_grace,
		.output = p->output,
		.output_limit = p->output_limit,
		.approval = q->consent ? q->consent->approval : NULL};

	if (q->unconfined)
		q->unconfined(&answer->verdict);
	return host_run(&call, ret, e);
}

int run_carry_out(const struct run_request *q, struct arena *a, const struct run_answer *answer,
	struct result *ret, struct err *e)
{
	struct plan plan = answer->plan;
	struct native_call call = {
		.plan = &plan, .arguments = q->arguments, .arguments_len = q->arguments_len};
	char name[LIVING_NAME];
	int r;

	if (answer->host)
		return on_host(q, answer, ret, e);
	living_name(answer->verdict.scope_name, &plan, name);
	r = cow_take(a, name, 1000, &plan, &call.layer, e);
	if (r == -EBUSY)
		return err_set(e, EBUSY,
			"the session's sandbox is using the changes to this workspace; run the "
			"command in it with 'ward exec', or stop it first: 'ward stop'");
	return r < 0 ? r : native_run(&call, ret, e);
}

void run_record_request(const struct run_request *q, const struct run_answer *answer,
	const char *sandbox, struct record_request *ret)
{
	const struct verdict *v = &answer->verdict;

	*ret = (struct record_request){.entrance = q->entrance,
		.operation = q->operation ? q->operation : "run",
		.verdict = v->session.key ? v : NULL,
		.tool = v->tool ? v->tool : "exec",
		.argv = q->argv,
		.argc = q->argc,
		.cwd = answer->cwd,
		.sandbox = sandbox,
		.approval = answer->approval[0] ? answer->approval : NULL};
}

static int try_run(const struct run_request *q, struct pass *pass, bool hopeful, struct arena *a,
	struct run_answer *answer, struct result *ret, struct err *e)
{
	struct record_request begin;
	int r = run_make_plan(q, hopeful, a, answer, e);

	if (r < 0 || !answer->planned)
		return r;
	run_record_request(q, answer, answer->verdict.scope_name, &begin);
	r = pass_begin(pass, &begin, e);
	record_rest(pass->record);
	return r < 0 ? r : run_carry_out(q, a, answer, ret, e);
}

int run_whole(const struct run_request *q, struct arena *a, struct run_answer *ret_answer,
	struct result *ret, struct err *e)
{
	auto_(consent_close) struct consent consent = CONSENT;
	struct run_request asking = *q;
	struct record_request said;
	struct pass pass;
	int r = pass_open(&pass, q->record, q->config, a, e);

	if (r < 0)
		return r;
	consent.record = pass.record;
	consent.entrance = q->entrance;
	asking.consent = &consent;
	r = try_run(&asking, &pass, true, a, ret_answer, ret, e);
	if (r < 0 && !pass.unwritable) {
		/* Nothing was run. Now by what the machine says of itself, which also says why not.
		 */
		result_free(ret);
		*ret = (struct result){0};
		*ret_answer = (struct run_answer){0};
		r = try_run(&asking, &pass, false, a, ret_answer, ret, e);
	}
	run_record_request(q, ret_answer, NULL, &said);
	return pass_close(&pass, &said, ret_answer->planned, r, ret, e);
}
