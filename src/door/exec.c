/* SPDX-License-Identifier: Apache-2.0 */
#include "door/exec.h"

#include "base/cleanup.h"
#include "door/consent.h"
#include "engine/stage.h"
#include "state/place.h"
#include "state/rate.h"

#include <errno.h>

#define TRIES 3 /* a sandbox may be stopped between two looks at it */

static int find_or_start(const struct run_request *q, struct arena *a, struct exec_answer *answer,
	int *ret, struct err *e)
{
	auto_fd int place = place_open(a, e);
	struct living_make make = {.place = place,
		.name = answer->name,
		.plan = &answer->run.plan,
		.verdict = &answer->run.verdict,
		.user_file = q->user_file,
		.arguments = q->arguments,
		.arguments_len = q->arguments_len};
	const struct sandbox *s = &answer->run.verdict.effective->s.sandbox;
	int r;

	if (place < 0)
		return place;
	make.idle_ms = s->prune.idle.v;
	make.age_ms = s->prune.age.v;
	make.startup_ms = s->startup_timeout.v;
	make.creates = s->rate.creates.v;
	make.pool = s->pool.v;
	r = living_start(&make, &answer->made, &answer->died, e);
	if (r < 0)
		return r;
	*ret = r;
	return 0;
}

int exec_decide(const struct run_request *q, bool hopeful, struct arena *a, struct exec_answer *ret,
	struct err *e)
{
	struct run_request living = *q;
	int r;

	living.living = true;
	r = run_make_plan(&living, hopeful, a, &ret->run, e);
	if (r < 0 || !ret->run.planned || ret->run.host)
		return r;
	ret->run.caps = q->caps;
	living_name(ret->run.verdict.scope_name, &ret->run.plan, ret->name);
	plan_digest(&ret->run.plan, ret->config);
	return 0;
}

int exec_plan(const struct run_request *q, bool hopeful, struct arena *a, struct exec_answer *ret,
	struct err *e)
{
	int r = exec_decide(q, hopeful, a, ret, e);

	if (r < 0 || !ret->run.host)
		return r;
	return err_set(e, ENOTSUP,
		"this session has no sandbox: its commands run on the host (%s); use --set "
		"mode=all",
		ret->run.verdict.reason_count ? ret->run.verdict.reasons[0].text : "mode off");
}

/* What was made from another configuration is not used any more, nor taken from under anybody. */
static int make_way(struct arena *a, struct exec_answer *answer, struct err *e)
{
	auto_fd int place = place_open(a, e);
	int r = place < 0 ? place : living_stop(place, answer->name, false, e);

	if (r == -EBUSY && answer->older)
		return err_set(e, ESTALE,
			"the sandbox was started by another version of ward, and commands may be "
			"running in it; wait for them, or end them: 'ward recreate --force'");
	if (r == -EBUSY)
		return err_set(e, ESTALE,
			"the sandbox was made from another configuration, and commands run in it; "
			"wait for them, or end them: 'ward recreate --force'");
	return r == -ENOENT ? 0 : r;
}

/* Counted only where somebody has set a rate, wherever it runs; of one sandbox per command the
 * sandbox too. */
int exec_count(struct arena *a, const struct exec_answer *answer, struct err *e)
{
	const struct verdict *v = &answer->run.verdict;
	const struct sandbox *s = &v->effective->s.sandbox;
	bool alone = v->place == PLACE_SANDBOX && (v->rule || !s->keep_alive.v);
	auto_fd int place = -1;
	int r;

	if (s->rate.execs.v.count == 0 && !alone)
		return 0;
	place = place_open(a, e);
	if (place < 0)
		return place;
	r = rate_take(place, v->session.agent, RATE_EXECS, &s->rate.execs.v, e);
	if (r == 0 && alone)
		r = rate_take(place, v->session.agent, RATE_CREATES, &s->rate.creates.v, e);
	return r;
}

/* From here on it stands in the log. */
static int begin(const struct run_request *q, struct pass *pass, const struct exec_answer *answer,
	struct err *e)
{
	struct record_request said;

	run_record_request(q, &answer->run, answer->name, &said);
	return pass_begin(pass, &said, e);
}

static int close_pass(const struct run_request *q, struct pass *pass,
	const struct exec_answer *answer, int r, struct result *ret, struct err *e)
{
	struct record_request said;

	run_record_request(q, &answer->run, answer->name[0] ? answer->name : NULL, &said);
	pass->handed_over = q->background && r == 0 && answer->run.planned;
	return pass_close(pass, &said, answer->run.planned, r, ret, e);
}

/* In the sandbox that is there, or the one that comes after it. */
static int in_sandbox(const struct run_request *q, const struct pass *pass, struct arena *a,
	struct exec_answer *answer, struct result *ret, bool *ret_reached, struct err *e)
{
	struct client c = {.plan = &answer->run.plan,
		.config = answer->config,
		.result = ret,
		.background = q->background,
		.caps = q->caps,
		.begin = pass->begin,
		.who = record_who(pass->record, pass->begin),
		.sandbox = -1,
		.terminal.master = -1};
	int r = 0;

	for (int i = 0; i < TRIES && r == 0; i++) {
		auto_fd int sandbox = -1, signals = -1;

		r = find_or_start(q, a, answer, &sandbox, e);
		if (r == -ENOENT) { /* stopped as soon as it was there */
			r = 0;
			continue;
		}
		if (r == 0)
			r = stage_signals(&signals, e);
		if (r < 0)
			break;
		*ret_reached = true;
		c.sandbox = sandbox;
		c.signals = signals;
		r = client_carry_out(&c, a, e);
		answer->signalled = c.signalled;
		answer->lost = c.lost;
		answer->process = c.process;
		if (r <= 0)
			return r;
		answer->changed |= c.changed;
		answer->older |= c.older;
		r = c.changed || c.older ? make_way(a, answer, e) : 0;
		c.changed = c.older = false;
	}
	return r < 0 ? r : err_set(e, EAGAIN, "the sandbox is stopped again and again");
}

/* What was elevated does not get into the sandbox that it was elevated from. */
static bool is_in_session(const struct run_answer *answer)
{
	return !answer->host && !answer->verdict.rule &&
	       answer->verdict.effective->s.sandbox.keep_alive.v;
}

/* What needs the session's sandbox, and does not get into it. */
static int check_wishes(const struct run_request *q, const struct run_answer *answer, struct err *e)
{
	const char *where = answer->host ? "runs on the host"
			    : answer->verdict.rule
				    ? "runs in a sandbox of its own"
				    : "runs in a sandbox of its own, since keepAlive is false";

	if (is_in_session(answer))
		return 0;
	if (q->background)
		return err_set(e, EINVAL,
			"this command %s, and a background process needs the session's sandbox",
			where);
	if (q->caps.memory || q->caps.pids || q->caps.cpu_ms)
		return err_set(e, EINVAL,
			"this command %s, where --memory, --pids and --cpu-time cannot be kept; "
			"set "
			"the sandbox's own limits ('--set resources.memory=...')",
			where);
	return 0;
}

int exec_carry_out(const struct run_request *q, const struct pass *pass, struct arena *a,
	struct exec_answer *answer, struct result *ret, bool *ret_reached, struct err *e)
{
	*ret_reached = false;
	if (is_in_session(&answer->run))
		return in_sandbox(q, pass, a, answer, ret, ret_reached, e);
	record_rest(pass->record);
	return run_carry_out(q, a, &answer->run, ret, e);
}

static int try_exec(const struct run_request *q, struct pass *pass, bool hopeful, struct arena *a,
	struct exec_answer *answer, struct result *ret, bool *ret_reached, struct err *e)
{
	int r = exec_decide(q, hopeful, a, answer, e);

	*ret_reached = false;
	if (r < 0 || !answer->run.planned)
		return r;
	r = check_wishes(q, &answer->run, e);
	/* Once, however often it is tried. */
	if (r == 0 && hopeful)
		r = exec_count(a, answer, e);
	if (r == -EDQUOT)
		*ret_reached = true; /* there is nothing to try again */
	if (r == 0)
		r = begin(q, pass, answer, e);
	return r < 0 ? r : exec_carry_out(q, pass, a, answer, ret, ret_reached, e);
}

static int again(const struct run_request *q, struct pass *pass, struct arena *a,
	struct exec_answer *io_answer, struct client_line *io_line, struct result *ret,
	struct err *e)
{
	struct client c = {.plan = &io_answer->run.plan,
		.config = io_answer->config,
		.result = ret,
		.line = io_line,
		.caps = q->caps,
		.signals = -1,
		.terminal.master = -1};
	bool reached;
	int r = exec_count(a, io_answer, e);

	if (r == 0)
		r = begin(q, pass, io_answer, e);
	if (r == 0 && io_line->sandbox < 0)
		r = find_or_start(q, a, io_answer, &io_line->sandbox, e);
	if (r < 0)
		return r;
	c.begin = pass->begin;
	c.who = record_who(pass->record, pass->begin);
	c.sandbox = io_line->sandbox;
	r = client_carry_out(&c, a, e);
	if (r == 0)
		return 0;
	client_line_close(io_line);
	return r < 0 ? r : in_sandbox(q, pass, a, io_answer, ret, &reached, e);
}

int exec_again(const struct run_request *q, struct arena *a, struct exec_answer *io_answer,
	struct client_line *io_line, struct result *ret, struct err *e)
{
	struct pass pass;
	int r = pass_open(&pass, q->record, q->config, a, e);

	if (r < 0)
		return r;
	r = again(q, &pass, a, io_answer, io_line, ret, e);
	return close_pass(q, &pass, io_answer, r, ret, e);
}

int exec_whole(const struct run_request *q, struct arena *a, struct exec_answer *ret_answer,
	struct result *ret, struct err *e)
{
	auto_(consent_close) struct consent consent = CONSENT;
	struct run_request asking = *q;
	struct pass pass;
	bool reached;
	int r = pass_open(&pass, q->record, q->config, a, e);

	if (r < 0)
		return r;
	consent.record = pass.record;
	consent.entrance = q->entrance;
	asking.consent = &consent;
	r = try_exec(&asking, &pass, true, a, ret_answer, ret, &reached, e);
	if (r < 0 && !reached && !pass.unwritable) {
		/* Nothing could be started. Now by what the machine says of itself. */
		result_free(ret);
		*ret = (struct result){0};
		*ret_answer = (struct exec_answer){0};
		r = try_exec(&asking, &pass, false, a, ret_answer, ret, &reached, e);
	}
	return close_pass(q, &pass, ret_answer, r, ret, e);
}

/* Of a sandbox that is only started nothing is said of a command. */
static void start_request(
	const struct run_request *q, const struct exec_answer *answer, struct record_request *ret)
{
	run_record_request(q, &answer->run, answer->name[0] ? answer->name : NULL, ret);
	ret->operation = "start";
	ret->argc = 0;
}

static int try_start(const struct run_request *q, struct pass *pass, bool hopeful, struct arena *a,
	struct exec_answer *answer, struct err *e)
{
	auto_fd int sandbox = -1;
	struct record_request said;
	int r = exec_plan(q, hopeful, a, answer, e);

	if (r < 0 || !answer->run.planned)
		return r;
	start_request(q, answer, &said);
	r = pass_begin(pass, &said, e);
	return r < 0 ? r : find_or_start(q, a, answer, &sandbox, e);
}

int exec_start(
	const struct run_request *q, struct arena *a, struct exec_answer *ret_answer, struct err *e)
{
	struct record_request said;
	struct pass pass;
	int r = pass_open(&pass, q->record, q->config, a, e);

	if (r < 0)
		return r;
	r = try_start(q, &pass, true, a, ret_answer, e);
	if (r < 0 && !pass.unwritable) {
		*ret_answer = (struct exec_answer){0};
		r = try_start(q, &pass, false, a, ret_answer, e);
	}
	start_request(q, ret_answer, &said);
	return pass_close(&pass, &said, ret_answer->run.planned, r, NULL, e);
}

int exec_background(const struct run_request *q, struct arena *a, struct exec_answer *ret_answer,
	int32_t *ret_id, struct err *e)
{
	auto_(result_free) struct result unused = {0};
	struct run_request background = *q;
	int r;

	background.background = true;
	r = exec_whole(&background, a, ret_answer, &unused, e);
	*ret_id = ret_answer->process;
	return r;
}
