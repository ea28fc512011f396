/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/native.h"

#include "base/cleanup.h"
#include "engine/enforced.h"
#include "engine/guarding.h"
#include "engine/stage.h"
#include "engine/supervise.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_streams(struct stage *s, struct err *e)
{
	int r = stage_control(s, e);

	if (r < 0)
		return r;
	if (s->plan->output != PLAN_RELAY && s->plan->output != PLAN_CAPTURE)
		return 0;
	if (pipe2(s->output, O_CLOEXEC) < 0 || pipe2(s->error, O_CLOEXEC) < 0)
		return err_sys(e, -errno, "make pipes");
	return 0;
}

static void leave_to_init(struct stage *s, struct supervise *v)
{
	stage_left(s);
	if (s->output[1] < 0)
		return;
	close(take_fd(&s->output[1]));
	close(take_fd(&s->error[1]));
	v->relay.stream[RELAY_OUT].from = take_fd(&s->output[0]);
	v->relay.stream[RELAY_ERR].from = take_fd(&s->error[0]);
	for (int i = 0; i < RELAY_STREAMS; i++)
		fcntl(v->relay.stream[i].from, F_SETFL, O_NONBLOCK);
}

static void take_usage(struct stage *s, const struct wire_end *end, struct result *r)
{
	bool failed = end->status != 0;
	struct leaf_usage u;

	leaf_usage(&s->leaf, failed, &u);
	r->usage.user_us = end->user_us;
	r->usage.system_us = end->system_us;
	r->usage.read_bytes = end->read_bytes;
	r->usage.written_bytes = end->written_bytes;
	if (u.memory_peak > r->usage.memory_peak)
		r->usage.memory_peak = u.memory_peak;
	if (end->largest > r->usage.memory_peak)
		r->usage.memory_peak = end->largest;
	r->hits[HIT_MEMORY] += (uint32_t)u.oom_kills;
	r->hits[HIT_PIDS] += (uint32_t)u.pids_hits;
}

static void judge_end(const struct supervise *v, struct result *r)
{
	int status = v->end.status;

	r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->start_error = v->end.start_error;
	r->reason = v->reason != END_EXITED ? v->reason : r->signal ? END_SIGNALLED : END_EXITED;
	/* It failed, and some process of it was killed because memory was used up: not by chance.
	 */
	if (v->reason == END_EXITED && r->exit_code != 0 && r->hits[HIT_MEMORY] > 0)
		r->reason = END_OOM;
}

static void finish(struct supervise *v, struct result *r)
{
	struct stage *s = v->stage;

	supervise_drain(v);
	terminal_restore(&v->terminal);
	take_usage(s, &v->end, r);
	r->usage.wall_us = v->ended_at - v->started;
	enforced_fill(s, r);
	judge_end(v, r);
	r->report = v->end.report;
	if (guarding_take_report(s, &r->network))
		r->hits[HIT_BUDGET] += r->network.spent;
	guarding_take_bytes(s, &r->usage);
	for (int i = 0; i < RELAY_STREAMS; i++) {
		r->usage.output_bytes[i] = v->relay.stream[i].seen;
		r->dropped[i] = v->relay.stream[i].dropped;
		if (r->dropped[i])
			r->hits[HIT_OUTPUT]++;
	}
}

static int run(struct stage *s, int *io_layer, struct result *ret, struct err *e)
{
	auto_fd int signals = -1;
	struct supervise v = {.stage = s, .result = ret};
	int r = stage_descriptors(&io_layer, *io_layer < 0 ? 0 : 1, e);

	if (r == 0)
		r = open_streams(s, e);
	if (r == 0)
		r = stage_signals(&signals, e);
	if (r == 0)
		r = steps_run(s, STEP_SUPERVISOR, e);
	if (r < 0)
		return stage_ask(s, r, e);
	v.signals = signals;
	v.terminal.master = -1;
	relay_init(&v.relay, s->plan->output, s->plan->output_limit, ret->output);
	leave_to_init(s, &v);
	/* What killed supervisors left: now, while the sandbox is being built anyway. */
	leaf_sweep(cgroup_here(), &s->leaf);
	r = supervise_loop(&v, e);
	s->orderly = v.orderly;
	s->given_up = v.given_up;
	if (r == 0)
		finish(&v, ret);
	terminal_restore(&v.terminal);
	terminal_hang_up(&v.terminal);
	relay_close(&v.relay);
	return r;
}

int native_run(const struct native_call *call, struct result *ret, struct err *e)
{
	static struct stage s; /* large, and mostly never touched */
	int layer = call->layer, r;

	if (call->plan->row_count > STAGE_ROWS) {
		cleanup_fd(&layer);
		return err_set(
			e, E2BIG, "the plan has more than %d rows; use fewer binds", STAGE_ROWS);
	}
	stage_init(&s, call->plan, call->arguments, call->arguments_len);
	ret->output[0] = ret->output[1] = BUF(call->plan->output_limit);
	r = run(&s, &layer, ret, e);
	ret->stuck = stage_clear(&s, r == 0 && s.orderly);
	stage_free(&s);
	cleanup_fd(&layer);
	if (r < 0)
		stage_explain(r, e);
	return r;
}
