/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/live.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "engine/claim.h"
#include "engine/enforced.h"
#include "engine/guarding.h"
#include "engine/watch.h"
#include "engine/wire.h"
#include "sys/memory.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>

#define MS 1000u
#define NEVER UINT64_MAX
#define ASK_AGAIN_MS 20

uint64_t live_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t live_later(uint64_t now, uint64_t ms)
{
	return ms < (NEVER - now) / MS ? now + ms * MS : NEVER;
}

void live_kill(struct live *v)
{
	leaf_kill(&v->stage->leaf);
	kill(v->stage->init, SIGKILL); /* not waited for yet: the number is its own */
}

/* An init that does not listen has been taken over. */
void live_tell(struct live *v, const struct wire *m)
{
	if (wire_send(v->stage->control, false, m, NULL) == -EAGAIN)
		live_kill(v);
}

/* Also whoever comes while the name is taken away. */
void live_close_door(struct live *v)
{
	struct post *m = post_new(POST_FAILED, 0);
	int fd;

	unlinkat(v->call->place, v->call->name, 0);
	err_set(&m->error, ESHUTDOWN, "the sandbox is being stopped");
	while ((fd = accept4(v->call->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		post_send(fd, false, m, NULL);
		close(fd);
	}
	close(v->call->listener);
	v->call->listener = -1;
}

/* Once: others wait for the start, and there may be many groups to look at. */
void live_sweep(struct live *v)
{
	if (v->swept)
		return;
	v->swept = true;
	leaf_sweep(cgroup_here(), &v->stage->leaf);
}

/* Everybody is asked to end, and nobody comes in. */
void live_stop(struct live *v)
{
	if (v->stopping)
		return;
	v->stopping = true;
	live_close_door(v);
	v->stop_at = live_later(live_now(), v->stage->plan->kill_grace);
	for (size_t i = 0; i < LIVE_LINES; i++) {
		struct live_line *l = &v->lines[i];

		live_line_let_go(v, l);
		if (l->used && l->orders >= 0)
			live_line_end(v, l, END_STOPPED);
	}
}

/* What others may read, after everything that may have changed it. */
static void update_card(struct live *v)
{
	struct card *c = v->call->card;

	c->running = v->running;
	c->background = 0;
	for (size_t i = 0; i < LIVE_PROCESSES; i++)
		c->background += v->processes[i].id && !v->processes[i].ended;
	c->state = v->stopping ? CARD_STOPPING : v->up ? CARD_RUNNING : CARD_STARTING;
	c->used_ms = v->last_used / MS;
}

void live_ready(struct live *v, const struct err *failed)
{
	/* Somebody may wait for its end. */
	close(take_fd(&v->call->setup_output));
	if (failed) {
		v->error = *failed;
		live_stop(v);
		return;
	}
	v->up = true;
	v->last_used = live_now();
	update_card(v);
	if (v->call->ready < 0) /* whoever has claimed it knows */
		return;
	if (write(v->call->ready, &v->error, sizeof v->error) < 0)
		live_stop(v); /* whoever wanted it did not wait */
	close(v->call->ready);
}

static void lost(struct live *v)
{
	v->dead = true;
	if (!v->stopping)
		live_close_door(v);
	for (size_t i = 0; i < LIVE_LINES; i++)
		if (v->lines[i].used)
			live_line_lost(v, &v->lines[i]);
}

static void take_network(struct live *v, struct packet_fds *fds)
{
	if (guarding_begin(v->stage, fds, &v->error) < 0)
		live_kill(v);
	live_owner_begin(v);
}

static void take_message(struct live *v)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	struct wire m;
	int r = wire_receive(v->stage->control, false, &m, &fds);

	if (r == -EAGAIN)
		return;
	if (r < 0) {
		lost(v);
		return;
	}
	switch (m.kind) {
	case WIRE_FAILED:
		if (!v->up) {
			v->error = m.error;
			v->error.text[sizeof v->error.text - 1] = '\0';
		}
		lost(v);
		break;
	case WIRE_READY:
		break;
	case WIRE_WORKSPACE:
		if (live_take_workspace(v, &fds) < 0)
			live_kill(v);
		break;
	case WIRE_NETWORK:
		take_network(v, &fds);
		break;
	case WIRE_REPORT:
		result_report_close(&m.report);
		live_line_report(v, &m);
		break;
	default:
		live_kill(v);
	}
}

/*
 * Some are kept ready. They are made when a command has just ended, so as not to be in the way of
 * one that runs or begins; while one runs for longer; and at once when somebody waits. After a
 * refusal not at once again.
 */
void live_ask_for_pair(struct live *v)
{
	bool now = v->refill || v->pair_count == 0;

	if (v->resting || v->asked || v->dead || v->pair_count == LIVE_PAIRS ||
		v->running >= SLOT_COUNT || !now)
		return;
	if (v->ask_at && live_now() < v->ask_at)
		return;
	v->ask_at = 0;
	v->asked = packet_send(v->stage->channel[0], false, "", 1, NULL) == 0;
	v->asked_at = live_now();
}

static void let_go_all(struct live *v)
{
	for (size_t i = 0; i < LIVE_LINES; i++)
		live_line_let_go(v, &v->lines[i]);
}

void live_drop_pairs(struct live *v)
{
	let_go_all(v);
	while (v->pair_count > 0) {
		close(v->pairs[--v->pair_count].command);
		close(v->pairs[v->pair_count].orders);
	}
}

/* What comes from inside: a pair of processes that wait. */
static void take_pair(struct live *v)
{
	struct slot_ready ready;
	struct packet_fds fds = {.count = 0};
	ssize_t n = packet_receive(v->stage->channel[0], false, &ready, sizeof ready, &fds);

	if (n == -EAGAIN)
		return;
	v->asked = false;
	if (n != sizeof ready || (ready.error == 0 && fds.count != 2) ||
		v->pair_count == LIVE_PAIRS) {
		packet_close(&fds);
		live_kill(v);
		return;
	}
	if (ready.error) { /* too many processes */
		packet_close(&fds);
		let_go_all(v);
		v->ask_at = live_later(live_now(), ASK_AGAIN_MS);
		return;
	}
	v->pairs[v->pair_count++] = (struct live_pair){
		.command = fds.fd[0], .orders = fds.fd[1], .shepherd = ready.shepherd};
	if (v->call->plan->setup && !v->set_up) {
		v->set_up = true;
		live_line_setup(v);
	} else if (!v->up && !v->call->plan->setup) {
		live_ready(v, NULL);
	}
	live_line_next(v);
}

static struct live_line *free_line(struct live *v)
{
	for (size_t i = 0; i < LIVE_LINES; i++)
		if (!v->lines[i].used)
			return &v->lines[i];
	return NULL;
}

static void take_client(struct live *v)
{
	auto_fd int fd = accept4(v->call->listener, NULL, NULL, SOCK_CLOEXEC);
	struct live_line *l = free_line(v);

	if (fd < 0 || !live_peer_is_welcome(v, fd) || !l)
		return;
	*l = LIVE_LINE(take_fd(&fd));
	live_line_request(v, l); /* which is often there already */
}

void live_take_signals(struct live *v)
{
	struct signalfd_siginfo info;

	while (read(v->signals, &info, sizeof info) == sizeof info)
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT ||
			info.ssi_signo == SIGHUP || info.ssi_signo == SIGQUIT)
			live_stop(v);
}

enum { ON_CONTROL, ON_CHANNEL, ON_SIGNAL, ON_LISTENER, ON_READY, ON_NETWORK, ON_LINES };

#define WAITS (ON_LINES + 2 * LIVE_LINES + LIVE_PROCESSES)

struct waits {
	struct pollfd fds[WAITS];
	size_t of[WAITS];  /* which line, or process */
	size_t lines, all; /* where those of lines end; those of processes */
};

static void add(struct waits *w, int fd, size_t of)
{
	w->fds[w->all] = (struct pollfd){.fd = fd, .events = POLLIN};
	w->of[w->all++] = of;
}

/* A descriptor of -1 is not looked at. */
static void what_to_wait_for(const struct live *v, struct waits *w)
{
	w->all = 0;
	add(w, v->stage->control, 0);
	add(w, v->stage->channel[0], 0);
	add(w, v->signals, 0);
	add(w, v->up ? v->call->listener : -1, 0);
	/* Only whether whoever waits for it is still there. */
	add(w, v->up ? -1 : v->call->ready, 0);
	w->fds[ON_READY].events = 0;
	add(w, guarding_wait(v->stage).fd, 0);
	for (size_t i = 0; i < LIVE_LINES; i++) {
		if (!v->lines[i].used)
			continue;
		add(w, v->lines[i].client, i);
		add(w, v->lines[i].orders, i);
	}
	w->lines = w->all;
	for (size_t i = 0; i < LIVE_PROCESSES; i++)
		if (v->processes[i].id && v->processes[i].output >= 0)
			add(w, v->processes[i].output, i);
}

/* The ends of commands first: somebody waits for them. */
static void take_lines(struct live *v, const struct waits *w)
{
	for (size_t i = ON_LINES; i < w->lines; i += 2) {
		struct live_line *l = &v->lines[w->of[i]];

		if (w->fds[i + 1].revents && l->used && l->orders == w->fds[i + 1].fd)
			live_line_word(v, l);
		if (w->fds[i].revents && l->used && l->client == w->fds[i].fd)
			live_line_request(v, l);
	}
	for (size_t i = w->lines; i < w->all; i++) {
		struct live_process *p = &v->processes[w->of[i]];

		if (w->fds[i].revents && p->id && p->output == w->fds[i].fd)
			live_process_pump(v, p);
	}
}

static void take_all(struct live *v, const struct waits *w)
{
	take_lines(v, w);
	if (v->stage->guarding)
		live_owner_look(v);
	guarding_work(v->stage);
	if (w->fds[ON_CONTROL].revents)
		take_message(v);
	if (w->fds[ON_CHANNEL].revents && !v->dead)
		take_pair(v);
	if (w->fds[ON_LISTENER].revents)
		take_client(v);
	if (w->fds[ON_SIGNAL].revents)
		live_take_signals(v);
	if (w->fds[ON_READY].revents)
		live_stop(v);
}

static bool is_over(const struct live *v)
{
	return v->dead || (v->stopping && v->running == 0);
}

static void take_enforced(struct live *v)
{
	struct result r = {0};

	enforced_fill(v->stage, &r);
	for (int i = 0; i < LAYER_COUNT; i++)
		snprintf(v->enforced[i], POST_WORD, "%s", r.enforced[i] ? r.enforced[i] : "none");
}

static void serve(struct live *v)
{
	struct waits w;

	v->started = v->last_used = live_now();
	v->rest_at = live_later(v->started, LIVE_REST_UNUSED_MS);
	v->settle_at = live_later(v->started, MEMORY_SETTLE_MS);
	if (v->stage->plan->limits.memory != PLAN_NO_LIMIT &&
		v->stage->leaf.held[LEAF_MEMORY].by == LEAF_BY_NONE)
		v->watch_at = v->started;
	take_enforced(v);
	meter_init(&v->meter, v->stage->plan);
	live_ask_for_pair(v);
	while (!is_over(v)) {
		what_to_wait_for(v, &w);
		if (poll(w.fds, w.all, guarding_due(v->stage, live_next_due(v))) < 0 &&
			errno != EINTR)
			break;
		take_all(v, &w);
		live_ask_for_pair(v);
		live_keep_times(v);
		update_card(v);
	}
}

static int open_channel(struct stage *s, struct err *e)
{
	void *page;
	int r = stage_control(s, e);

	if (r < 0)
		return r;
	r = packet_pair(s->channel);
	if (r < 0)
		return err_sys(e, r, "make a socket pair");
	page = mmap(
		NULL, sizeof *s->notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return err_sys(e, -errno, "share a page");
	s->notes = page;
	return 0;
}

static int make(struct live *v, struct err *e)
{
	struct live_call *call = v->call;
	struct stage *s = v->stage;
	int *keep[] = {&call->listener, &call->ready, &call->lock, &call->place,
		&call->setup_output, &call->record_fds[0], &call->record_fds[1], &call->layer};
	size_t count = 0;
	int r;

	for (size_t i = 0; i < ARRAY_LEN(keep); i++)
		if (*keep[i] >= 0)
			keep[count++] = keep[i];
	s->blank = call->blank;
	r = stage_descriptors(keep, count, e);
	/* That of the layer is held by whatever keeps it mounted. */
	count -= call->layer >= 0;
	for (size_t i = 0; i < count && i < ARRAY_LEN(s->host_only); i++)
		s->host_only[i] = *keep[i];
	if (r == 0 && s->blank)
		r = claim_open(s, e);
	if (r == 0)
		r = open_channel(s, e);
	if (r == 0)
		r = stage_signals(&v->signals, e);
	if (r == 0)
		r = steps_run(s, STEP_SUPERVISOR, e);
	return r < 0 ? stage_ask(s, r, e) : 0;
}

int live_run(struct live_call *call, struct err *e)
{
	static struct stage s;
	static struct live v;
	int r;

	stage_init(&s, call->plan, call->arguments, call->arguments_len);
	/* Once in a process: the rest is zero, and not touched. */
	v.call = call;
	v.stage = &s;
	v.signals = v.workspace = -1;
	v.refill = true;
	r = make(&v, e);
	if (r == 0) {
		stage_left(&s);
		close(take_fd(&s.channel[1]));
		/* It may know what the caller knows: no core, and nobody looks into it. */
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
		if (call->blank)
			r = live_await_claim(&v, e);
		if (r == 0)
			serve(&v);
	}
	if (r == 0 && !v.up) {
		*e = v.error;
		r = e->code ? -e->code : err_set(e, EIO, "the sandbox ended before it was ready");
	}
	for (size_t i = 0; i < LIVE_LINES; i++)
		if (v.lines[i].used)
			live_line_lost(&v, &v.lines[i]);
	for (size_t i = 0; i < LIVE_PROCESSES; i++)
		if (v.processes[i].id)
			live_process_free(&v.processes[i]);
	live_peer_end(&v);
	live_drop_pairs(&v);
	live_sweep(&v);
	meter_free(&v.meter);
	cleanup_fd(&v.signals);
	cleanup_fd(&v.workspace);
	stage_clear(&s, false);
	if (r < 0)
		stage_explain(r, e);
	/* Before the signal of a pipe that nobody reads means something again. */
	if (r < 0 && call->ready >= 0 && write(call->ready, e, sizeof *e) < 0)
		call->ready = -1;
	stage_free(&s);
	return r;
}
