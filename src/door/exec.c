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

static int make_plan(const struct run_request *q, bool hopeful, struct arena *a,
	struct exec_answer *ret, struct err *e)
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
	int r = make_plan(q, hopeful, a, ret, e);

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

/* Counted only where somebody has set a rate; of one sandbox per command the sandbox too. */
static int count_command(struct arena *a, const struct exec_answer *answer, struct err *e)
{
	const struct verdict *v = &answer->run.verdict;
	const struct sandbox *s = &v->effective->s.sandbox;
	bool alone = !s->keep_alive.v;
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

/* In the sandbox that is there, or the one that comes after it. */
static int in_sandbox(const struct run_request *q, struct arena *a, struct exec_answer *answer,
	struct result *ret, bool *ret_reached, struct err *e)
{
	struct client c = {.plan = &answer->run.plan,
		.config = answer->config,
		.result = ret,
		.background = q->background,
		.caps = q->caps,
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

/* On the host, or in another sandbox than the session's. */
static int elsewhere(const struct run_request *q, bool hopeful, struct arena *a,
	struct exec_answer *answer, struct result *ret, struct err *e)
{
	const char *where = answer->run.host ? "on the host" : "in a sandbox of its own";
	int r;

	if (q->background)
		return err_set(e, EINVAL,
			"this command runs %s, and a background process needs the session's "
			"sandbox",
			where);
	if (q->caps.memory || q->caps.pids || q->caps.cpu_ms)
		return err_set(e, EINVAL,
			"this command runs %s, where --memory, --pids and --cpu-time cannot be "
			"kept",
			where);
	r = hopeful ? count_command(a, answer, e) : 0;
	return r < 0 ? r : run_carry_out(q, a, &answer->run, ret, e);
}

static int try_exec(const struct run_request *q, bool hopeful, struct arena *a,
	struct exec_answer *answer, struct result *ret, bool *ret_reached, struct err *e)
{
	int r = make_plan(q, hopeful, a, answer, e);
	bool stays;

	*ret_reached = false;
	if (r < 0 || !answer->run.planned)
		return r;
	stays = is_in_session(&answer->run);
	if (!stays && (answer->run.host || answer->run.verdict.rule))
		return elsewhere(q, hopeful, a, answer, ret, e);
	if (!stays && (q->caps.memory || q->caps.pids || q->caps.cpu_ms))
		return err_set(e, EINVAL,
			"limits of a command need a sandbox that stays, and keepAlive is false: "
			"set "
			"those of the sandbox ('--set resources.memory=...')");
	if (!stays && q->background)
		return err_set(e, EINVAL,
			"a background process needs a sandbox that stays, and keepAlive is false");
	/* Once, however often it is tried. */
	if (hopeful)
		r = count_command(a, answer, e);
	if (r == -EDQUOT)
		*ret_reached = true; /* there is nothing to try again */
	if (r < 0)
		return r;
	if (stays)
		return in_sandbox(q, a, answer, ret, ret_reached, e);
	return run_carry_out(q, a, &answer->run, ret, e);
}

int exec_again(const struct run_request *q, struct arena *a, struct exec_answer *io_answer,
	struct client_line *io_line, struct result *ret, struct err *e)
{
	struct client c = {.plan = &io_answer->run.plan,
		.config = io_answer->config,
		.result = ret,
		.line = io_line,
		.caps = q->caps,
		.signals = -1,
		.terminal.master = -1};
	bool reached;
	int r = 0;

	r = count_command(a, io_answer, e);
	if (r == 0 && io_line->sandbox < 0)
		r = find_or_start(q, a, io_answer, &io_line->sandbox, e);
	if (r < 0)
		return r;
	c.sandbox = io_line->sandbox;
	r = client_carry_out(&c, a, e);
	if (r == 0)
		return 0;
	client_line_close(io_line);
	return r < 0 ? r : in_sandbox(q, a, io_answer, ret, &reached, e);
}

int exec_whole(const struct run_request *q, struct arena *a, struct exec_answer *ret_answer,
	struct result *ret, struct err *e)
{
	auto_(consent_close) struct consent consent = CONSENT;
	struct run_request asking = *q;
	bool reached;
	int r;

	asking.consent = &consent;
	r = try_exec(&asking, true, a, ret_answer, ret, &reached, e);

	if (r >= 0 || reached)
		return r;
	/* Nothing could be started. Now by what the machine says of itself. */
	result_free(ret);
	*ret = (struct result){0};
	*ret_answer = (struct exec_answer){0};
	return try_exec(&asking, false, a, ret_answer, ret, &reached, e);
}

static int try_start(const struct run_request *q, bool hopeful, struct arena *a,
	struct exec_answer *answer, struct err *e)
{
	auto_fd int sandbox = -1;
	int r = exec_plan(q, hopeful, a, answer, e);

	return r < 0 || !answer->run.planned ? r : find_or_start(q, a, answer, &sandbox, e);
}

int exec_start(
	const struct run_request *q, struct arena *a, struct exec_answer *ret_answer, struct err *e)
{
	int r = try_start(q, true, a, ret_answer, e);

	if (r >= 0)
		return r;
	*ret_answer = (struct exec_answer){0};
	return try_start(q, false, a, ret_answer, e);
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
