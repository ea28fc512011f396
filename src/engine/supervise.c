/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/supervise.h"

#include "base/cleanup.h"
#include "engine/guarding.h"
#include "engine/watch.h"
#include "sys/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>

#define MS 1000u
#define NEVER UINT64_MAX

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* NEVER where that is too far away to be counted. */
static uint64_t later(uint64_t now, uint64_t ms)
{
	return ms < (NEVER - now) / MS ? now + ms * MS : NEVER;
}

static void tell(struct supervise *v, uint32_t kind, int number)
{
	struct wire m = {.kind = kind, .number = number};

	wire_send(v->stage->control, false, &m, NULL);
}

/* Init dies, and the kernel ends every process of its namespace, whatever they are doing. A keeper
 * has no namespace, and does it itself. */
static void kill_all(struct supervise *v)
{
	leaf_kill(&v->stage->leaf);
	if (v->stage->kept) {
		tell(v, WIRE_ALL, SIGKILL);
		/* What it keeps may have stopped it. */
		kill(v->stage->init, SIGCONT);
	} else {
		kill(v->stage->init, SIGKILL); /* not waited for yet: the number is its own */
	}
	if (!v->give_up_at)
		v->give_up_at = later(now_us(), STAGE_PATIENCE_MS);
}

/* Asks every process to end; after the grace they are killed. */
static void end_command(struct supervise *v, enum end_reason reason)
{
	if (v->reason != END_EXITED)
		return;
	v->reason = reason;
	if (reason == END_OOM || v->stage->plan->kill_grace == 0) {
		kill_all(v);
		return;
	}
	tell(v, WIRE_ALL, SIGTERM);
	/* A stopped process does not hear anything else. */
	tell(v, WIRE_ALL, SIGCONT);
	v->kill_at = later(now_us(), v->stage->plan->kill_grace);
}

/* With a terminal it is enough to stop the program: init says so, and the rest follows from that.
 */
static void pause_with_caller(struct supervise *v)
{
	if (v->terminal.master >= 0) {
		tell(v, WIRE_SIGNAL, SIGSTOP);
		return;
	}
	tell(v, WIRE_ALL, SIGSTOP);
	terminal_stop();
	tell(v, WIRE_ALL, SIGCONT);
}

/* The first request to end is passed on, the second one is meant. */
static void take_signal(struct supervise *v, int number)
{
	switch (number) {
	case SIGTSTP:
		pause_with_caller(v);
		break;
	case SIGWINCH:
		terminal_resize(&v->terminal);
		break;
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
	case SIGQUIT:
		if (v->asked++ > 0) {
			v->reason = END_STOPPED;
			kill_all(v);
			break;
		}
		tell(v, WIRE_SIGNAL, number);
		/* A stopped command does not hear it otherwise. */
		tell(v, WIRE_SIGNAL, SIGCONT);
		break;
	default:
		tell(v, WIRE_SIGNAL, number);
	}
}

static void take_signals(struct supervise *v)
{
	struct signalfd_siginfo info;

	while (read(v->signals, &info, sizeof info) == sizeof info) {
		bool has_it = v->stage->shared && info.ssi_code == SI_KERNEL;

		if (info.ssi_signo != SIGCHLD && !has_it)
			take_signal(v, (int)info.ssi_signo);
	}
}

/* The program was stopped from its terminal. */
static void pause_with_program(struct supervise *v)
{
	/* All of it: nothing keeps its limits meanwhile. */
	tell(v, WIRE_ALL, SIGSTOP);
	if (v->stage->kept)
		terminal_stop();
	else
		terminal_suspend(&v->terminal);
	tell(v, WIRE_ALL, SIGCONT);
}

static void take_network(struct supervise *v, struct packet_fds *fds)
{
	if (guarding_begin(v->stage, fds, &v->error) == 0)
		return;
	v->failed = v->error.code != 0;
	v->ended = v->failed;
	kill_all(v);
}

static void take_message(struct supervise *v)
{
	struct wire m;
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	int r = wire_receive(v->stage->control, false, &m, &fds);

	if (r == -EAGAIN)
		return;
	if (r < 0) { /* gone without a word: killed */
		v->ended = true;
		v->end.status = SIGKILL;
		return;
	}
	switch (m.kind) {
	case WIRE_FAILED:
		v->ended = v->failed = true;
		v->error = m.error;
		v->error.text[sizeof v->error.text - 1] = '\0';
		break;
	case WIRE_ENDED:
		v->ended = v->orderly = true;
		v->end = m.end;
		result_report_close(&v->end.report);
		break;
	case WIRE_NETWORK:
		take_network(v, &fds);
		break;
	case WIRE_TERMINAL:
		if (fds.count == 1 && v->terminal.master < 0) { /* once: nobody inside changes it */
			terminal_attach(&v->terminal, fds.fd[0]);
			fds.count = 0;
			v->relay.stream[RELAY_OUT].from =
				fcntl(v->terminal.master, F_DUPFD_CLOEXEC, 0);
		}
		break;
	case WIRE_PAUSED:
		pause_with_program(v);
		break;
	default:
		kill_all(v);
	}
}

/* The limit of memory where no control group keeps it. */
static void watch(struct supervise *v, uint64_t now)
{
	const struct plan *p = v->stage->plan;
	struct watch_sample sample;
	unsigned ms;

	if (watch_measure(v->stage->init, p->limits.memory, &sample) < 0)
		memset(&sample, 0, sizeof sample);
	if (sample.memory > v->result->usage.memory_peak)
		v->result->usage.memory_peak = sample.memory;
	if (sample.memory > p->limits.memory) {
		v->result->hits[HIT_MEMORY]++;
		end_command(v, END_OOM);
	}
	ms = watch_next_ms(&sample, p->limits.memory);
	v->watch_at = later(now, ms);
	if (ms >= MEMORY_SETTLE_MS)
		memory_settle();
}

/* The limit of the workspace's layer. */
static void measure(struct supervise *v, uint64_t now)
{
	enum limit_hit hit = meter_look(&v->meter, now);

	if (hit == HIT_COUNT)
		return;
	v->result->hits[hit]++;
	v->meter.due = 0;
	v->reason = END_STOPPED;
	kill_all(v);
}

static void keep_times(struct supervise *v)
{
	uint64_t now = now_us();

	if (v->kill_at && now >= v->kill_at) {
		kill_all(v);
		v->kill_at = 0;
	}
	if (v->deadline && now >= v->deadline) {
		v->deadline = 0;
		end_command(v, END_TIMEOUT);
	}
	if (v->idle_deadline && now >= v->idle_deadline) {
		v->idle_deadline = 0;
		end_command(v, END_IDLE);
	}
	if (v->watch_at && now >= v->watch_at)
		watch(v, now);
	measure(v, now);
	if (v->give_up_at && now >= v->give_up_at) {
		v->ended = v->given_up = true;
		v->end.status = SIGKILL;
	}
	if (v->settle_at && now >= v->settle_at) {
		memory_settle();
		v->settle_at = 0;
	}
}

/* Milliseconds until something is due; -1: nothing is. */
static int next_due(const struct supervise *v)
{
	const uint64_t due[] = {v->kill_at, v->deadline, v->idle_deadline, v->watch_at,
		v->settle_at, v->give_up_at, v->meter.due};
	uint64_t first = NEVER, now;

	for (size_t i = 0; i < ARRAY_LEN(due); i++)
		if (due[i] && due[i] < first)
			first = due[i];
	if (first == NEVER)
		return -1;
	now = now_us();
	if (first <= now)
		return 0;
	return (first - now) / MS < INT_MAX ? (int)((first - now) / MS + 1) : INT_MAX;
}

static void start_times(struct supervise *v)
{
	const struct plan *p = v->stage->plan;

	v->started = now_us();
	v->settle_at = later(v->started, MEMORY_SETTLE_MS);
	v->deadline = p->timeout ? later(v->started, p->timeout) : 0;
	v->idle_deadline = p->idle_timeout ? later(v->started, p->idle_timeout) : 0;
	if (p->limits.memory != PLAN_NO_LIMIT &&
		v->stage->leaf.held[LEAF_MEMORY].by == LEAF_BY_NONE)
		v->watch_at = later(v->started, 10);
	meter_init(&v->meter, p);
	meter_begin(&v->meter, v->started);
}

static void pump(struct supervise *v, struct pollfd *streams)
{
	for (int i = 0; i < RELAY_STREAMS; i++)
		if (streams[i].revents && relay_pump(&v->relay, i) && v->idle_deadline)
			v->idle_deadline = later(now_us(), v->stage->plan->idle_timeout);
	if (streams[RELAY_STREAMS].revents)
		terminal_input(&v->terminal);
	if (v->relay.stream[RELAY_OUT].from < 0)
		terminal_hang_up(&v->terminal);
}

int supervise_loop(struct supervise *v, struct err *e)
{
	start_times(v);
	while (!v->ended) {
		struct pollfd fds[] = {
			{.fd = v->stage->control, .events = POLLIN},
			{.fd = v->signals, .events = POLLIN},
			relay_wait(&v->relay, RELAY_OUT),
			relay_wait(&v->relay, RELAY_ERR),
			terminal_wait(&v->terminal),
			guarding_wait(v->stage),
		};

		if (poll(fds, ARRAY_LEN(fds), guarding_due(v->stage, next_due(v))) < 0 &&
			errno != EINTR) {
			kill_all(v);
			fds[0].revents = POLLIN;
		}
		pump(v, fds + 2);
		guarding_work(v->stage);
		if (fds[1].revents)
			take_signals(v);
		if (fds[0].revents)
			take_message(v);
		keep_times(v);
	}
	v->ended_at = now_us();
	guarding_finish(v->stage);
	v->meter.due = 0;
	meter_free(&v->meter);
	if (!v->failed)
		return 0;
	*e = v->error;
	return -(e->code ? e->code : EIO);
}

/* As long as the command had time; the same again as for its end, where that was our doing. */
void supervise_drain(struct supervise *v)
{
	v->kill_at = v->idle_deadline = v->watch_at = v->settle_at = v->give_up_at = 0;
	v->asked = 0;
	if (v->reason != END_EXITED)
		v->deadline = later(now_us(), v->stage->plan->kill_grace);
	while (v->asked == 0) {
		struct pollfd fds[] = {
			relay_wait(&v->relay, RELAY_OUT),
			relay_wait(&v->relay, RELAY_ERR),
			{.fd = v->signals, .events = POLLIN},
		};
		int due = next_due(v), n;

		if (fds[0].fd < 0 && fds[1].fd < 0)
			return;
		n = poll(fds, ARRAY_LEN(fds), due);
		if ((n < 0 && errno != EINTR) || (n == 0 && due == 0))
			break;
		for (int i = 0; i < RELAY_STREAMS; i++)
			if (fds[i].revents)
				relay_pump(&v->relay, i);
		if (fds[2].revents)
			take_signals(v);
	}
	/* The caller did not take it in time. */
	if (relay_drop(&v->relay) && v->reason == END_EXITED && v->asked == 0)
		v->reason = END_TIMEOUT;
}
