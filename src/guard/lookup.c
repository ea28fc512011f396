/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The addresses of names, as the network outside has them now: asked of the resolver once for all
 * that wait, and kept as long as they are good. Only names that are allowed get here.
 */

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/siphash.h"
#include "guard/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define GOOD_MIN_MS 1000 /* however short its owner wants it: flows that come together */
#define GOOD_MAX_MS 300000
#define START_MS 1000 /* between two starts of the resolver */
#define TURN 64
#define BAD_MS 1000 /* of an answer that is none */

static struct lookup **bucket(struct guard *g, const char *name)
{
	return &g->lookups[siphash(g->key, name, strlen(name)) % LOOKUP_BUCKETS];
}

static struct lookup *find(struct guard *g, const char *name)
{
	for (struct lookup *l = *bucket(g, name); l; l = l->next)
		if (strcmp(l->name, name) == 0)
			return l;
	return NULL;
}

/* Nobody waits for it, and it is not good any more. */
static bool is_old(const struct guard *g, const struct lookup *l)
{
	return !l->asked && !l->waiting && l->good_for <= g->now;
}

static void clear_old(struct guard *g, struct lookup **at)
{
	while (*at) {
		struct lookup *l = *at;

		if (!is_old(g, l)) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		g->lookup_count--;
		free(l);
	}
}

/* The one that is good for the shortest time still; those that are waited for stay. */
static void forget_one(struct guard *g)
{
	struct lookup *first = NULL;

	for (size_t i = 0; i < LOOKUP_BUCKETS; i++)
		for (struct lookup *l = g->lookups[i]; l; l = l->next)
			if (!l->asked && !l->waiting && (!first || l->good_for < first->good_for))
				first = l;
	if (!first)
		return;
	first->good_for = 0;
	clear_old(g, bucket(g, first->name));
}

static struct lookup *add(struct guard *g, const char *name)
{
	struct lookup **at = bucket(g, name), *l;

	clear_old(g, at);
	for (size_t i = 0; i < LOOKUP_BUCKETS && g->lookup_count >= LOOKUPS; i++)
		clear_old(g, &g->lookups[i]);
	if (g->lookup_count >= LOOKUPS)
		forget_one(g);
	if (g->lookup_count >= LOOKUPS)
		return NULL;
	l = mem_alloc(sizeof *l);
	l->name = name;
	l->next = *at;
	*at = l;
	g->lookup_count++;
	return l;
}

static int open_resolver(struct guard *g)
{
	int fd, r;

	if (g->resolver.fd >= 0)
		return 0;
	if (g->now < g->resolver_at)
		return -EAGAIN;
	g->resolver_at = g->now + START_MS;
	fd = g->call.resolver ? g->call.resolver(g->call.ctx) : -ENOSYS;
	if (fd < 0)
		return fd;
	r = guard_watch(g, &g->resolver, WATCH_RESOLVER, fd, NULL, EPOLLIN);
	if (r < 0)
		close(fd);
	return r;
}

static int ask(struct guard *g, struct lookup *l)
{
	struct names_question q = {.id = ++g->last_id};
	int r = open_resolver(g);

	if (r < 0)
		return r;
	memcpy(q.name, l->name, strnlen(l->name, sizeof q.name - 1));
	if (send(g->resolver.fd, &q, sizeof q, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return -errno;
	l->id = q.id;
	l->asked = true;
	return 0;
}

/* Of the operator's own table; they do not change. */
static bool take_host(const struct guard *g, struct lookup *l)
{
	for (size_t i = 0; i < g->call.host_count && l->count < NAMES_ADDRESSES; i++)
		if (strcmp(g->call.hosts[i].name, l->name) == 0)
			l->address[l->count++] = g->call.hosts[i].addr;
	l->end = NAMES_FOUND;
	l->good_for = g->now + GOOD_MAX_MS;
	return l->count > 0;
}

static void fail(struct guard *g, struct lookup *l, enum names_end end)
{
	l->asked = false;
	l->count = 0;
	l->end = end;
	l->good_for = g->now + BAD_MS;
}

int lookup_name(struct guard *g, const char *name, struct waiter *w, const struct lookup **ret)
{
	struct lookup *l = find(g, name);

	if (l && !l->asked && l->good_for > g->now) {
		*ret = l;
		return 0;
	}
	if (!l)
		l = add(g, name);
	if (!l)
		return -ENOSPC;
	if (!l->asked) {
		l->count = 0;
		if (take_host(g, l) || ask(g, l) < 0) {
			if (l->count == 0)
				fail(g, l, NAMES_FAILED);
			*ret = l;
			return 0;
		}
	}
	w->on = l;
	w->next = l->waiting;
	l->waiting = w;
	return 1;
}

void lookup_forget(struct waiter *w)
{
	struct waiter **at = w->on ? &w->on->waiting : NULL;

	while (at && *at && *at != w)
		at = &(*at)->next;
	if (at && *at)
		*at = w->next;
	w->on = NULL;
}

static void tell_all(struct guard *g, struct lookup *l)
{
	while (l->waiting) {
		struct waiter *w = l->waiting;

		lookup_forget(w);
		w->found(g, w->owner, l);
	}
}

/* Only what is an address of one of the two families. */
static bool read_address(const struct names_address *from, struct netaddr *ret)
{
	bool four = from->family == 4;

	if (!four && from->family != 6)
		return false;
	*ret = (struct netaddr){.v4 = four};
	memcpy(ret->bytes, from->bytes, four ? 4 : 16);
	return true;
}

static void take(struct guard *g, struct lookup *l, const struct names_answer *a)
{
	uint64_t good = (uint64_t)a->ttl * 1000;

	if (a->end != NAMES_FOUND || a->count == 0) {
		fail(g, l, a->end < NAMES_ENDS && a->end != NAMES_FOUND ? a->end : NAMES_NONE);
		tell_all(g, l);
		return;
	}
	l->asked = false;
	l->end = NAMES_FOUND;
	l->count = 0;
	for (size_t i = 0; i < a->count; i++)
		if (read_address(&a->address[i], &l->address[l->count]))
			l->count++;
	l->good_for = g->now + (good < GOOD_MIN_MS          ? GOOD_MIN_MS
				       : good > GOOD_MAX_MS ? GOOD_MAX_MS
							    : good);
	tell_all(g, l);
}

static struct lookup *find_id(struct guard *g, uint32_t id)
{
	for (size_t i = 0; i < LOOKUP_BUCKETS; i++)
		for (struct lookup *l = g->lookups[i]; l; l = l->next)
			if (l->asked && l->id == id)
				return l;
	return NULL;
}

/* The resolver is gone: the next question starts another one. */
static void lost(struct guard *g)
{
	guard_unwatch(g, &g->resolver);
	for (size_t i = 0; i < LOOKUP_BUCKETS; i++)
		for (struct lookup *l = g->lookups[i]; l; l = l->next)
			if (l->asked) {
				fail(g, l, NAMES_FAILED);
				tell_all(g, l);
			}
}

void lookup_answer(struct guard *g)
{
	size_t head = offsetof(struct names_answer, address);
	struct names_answer a;

	for (int i = 0; i < TURN && g->resolver.fd >= 0; i++) {
		ssize_t n = recv(g->resolver.fd, &a, sizeof a, MSG_DONTWAIT);
		struct lookup *l;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < (ssize_t)head || a.count > NAMES_ADDRESSES ||
			(size_t)n != head + a.count * sizeof a.address[0]) {
			lost(g);
			return;
		}
		l = find_id(g, a.id);
		if (l)
			take(g, l, &a);
	}
}

void lookup_free(struct guard *g)
{
	for (size_t i = 0; i < LOOKUP_BUCKETS; i++)
		while (g->lookups[i]) {
			struct lookup *l = g->lookups[i];

			g->lookups[i] = l->next;
			free(l);
		}
	g->lookup_count = 0;
}
