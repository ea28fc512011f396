/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whose connections they are, in a sandbox in which several commands run: each has its own rows and
 * bytes. With one command everything is its own, and nothing is asked. With several, the command is
 * looked for below whose shepherd a process holds the socket (guard/whose.c knows which socket that
 * is). A socket that nobody holds any more, that more than one command holds, or that is not found
 * within the bounds below is of all that run at that moment, and their rows say so.
 */

#include "base/mem.h"
#include "engine/guarding.h"
#include "engine/live.h"
#include "engine/watch.h"
#include "guard/guard.h"
#include "sys/holder.h"

#include <stdlib.h>
#include <string.h>

/* Of one question; and so long of every second, since others wait meanwhile. */
#define THREADS 1024
#define DESCRIPTORS 4096
#define SECOND_US 1000000u
#define SEARCH_US 100000u

/* What a command has reached; made when there is something. */
struct live_seen {
	struct result_network network;
	uint64_t up, down;
};

static bool is_running(const struct live_line *l)
{
	return l->used && (l->orders >= 0 || l->ended);
}

/* One that is held may have been given a command that we have not heard of. */
static uint64_t number_of(const struct live_line *l)
{
	if (is_running(l))
		return l->owner;
	return l->used && l->held.orders >= 0 ? l->held.owner : 0;
}

void live_owner_look(struct live *v)
{
	v->owners = 0;
	for (size_t i = 0; i < LIVE_LINES; i++) {
		uint64_t number = number_of(&v->lines[i]);

		if (!number)
			continue;
		v->owners++;
		v->only_owner = number;
	}
}

static pid_t top_of(struct live *v, struct live_line *l)
{
	bool running = is_running(l);
	pid_t *top = running ? &l->top : &l->held.top;

	if (!*top)
		*top = watch_find(v->stage->init, running ? l->shepherd : l->held.shepherd);
	return *top;
}

/* 0: nobody's, several's, or it took too long. */
static uint64_t search(struct live *v, const uint32_t *inodes, size_t count)
{
	struct holder_room room = {THREADS, DESCRIPTORS};
	uint64_t owner = 0;

	for (size_t i = 0; i < LIVE_LINES; i++) {
		struct live_line *l = &v->lines[i];
		uint64_t number = l->ended ? 0 : number_of(l);
		pid_t top = number ? top_of(v, l) : 0;
		int r = number ? top ? holder_below(top, inodes, count, &room) : -1 : 0;

		if (r < 0 || (r > 0 && owner))
			return 0;
		if (r > 0)
			owner = number;
	}
	return owner;
}

static uint64_t search_in_time(struct live *v, const uint32_t *inodes, size_t count)
{
	uint64_t began = live_now(), owner;

	if (began - v->search_second >= SECOND_US) {
		v->search_second = began;
		v->searched = 0;
	}
	if (v->searched >= SEARCH_US)
		return 0;
	owner = search(v, inodes, count);
	v->searched += live_now() - began;
	return owner;
}

static bool find_owner(void *ctx, const uint32_t *inodes, size_t count, uint64_t *ret)
{
	struct live *v = ctx;

	*ret = v->owners == 1 ? v->only_owner : 0;
	if (v->owners <= 1)
		return true;
	if (!inodes)
		return false;
	*ret = count > 0 ? search_in_time(v, inodes, count) : 0;
	if (!*ret)
		*ret = GUARD_SHARED | v->born;
	return true;
}

/* Shared: all that had begun by then. */
static bool is_of(const struct live_line *l, uint64_t owner)
{
	if (!is_running(l))
		return false;
	return owner & GUARD_SHARED ? l->born <= (owner & ~GUARD_SHARED) : l->owner == owner;
}

static void add(struct live_line *l, const struct guarding_told *t)
{
	struct result_flow f = *t->flow;

	if (!l->seen)
		l->seen = mem_alloc(sizeof *l->seen);
	f.shared = t->owner & GUARD_SHARED;
	l->seen->up += f.up;
	l->seen->down += f.down;
	l->seen->network.spent += t->spent;
	if (!t->inbound)
		result_network_add(&l->seen->network, &f);
}

static void take_told(void *ctx, const struct guarding_told *t)
{
	struct live *v = ctx;

	for (size_t i = 0; i < LIVE_LINES && t->owner; i++)
		if (is_of(&v->lines[i], t->owner))
			add(&v->lines[i], t);
}

void live_owner_begin(struct live *v)
{
	guarding_keep(v->stage, &(struct guarding_book){find_owner, take_told, v});
}

/* What is still open: with what has gone over it so far. */
struct sum {
	const struct live_line *line;
	struct result_usage *usage;
};

static void add_open(void *ctx, const struct guarding_told *t)
{
	struct sum *s = ctx;

	if (!is_of(s->line, t->owner))
		return;
	s->usage->sent_bytes += t->flow->up;
	s->usage->received_bytes += t->flow->down;
}

void live_owner_take(struct live *v, struct live_line *l)
{
	if (!v->stage->guarding)
		return;
	live_owner_look(v);
	guarding_take_new(v->stage);
	guarding_work(v->stage);
	guarding_leave(v->stage, l->owner);
}

void live_owner_bytes(const struct live *v, const struct live_line *l, struct result_usage *io)
{
	struct sum sum = {l, io};

	if (l->seen) {
		io->sent_bytes += l->seen->up;
		io->received_bytes += l->seen->down;
	}
	guarding_look_open(v->stage, add_open, &sum);
}

const struct result_network *live_owner_rows(const struct live_line *l)
{
	return l->seen && l->seen->network.flows[0].count > 0 ? &l->seen->network : NULL;
}

void live_owner_free(struct live_line *l)
{
	free(l->seen);
	l->seen = NULL;
}
