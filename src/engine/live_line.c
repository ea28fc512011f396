/* SPDX-License-Identifier: Apache-2.0 */

/* One connection to a living sandbox: its requests, its command, the answer. */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "engine/enforced.h"
#include "engine/live.h"
#include "engine/wire.h"
#include "sys/memory.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define STREAMS 3
#define REPORT_MS 1000 /* that init may take to say what it refused */

static struct post in; /* what has just come */

/* Its caller does not: it has gone, or never waited. */
static void audit(struct live *v, struct live_line *l, const struct post_end *end,
	const struct result_network *network)
{
	struct live_said said = {.begin = l->begin, .who = l->who, .end = end, .network = network};

	if (l->begin && v->call->audit)
		v->call->audit(v->call->record_ctx, &said);
	l->begin = 0;
}

void live_line_close(struct live *v, struct live_line *l)
{
	struct post_end never = {.exit_code = -1, .reason = END_STOPPED};

	/* It waited for a process to become, and its caller has gone. */
	if (l->client < 0 && l->begin)
		audit(v, l, &never, NULL);
	if ((l->orders >= 0 || l->ended) && --v->running == 0)
		meter_pause(&v->meter);
	cleanup_fd(&l->client);
	cleanup_fd(&l->orders);
	cleanup_fd(&l->command);
	cleanup_fd(&l->held.command);
	cleanup_fd(&l->held.orders);
	packet_close(&l->fds);
	free(l->request);
	live_owner_free(l);
	*l = LIVE_LINE(-1);
	l->used = false;
}

void live_line_answer(struct live_line *l, const struct post *m)
{
	if (l->client >= 0)
		post_send(l->client, false, m, NULL);
}

void live_line_fail(struct live *v, struct live_line *l, int code, const char *text)
{
	struct post *m = post_new(POST_FAILED, 0);

	err_set(&m->error, code, "%s", text);
	live_line_answer(l, m);
	live_line_close(v, l);
}

/*
 * Kills by the limit that nobody has heard of yet. With several commands they may be another's,
 * which has not ended.
 */
static uint32_t new_kills(struct live *v)
{
	uint32_t before = v->oom_kills;
	struct leaf_usage u;

	leaf_usage(&v->stage->leaf, true, &u);
	if (u.memory_peak > v->call->card->memory_peak)
		v->call->card->memory_peak = u.memory_peak;
	v->oom_kills = (uint32_t)u.oom_kills;
	return v->oom_kills > before ? v->oom_kills - before : 0;
}

static void fill_end(struct live *v, struct live_line *l, struct post_end *ret)
{
	const struct slot_word *w = &l->word;

	ret->exit_code = WIFEXITED(w->status) ? WEXITSTATUS(w->status) : -1;
	ret->signal = WIFSIGNALED(w->status) ? WTERMSIG(w->status) : 0;
	ret->start_error = w->start_error;
	ret->lost = l->lost;
	ret->reason = l->reason != END_EXITED ? l->reason
		      : ret->signal           ? END_SIGNALLED
					      : END_EXITED;
	if (l->hit != HIT_COUNT)
		ret->hits[l->hit] = 1;
	if (w->status != 0)
		ret->hits[HIT_MEMORY] = new_kills(v);
	if (l->reason == END_OOM && ret->hits[HIT_MEMORY] == 0)
		ret->hits[HIT_MEMORY] = 1;
	if (l->reason == END_EXITED && ret->exit_code != 0 && ret->hits[HIT_MEMORY] > 0)
		ret->reason = END_OOM;
	ret->usage.wall_us = live_now() - l->began;
	ret->usage.user_us = w->user_us;
	ret->usage.system_us = w->system_us;
	ret->usage.memory_peak = w->largest;
	ret->usage.read_bytes = w->read_bytes;
	ret->usage.written_bytes = w->written_bytes;
	live_owner_bytes(v, l, &ret->usage);
	memcpy(ret->enforced, v->enforced, sizeof ret->enforced);
}

static int64_t calendar_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* For the history; whoever waits for the end has heard it already. */
static void record(struct live *v, const struct live_line *l, const struct post_end *end)
{
	const struct card *card = v->call->card;
	struct usage_row row = {.ended_ms = calendar_ms(),
		.wall_us = end->usage.wall_us,
		.user_us = end->usage.user_us,
		.system_us = end->usage.system_us,
		.memory_peak = end->usage.memory_peak,
		.read_bytes = end->usage.read_bytes,
		.written_bytes = end->usage.written_bytes,
		.sent_bytes = end->usage.sent_bytes,
		.received_bytes = end->usage.received_bytes,
		.exit_code = end->exit_code,
		.signal = end->signal,
		.reason = end->reason,
		.background = l->process != 0};

	if (!v->call->record)
		return;
	for (int i = 0; i < HIT_COUNT; i++)
		row.hits |= end->hits[i] ? 1u << i : 0;
	memcpy(row.sandbox, v->call->name, strnlen(v->call->name, sizeof row.sandbox - 1));
	memcpy(row.session, card->session, strnlen(card->session, sizeof row.session - 1));
	memcpy(row.command, l->name, strnlen(l->name, sizeof row.command - 1));
	v->call->record(v->call->record_ctx, &row);
}

/* A sandbox that could not be set up is none. */
static void finish_setup(struct live *v, struct live_line *l, const struct post_end *end)
{
	struct err e = {0};

	live_line_close(v, l);
	if (end->reason == END_EXITED && end->exit_code == 0) {
		live_ready(v, NULL);
		return;
	}
	if (end->reason == END_EXITED)
		err_set(&e, ECANCELED, "setupCommand failed with status %d: no sandbox was made",
			end->exit_code);
	else
		err_set(&e, ECANCELED, "setupCommand failed (%s): no sandbox was made",
			end_reason_names[end->reason]);
	live_ready(v, &e);
}

/* Who stays gets the process that waits for the next one with it. False: nobody has heard it. */
static bool answer_end(struct live *v, struct live_line *l, const struct post *m)
{
	struct packet_fds fds = {.count = 0};

	if (l->client < 0)
		return false;
	if (l->keep && live_line_hold(v, l))
		fds.fd[fds.count++] = l->held.command;
	return post_send(l->client, false, m, &fds) == 0;
}

/* What it has tried, and nobody else. NULL: nothing, or nobody asks. */
static const struct result_network *send_network(struct live *v, struct live_line *l)
{
	const struct result_network *rows;
	struct post *m;

	live_owner_take(v, l);
	rows = live_owner_rows(l);
	if (rows && l->client >= 0) {
		m = post_new(POST_NETWORK, 0);
		m->network = *rows;
		live_line_answer(l, m);
	}
	return rows;
}

/* The last word about a command. */
static void finish(struct live *v, struct live_line *l, const struct result_report *report)
{
	struct post *m;
	struct live_process *process;
	struct live_pair held;
	int kept = -1;
	const struct result_network *network = send_network(v, l);

	m = post_new(POST_ENDED, 0);
	fill_end(v, l, &m->end);
	if (l->setup) {
		finish_setup(v, l, &m->end);
		return;
	}
	if (report)
		m->end.report = *report;
	process = l->process ? live_process_find(v, l->process) : NULL;
	/* Whoever hears it records it. */
	if (answer_end(v, l, m))
		l->begin = 0;
	else
		audit(v, l, &m->end, network);
	record(v, l, &m->end);
	v->call->card->served++;
	v->call->card->cpu_us += m->end.usage.user_us + m->end.usage.system_us;
	v->last_used = live_now();
	v->settle_at = live_later(v->last_used, MEMORY_SETTLE_MS);
	v->rest_at = live_later(v->last_used, LIVE_REST_MS);
	v->refill = true;
	if (l->keep)
		kept = take_fd(&l->client);
	held = l->held;
	l->held = LIVE_NO_PAIR;
	live_line_close(v, l);
	if (kept >= 0) {
		*l = LIVE_LINE(kept);
		l->held = held;
	}
	if (process)
		live_process_end(v, process, &m->end);
}

void live_line_lost(struct live *v, struct live_line *l)
{
	live_line_let_go(v, l);
	if (!l->used)
		return;
	if (l->orders >= 0 || l->ended) {
		if (!l->ended)
			l->word = (struct slot_word){.status = SIGKILL};
		l->lost = l->reason == END_EXITED && !l->ended;
		finish(v, l, NULL);
	} else { /* whatever it wants, it was not begun */
		live_line_fail(v, l, ESHUTDOWN, "the sandbox has ended");
	}
}

/* Only where there is something to hear, since it takes a while. */
static void ask_for_report(struct live *v, struct live_line *l)
{
	bool some = atomic_load(v->stage->notes) != l->notes;

	if (!some) {
		finish(v, l, NULL);
		return;
	}
	live_tell(v, &(struct wire){.kind = WIRE_FORGET, .about = l->shepherd});
	l->ended = true;
	l->deadline = l->kill_at = 0;
	l->give_up_at = live_later(live_now(), REPORT_MS);
	close(take_fd(&l->orders));
}

void live_line_report(struct live *v, const struct wire *m)
{
	for (size_t i = 0; i < LIVE_LINES; i++)
		if (v->lines[i].ended && v->lines[i].shepherd == m->about)
			finish(v, &v->lines[i], &m->report);
}

/* Its other side goes to the caller, and the command may begin. */
static void opened(struct live *v, struct live_line *l, const struct slot_word *w,
	const struct packet_fds *fds)
{
	if (l->command < 0 || !l->request)
		return;
	if (w->start_error || fds->count != 1) {
		live_line_fail(v, l, w->start_error > 0 ? w->start_error : EPROTO,
			"no terminal could be opened in the sandbox");
		return;
	}
	if (l->client >= 0)
		post_send(l->client, false, post_new(POST_TERMINAL, 0), fds);
	live_line_hand_over(v, l, l->request, &l->fds);
	packet_close(&l->fds);
	free(take_ptr(l->request));
}

/* When init dies, its socket is closed before the kernel kills the others. */
static bool is_dead(const struct live *v)
{
	struct pollfd p = {.fd = v->stage->control};

	return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

/* A shepherd that is gone without a word was killed from inside: so is what it kept. */
void live_line_word(struct live *v, struct live_line *l)
{
	struct slot_word w;
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	ssize_t n = packet_receive(l->orders, false, &w, sizeof w, &fds);

	if (n == -EAGAIN)
		return;
	if (n == sizeof w && w.kind == SLOT_PAUSED && l->terminal) {
		live_line_answer(l, post_new(POST_PAUSED, 0));
		return;
	}
	if (n == sizeof w && w.kind == SLOT_OPENED) {
		opened(v, l, &w, &fds);
		return;
	}
	if (n != sizeof w && is_dead(v)) {
		live_line_lost(v, l);
		return;
	}
	if (n != sizeof w || w.kind != SLOT_ENDED) {
		live_tell(v, &(struct wire){.kind = WIRE_SWEEP, .about = l->shepherd});
		w = (struct slot_word){.status = SIGKILL};
	}
	l->word = w;
	ask_for_report(v, l);
}

void live_line_kill(struct live *v, struct live_line *l)
{
	struct slot_order order = {.kind = SLOT_KILL};

	packet_send(l->orders, false, &order, sizeof order, NULL);
	(void)v;
	if (!l->give_up_at)
		l->give_up_at = live_later(live_now(), STAGE_PATIENCE_MS);
}

void live_line_end(struct live *v, struct live_line *l, enum end_reason reason)
{
	if (l->reason != END_EXITED || l->orders < 0)
		return;
	l->reason = reason;
	l->deadline = 0;
	if (reason == END_OOM || l->hit != HIT_COUNT || l->kill_grace == 0) {
		live_line_kill(v, l);
		return;
	}
	live_tell(v, &(struct wire){.kind = WIRE_BELOW, .about = l->shepherd, .number = SIGTERM});
	/* A stopped process does not hear anything else. */
	live_tell(v, &(struct wire){.kind = WIRE_BELOW, .about = l->shepherd, .number = SIGCONT});
	l->kill_at = live_later(live_now(), l->kill_grace);
}

/* What cannot be ended alone is ended with the sandbox. */
void live_line_times(struct live *v, struct live_line *l, uint64_t now)
{
	if (l->ended && now >= l->give_up_at) {
		finish(v, l, NULL);
		return;
	}
	if (l->queued && l->deadline && now >= l->deadline) {
		live_line_fail(v, l, EAGAIN,
			"no process could be started in the sandbox in time: too many commands run "
			"in it, or its limit of processes is reached");
		return;
	}
	if (l->orders < 0)
		return;
	if (l->deadline && now >= l->deadline)
		live_line_end(v, l, END_TIMEOUT);
	if (l->kill_at && now >= l->kill_at) {
		l->kill_at = 0;
		live_line_kill(v, l);
	}
	if (l->give_up_at && now >= l->give_up_at) {
		l->give_up_at = 0;
		kill(v->stage->init, SIGKILL);
	}
}

/* The first request to end is passed on, the second one is meant. */
static void pass_signal(struct live *v, struct live_line *l, int number)
{
	bool ends = number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
	struct slot_order order = {.kind = SLOT_SIGNAL, .number = number};

	if (ends && l->queued) {
		live_line_fail(v, l, EINTR, "ended before it had begun");
		return;
	}
	if (l->orders < 0)
		return;
	if (ends && l->asked++ > 0) {
		l->reason = END_STOPPED;
		live_line_kill(v, l);
		return;
	}
	packet_send(l->orders, false, &order, sizeof order, NULL);
	order.number = SIGCONT;
	if (ends)
		packet_send(l->orders, false, &order, sizeof order, NULL);
}

/* Answered by the end of the connection, when everything has ended. */
static void stop(struct live *v, struct live_line *l, bool anyway)
{
	if (v->running > 0 && !anyway) {
		live_line_fail(v, l, EBUSY, "commands are running in it");
		return;
	}
	kill(getpid(), SIGTERM);
}

void live_line_request(struct live *v, struct live_line *l)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	int r = post_receive(l->client, false, &in, &fds);

	if (r == -EAGAIN)
		return;
	if (r == -EPROTONOSUPPORT || r == -EPROTO) {
		live_line_fail(v, l, -r, "the sandbox was started by another version of ward");
		return;
	}
	if (r < 0) { /* gone: nobody waits for the command */
		close(take_fd(&l->client));
		if (l->orders >= 0)
			live_line_end(v, l, END_STOPPED);
		else if (!l->ended)
			live_line_close(v, l);
		return;
	}
	switch (in.kind) {
	case POST_EXEC:
		live_line_exec(v, l, &in, &fds);
		break;
	case POST_BEGUN:
		live_line_begun(v, l, &in);
		break;
	case POST_SIGNAL:
		pass_signal(v, l, in.number);
		break;
	case POST_STOP:
		stop(v, l, in.number);
		break;
	case POST_WORKSPACE:
		live_show_workspace(v, l, &in);
		break;
	default:
		if (!live_process_request(v, l, &in) && !live_net_request(v, l, &in))
			live_line_fail(v, l, EPROTO, "no request of ward's");
	}
}
