/* SPDX-License-Identifier: Apache-2.0 */

/* A command of a living sandbox begins: what was asked for is checked, and handed to the pair of
 * processes that waits for it. */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "engine/confine.h"
#include "engine/live.h"
#include "engine/watch.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define STREAMS 3
#define REFILL_MS 3    /* a command that runs for longer: others may come meanwhile */
#define QUEUE_MS 30000 /* that a command may wait for a process to become */

static int check_streams(const struct packet_fds *fds, struct err *e)
{
	int r = 0;

	for (int i = 0; i < STREAMS && r == 0; i++)
		r = confine_check_stream(fds->fd[i], i, e);
	return r;
}

static void keep_request(struct live_line *l, const struct post *m, struct packet_fds *fds)
{
	l->request = mem_alloc(sizeof *m);
	memcpy(l->request, m, sizeof *m);
	l->fds = *fds;
	fds->count = 0;
}

static void wait_for_pair(struct live_line *l, const struct post *m, struct packet_fds *fds)
{
	keep_request(l, m, fds);
	l->queued = true;
	l->deadline = live_later(live_now(), QUEUE_MS);
}

/* The process that waits becomes the command. */
void live_line_hand_over(
	struct live *v, struct live_line *l, const struct post *m, const struct packet_fds *fds)
{
	size_t text = m->exec.command.flags & SLOT_LONG ? 0 : m->exec.command.size;
	int r = packet_send(
		l->command, false, &m->exec.command, sizeof m->exec.command + text, fds);

	close(take_fd(&l->command));
	if (r < 0)
		live_line_end(v, l, END_INTERNAL);
}

/* The program's, without its folder; behind the folder that it starts in. */
static void take_name(struct live_line *l, const struct post_exec *x)
{
	const char *name = x->text + strnlen(x->text, sizeof x->text - 1) + 1, *slash;

	l->name[0] = '\0';
	if (x->command.flags & SLOT_LONG)
		return;
	slash = strrchr(name, '/');
	snprintf(l->name, sizeof l->name, "%.39s", slash ? slash + 1 : name);
}

bool live_take_pair(struct live *v, struct live_pair *ret)
{
	while (v->pair_count > 0) {
		struct live_pair pair = v->pairs[--v->pair_count];
		struct pollfd word = {.fd = pair.orders, .events = POLLIN};

		*ret = pair;
		/* Not later: whoever holds the other end begins before we hear of it. */
		ret->notes = atomic_load(v->stage->notes);
		ret->owner = ++v->last_owner;
		if (poll(&word, 1, 0) == 0)
			return true;
		close(pair.command);
		close(pair.orders);
	}
	return false;
}

/* The pair is the line's from now on. */
static void begin(struct live *v, struct live_line *l, const struct post_exec *x,
	const struct live_pair *pair)
{
	l->queued = false;
	l->shepherd = pair->shepherd;
	l->notes = pair->notes;
	l->owner = pair->owner;
	l->top = pair->top;
	l->born = ++v->born;
	l->command = pair->command;
	l->orders = pair->orders;
	l->hit = HIT_COUNT;
	take_name(l, x);
	l->began = live_now();
	if (v->running++ == 0)
		meter_begin(&v->meter, l->began);
	v->refill = false;
	v->refill_at = live_later(l->began, REFILL_MS);
	l->deadline = x->timeout ? live_later(l->began, x->timeout) : 0;
	l->kill_grace = x->kill_grace;
	l->caps = x->caps;
	if (l->caps.memory || l->caps.pids || l->caps.cpu_ms)
		l->look_at = l->began;
	l->keep = x->keep;
	l->terminal = x->command.flags & SLOT_TERMINAL;
	/* The first one has used nothing yet; one that ends sooner is not looked at. */
	if (v->watch_at && v->running == 1)
		v->watch_at = live_later(l->began,
			watch_next_ms(&(struct watch_sample){0}, v->stage->plan->limits.memory));
}

/* The pair that waits is the line's. With a terminal, that is opened first. */
static void start(struct live *v, struct live_line *l, const struct post *m, struct packet_fds *fds)
{
	bool terminal = m->exec.command.flags & SLOT_TERMINAL;
	struct slot_order order = {.kind = SLOT_OPEN, .number = m->exec.command.window};
	struct live_pair pair;
	struct err e = {0};

	if (!terminal && check_streams(fds, &e) < 0) {
		live_line_fail(v, l, e.code, e.text);
		return;
	}
	if (!live_take_pair(v, &pair)) {
		if (!l->request)
			wait_for_pair(l, m, fds);
		return;
	}
	begin(v, l, &m->exec, &pair);
	if (!terminal) {
		live_line_hand_over(v, l, m, fds);
		return;
	}
	packet_send(l->orders, false, &order, sizeof order, NULL);
	if (!l->request)
		keep_request(l, m, fds);
}
_Static_assert(offsetof(struct post_exec, text) ==
		       offsetof(struct post_exec, command) + sizeof(struct slot_command),
	"head and text are sent in one piece");

static bool put_words(struct post_exec *x, const char *const *words, uint32_t *io_count)
{
	for (; words[*io_count]; (*io_count)++) {
		size_t len = strlen(words[*io_count]) + 1;

		if (len > SLOT_TEXT - x->command.size)
			return false;
		memcpy(x->text + x->command.size, words[*io_count], len);
		x->command.size += (uint32_t)len;
	}
	return true;
}

void live_line_setup(struct live *v)
{
	const struct plan *p = v->stage->plan;
	const char *const folder[] = {p->workspace_path ? PLAN_WORKSPACE : PLAN_HOME, NULL};
	const char *const argv[] = {"/bin/sh", "-c", p->setup, NULL};
	int out = v->call->setup_output;
	struct packet_fds fds = {.fd = {STDIN_FILENO, out, out}, .count = STREAMS};
	struct live_line *l = &v->lines[0];
	struct post *in = post_new(POST_EXEC, 0);
	uint32_t one = 0;
	struct err e = {0};

	in->exec.kill_grace = p->kill_grace;
	*l = LIVE_LINE(-1);
	l->setup = true;
	if (put_words(&in->exec, folder, &one) &&
		put_words(&in->exec, argv, &in->exec.command.argc) &&
		put_words(&in->exec, p->setup_env, &in->exec.command.envc) &&
		in->exec.command.envc < SLOT_WORDS - STREAMS)
		start(v, l, in, &fds);
	if (l->orders >= 0)
		return;
	err_set(&e, E2BIG,
		"setupCommand cannot be started: its environment is too large, or "
		"standard error is a folder");
	live_ready(v, &e);
}

void live_line_next(struct live *v)
{
	for (size_t i = 0; i < LIVE_LINES && v->pair_count > 0; i++) {
		struct live_line *l = &v->lines[i];

		if (!l->queued)
			continue;
		start(v, l, l->request, &l->fds);
		if (l->command >= 0 || !l->used || l->queued)
			continue;
		packet_close(&l->fds);
		free(take_ptr(l->request));
	}
}

/* The texts are counted here, so that those inside need not be believed to have done so. */
static bool is_whole(const struct post_exec *x, const struct packet_fds *fds)
{
	const struct slot_command *c = &x->command;
	bool inlined = !(c->flags & SLOT_LONG);
	size_t streams = c->flags & SLOT_TERMINAL ? 0 : STREAMS;
	uint32_t words = 0;

	if ((c->flags & ~(uint32_t)(SLOT_LONG | SLOT_TERMINAL)) || c->argc == 0 ||
		fds->count != streams + !inlined)
		return false;
	if (c->size > SLOT_TEXT_MAX || c->argc > SLOT_WORDS_MAX || c->envc > SLOT_WORDS_MAX)
		return false;
	if (!inlined)
		return true;
	for (uint32_t i = 0; i < c->size; i++)
		words += x->text[i] == '\0';
	return c->size > 0 && c->argc + c->envc <= SLOT_WORDS && words == 1 + c->argc + c->envc &&
	       x->text[c->size - 1] == '\0';
}

/* The line becomes the process's own: its caller only hears the id. */
static void begin_background(struct live *v, struct live_line *l, const struct post *m)
{
	auto_(packet_close) struct packet_fds streams = {.count = 0};
	struct live_process *p;

	if (m->exec.command.flags) {
		live_line_fail(v, l, E2BIG,
			"the command and its environment are too long for the background");
		return;
	}
	p = live_process_new(v, &m->exec, &streams);
	if (!p) {
		live_line_fail(v, l, EAGAIN, "there are too many background processes");
		return;
	}
	l->process = p->id;
	live_line_answer(l, post_new(POST_STARTED, p->id));
	close(take_fd(&l->client));
	start(v, l, m, &streams);
}

/* Whose end it is, should nobody else write it down. */
static void take_begin(struct live_line *l, const struct post_exec *x)
{
	l->begin = x->begin;
	memcpy(l->who, x->who, sizeof l->who);
	l->who[sizeof l->who - 1] = '\0';
}

/* It has begun already: what is checked is only how it is called. */
void live_line_begun(struct live *v, struct live_line *l, const struct post *m)
{
	const struct post_exec *x = &m->exec;
	bool named =
		x->command.flags & SLOT_LONG || (m->number > 0 && x->text[m->number - 1] == '\0' &&
							strlen(x->text) + 1 < (size_t)m->number);

	if (l->held.orders < 0 || !named) {
		live_line_fail(v, l, EPROTO, "no request of ward's");
		return;
	}
	v->resting = false;
	take_begin(l, x);
	begin(v, l, x, &l->held);
	l->held = LIVE_NO_PAIR;
	close(take_fd(&l->command));
}

bool live_line_hold(struct live *v, struct live_line *l)
{
	size_t held = 0;

	for (size_t i = 0; i < LIVE_LINES; i++) {
		if (v->lines[i].queued)
			return false;
		held += v->lines[i].used && v->lines[i].held.orders >= 0;
	}
	return held < LIVE_HOLDS && !v->stopping && !v->dead && live_take_pair(v, &l->held);
}

/* Whoever has given it a command has told us before: the message is there. */
void live_line_let_go(struct live *v, struct live_line *l)
{
	if (!l->used || l->held.orders < 0)
		return;
	shutdown(l->held.command, SHUT_RDWR);
	live_line_request(v, l);
	if (!l->used)
		return;
	close(take_fd(&l->held.command));
	close(take_fd(&l->held.orders));
}

void live_line_exec(
	struct live *v, struct live_line *l, const struct post *m, struct packet_fds *fds)
{
	v->resting = false;
	if (l->orders >= 0 || l->queued || l->ended || l->waits_for || !is_whole(&m->exec, fds)) {
		live_line_fail(v, l, EPROTO, "no request of ward's");
	} else if (v->stopping) {
		live_line_fail(v, l, ESHUTDOWN, "the sandbox is being stopped");
	} else if (memcmp(m->exec.config, v->call->card->config, POST_CONFIG) != 0) {
		live_line_answer(l, post_new(POST_CHANGED, (int32_t)v->running));
		live_line_close(v, l);
	} else {
		take_begin(l, &m->exec);
		if (m->exec.ring)
			begin_background(v, l, m);
		else
			start(v, l, m, fds);
	}
}
