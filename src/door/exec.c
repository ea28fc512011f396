/* SPDX-License-Identifier: Apache-2.0 */
#include "door/exec.h"

#include "base/cleanup.h"
#include "door/parcel.h"
#include "engine/relay.h"
#include "engine/stage.h"
#include "engine/terminal.h"
#include "state/place.h"
#include "state/rate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>

#define TRIES 3 /* a sandbox may be stopped between two looks at it */

struct client {
	const struct plan *plan;
	const uint8_t *config; /* its digest */
	int sandbox, signals;
	int32_t process; /* background: its id */
	bool background, keep;
	struct plan_caps caps;
	struct relay relay;
	struct terminal terminal;
	uint64_t idle_deadline;
	struct result *result;
	bool ended, signalled, changed, lost;
};

static struct post message; /* large */

static int32_t window(void)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	return (int32_t)((uint32_t)size.ws_row << 16 | size.ws_col);
}

static int request(struct client *c, const int streams[3], struct err *e)
{
	bool terminal = c->plan->output == PLAN_TERMINAL;
	struct packet_fds fds = {
		.fd = {streams[0], streams[1], streams[2]}, .count = terminal ? 0 : 3};
	auto_fd int file = -1;
	struct post_exec *x = &message.exec;
	int r;

	memset(&message, 0, offsetof(struct post, exec.text));
	message.version = POST_VERSION;
	message.kind = POST_EXEC;
	memcpy(x->config, c->config, sizeof x->config);
	x->timeout = c->plan->timeout;
	x->kill_grace = c->plan->kill_grace;
	x->keep = c->keep;
	x->caps = c->caps;
	x->ring = c->background ? c->plan->output_limit : 0;
	if (terminal) {
		x->command.flags = SLOT_TERMINAL;
		x->command.window = window();
	}
	r = parcel_put(c->plan, x, &fds, &file, e);
	if (r < 0)
		return r;
	r = post_send(c->sandbox, true, &message, &fds);
	/* It was killed, or has ended since the last command: this one did not reach it. */
	if (r == -ECONNRESET || (r == -EPIPE && c->keep))
		return 1;
	/* It may have said why it does not listen. */
	return r < 0 && r != -EPIPE ? err_sys(e, r, "speak to the sandbox") : 0;
}

static void take_end(struct client *c, const struct post_end *end, struct arena *a)
{
	struct result *r = c->result;

	r->exit_code = end->exit_code;
	r->signal = end->signal;
	r->reason = end->reason >= 0 && end->reason < END_COUNT ? (enum end_reason)end->reason
								: END_INTERNAL;
	r->start_error = end->start_error;
	memcpy(r->hits, end->hits, sizeof r->hits);
	r->usage = end->usage;
	r->report = end->report;
	result_report_close(&r->report);
	for (int i = 0; i < LAYER_COUNT; i++)
		r->enforced[i] =
			arena_text(a, end->enforced[i], strnlen(end->enforced[i], POST_WORD));
	c->lost = end->lost;
	c->ended = true;
}

static void tell(struct client *c, enum post_kind kind, int number)
{
	post_send(c->sandbox, true, post_new(kind, number), NULL);
}

/* 1: not by this sandbox, which is being stopped or has to be; the next one is asked. */
static int take_message(struct client *c, struct arena *a, struct err *e)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	int r = post_receive(c->sandbox, true, &message, &fds);

	if (r == -ECONNRESET)
		return err_set(e, ESHUTDOWN,
			"the sandbox's supervisor died: what became of the command is not known");
	if (r < 0)
		return err_sys(e, r, "listen to the sandbox");
	switch (message.kind) {
	case POST_ENDED:
		take_end(c, &message.end, a);
		return 0;
	case POST_STARTED:
		c->process = message.number;
		c->ended = true;
		return 0;
	case POST_TERMINAL:
		if (fds.count == 1 && c->terminal.master < 0) {
			fds.count = 0;
			terminal_attach(&c->terminal, fds.fd[0]);
			c->relay.stream[RELAY_OUT].from =
				fcntl(c->terminal.master, F_DUPFD_CLOEXEC, 0);
		}
		return 0;
	case POST_PAUSED:
		if (c->terminal.master < 0)
			return 0;
		terminal_suspend(&c->terminal);
		tell(c, POST_SIGNAL, SIGCONT);
		return 0;
	case POST_CHANGED:
		c->changed = true;
		return 1;
	case POST_FAILED:
		*e = message.error;
		e->text[sizeof e->text - 1] = '\0';
		return e->code == ESHUTDOWN ? 1 : -(e->code ? e->code : EIO);
	default:
		return err_set(e, EPROTO, "the sandbox answers something else");
	}
}

/* With a terminal it is enough to stop the program: the sandbox says so, and the rest follows. */
static void pass_signal(struct client *c, int number)
{
	switch (number) {
	case SIGCHLD:
		break;
	case SIGWINCH:
		terminal_resize(&c->terminal);
		break;
	case SIGTSTP:
		tell(c, POST_SIGNAL, SIGSTOP);
		if (c->terminal.master >= 0)
			break;
		terminal_stop();
		tell(c, POST_SIGNAL, SIGCONT);
		break;
	default:
		tell(c, POST_SIGNAL, number);
		c->signalled = true;
	}
}

static void pass_signals(struct client *c)
{
	struct signalfd_siginfo info;

	while (read(c->signals, &info, sizeof info) == sizeof info)
		pass_signal(c, (int)info.ssi_signo);
}

static bool has_output(const struct client *c)
{
	return c->relay.stream[RELAY_OUT].from >= 0 || c->relay.stream[RELAY_ERR].from >= 0;
}

/* Until the command has ended, and what it wrote is handed on. */
static int wait_for_end(struct client *c, struct arena *a, struct err *e)
{
	while (!c->ended || has_output(c)) {
		struct pollfd fds[] = {
			{.fd = c->ended ? -1 : c->sandbox, .events = POLLIN},
			{.fd = c->signals, .events = POLLIN},
			relay_wait(&c->relay, RELAY_OUT),
			relay_wait(&c->relay, RELAY_ERR),
			terminal_wait(&c->terminal),
		};
		int r;

		if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return err_sys(e, -errno, "wait for the command");
		for (int i = 0; i < RELAY_STREAMS; i++)
			if (fds[2 + i].revents)
				relay_pump(&c->relay, i);
		if (fds[4].revents)
			terminal_input(&c->terminal);
		if (fds[1].revents)
			pass_signals(c);
		if (!fds[0].revents)
			continue;
		r = take_message(c, a, e);
		if (r != 0)
			return r;
	}
	return 0;
}

static int open_pipes(struct client *c, int streams[3], struct err *e)
{
	for (int i = 0; i < RELAY_STREAMS; i++) {
		int pipe[2];

		if (pipe2(pipe, O_CLOEXEC) < 0)
			return err_sys(e, -errno, "make pipes");
		c->relay.stream[i].from = pipe[0];
		streams[i + 1] = pipe[1];
		fcntl(pipe[0], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

/* One attempt with the sandbox that is there; 1: with the next one. */
static int carry_out(struct client *c, struct arena *a, struct err *e)
{
	int streams[3] = {0, 1, 2}, r = 0;
	bool piped = !c->background &&
		     (c->plan->output == PLAN_RELAY || c->plan->output == PLAN_CAPTURE);

	for (int i = 0; i < RELAY_STREAMS; i++) {
		buf_free(&c->result->output[i]);
		c->result->output[i] = BUF(c->plan->output_limit);
	}
	relay_init(&c->relay, c->plan->output, c->plan->output_limit, c->result->output);
	if (piped)
		r = open_pipes(c, streams, e);
	if (r == 0)
		r = request(c, streams, e);
	for (int i = 1; i < 3 && piped; i++)
		close(streams[i]);
	if (r == 0)
		r = wait_for_end(c, a, e);
	for (int i = 0; i < RELAY_STREAMS; i++) {
		c->result->usage.output_bytes[i] = c->relay.stream[i].seen;
		c->result->dropped[i] = c->relay.stream[i].dropped;
		c->result->hits[HIT_OUTPUT] += c->result->dropped[i] > 0;
	}
	relay_close(&c->relay);
	terminal_restore(&c->terminal);
	terminal_hang_up(&c->terminal);
	return r;
}

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

int exec_plan(const struct run_request *q, bool hopeful, struct arena *a, struct exec_answer *ret,
	struct err *e)
{
	struct run_request living = *q;
	int r;

	living.living = true;
	r = run_make_plan(&living, hopeful, a, &ret->run, e);
	if (r < 0 || !ret->run.planned)
		return r;
	ret->run.caps = q->caps;
	living_name(ret->run.verdict.scope_name, &ret->run.plan, ret->name);
	plan_digest(&ret->run.plan, ret->config);
	return 0;
}

/* What was made from another configuration is not used any more, nor taken from under anybody. */
static int make_way(struct arena *a, struct exec_answer *answer, struct err *e)
{
	auto_fd int place = place_open(a, e);
	int r = place < 0 ? place : living_stop(place, answer->name, false, e);

	answer->changed = true;
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
		r = carry_out(&c, a, e);
		answer->signalled = c.signalled;
		answer->lost = c.lost;
		answer->process = c.process;
		if (r <= 0)
			return r;
		r = c.changed ? make_way(a, answer, e) : 0;
		c.changed = false;
	}
	return r < 0 ? r : err_set(e, EAGAIN, "the sandbox is stopped again and again");
}

static int try_exec(const struct run_request *q, bool hopeful, struct arena *a,
	struct exec_answer *answer, struct result *ret, bool *ret_reached, struct err *e)
{
	int r = exec_plan(q, hopeful, a, answer, e);
	bool stays;

	*ret_reached = false;
	if (r < 0 || !answer->run.planned)
		return r;
	stays = answer->run.verdict.effective->s.sandbox.keep_alive.v;
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
	int *io_connection, struct result *ret, struct err *e)
{
	struct client c = {.plan = &io_answer->run.plan,
		.config = io_answer->config,
		.result = ret,
		.keep = true,
		.caps = q->caps,
		.signals = -1,
		.terminal.master = -1};
	bool reached;
	int r = 0;

	r = count_command(a, io_answer, e);
	if (r == 0 && *io_connection < 0)
		r = find_or_start(q, a, io_answer, io_connection, e);
	if (r < 0)
		return r;
	c.sandbox = *io_connection;
	r = carry_out(&c, a, e);
	if (r == 0)
		return 0;
	close(take_fd(io_connection));
	return r < 0 ? r : in_sandbox(q, a, io_answer, ret, &reached, e);
}

int exec_whole(const struct run_request *q, struct arena *a, struct exec_answer *ret_answer,
	struct result *ret, struct err *e)
{
	bool reached;
	int r;

	r = try_exec(q, true, a, ret_answer, ret, &reached, e);

	if (r >= 0 || reached)
		return r;
	/* Nothing could be started. Now by what the machine says of itself. */
	result_free(ret);
	*ret = (struct result){0};
	*ret_answer = (struct exec_answer){0};
	return try_exec(q, false, a, ret_answer, ret, &reached, e);
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
