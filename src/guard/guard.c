/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/guard.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "guard/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

#define EVENTS 64 /* that are taken at a time */
#define NAMES 65536
#define TURNS 128     /* until nobody waits any more: the kernel keeps fewer waiting */
#define KEPT_BACK 560 /* descriptors that are for other things, and for pipes */
#define LEAST 100     /* that are used, however few there are */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int guard_watch(struct guard *g, struct watch *w, enum watch_kind kind, int fd, void *owner,
	uint32_t events)
{
	struct epoll_event e = {.events = events, .data.ptr = w};

	*w = (struct watch){.kind = kind, .fd = -1, .owner = owner};
	if (epoll_ctl(g->epoll, EPOLL_CTL_ADD, fd, &e) < 0)
		return -errno;
	w->fd = fd;
	return 0;
}

/* Not only closed: as long as a child that is about to become another program has it too, epoll
 * would go on speaking of it. */
void guard_unwatch(struct guard *g, struct watch *w)
{
	if (w->fd < 0)
		return;
	epoll_ctl(g->epoll, EPOLL_CTL_DEL, w->fd, NULL);
	close(take_fd(&w->fd));
}

void guard_tell(struct guard *g, const struct guard_event *e)
{
	if (g->call.event)
		g->call.event(g->call.ctx, e);
}

static const enum watch_kind kinds[CATCH_COUNT] = {
	[CATCH_TCP] = WATCH_TCP,
	[CATCH_UDP4] = WATCH_UDP,
	[CATCH_UDP6] = WATCH_UDP,
	[CATCH_DNS4] = WATCH_DNS,
	[CATCH_DNS6] = WATCH_DNS,
	[CATCH_DNS_TCP] = WATCH_DNS_TCP,
	[CATCH_RAW4] = WATCH_KINDS, /* only written to */
	[CATCH_RAW6] = WATCH_KINDS,
	[CATCH_DIAG] = WATCH_KINDS, /* asked */
};

static int watch_ports(struct guard *g)
{
	int r = 0;

	for (size_t i = 0; i < NET_PORTS; i++)
		g->ports[i].fd = i < g->call.port_count ? g->call.ports[i] : -1;
	for (size_t i = 0; i < g->call.port_count && r == 0; i++) {
		int fd = g->ports[i].fd;

		r = guard_watch(g, &g->ports[i], WATCH_TCP, fd, NULL, EPOLLIN);
		g->ports[i].fd = fd;
	}
	return r;
}

static int watch_sockets(struct guard *g, const int sockets[CATCH_COUNT])
{
	int r = 0;

	for (int i = 0; i < CATCH_COUNT; i++)
		g->sockets[i] = (struct watch){.kind = WATCH_KINDS, .fd = sockets[i]};
	for (int i = 0; i < CATCH_COUNT && r == 0; i++)
		if (kinds[i] != WATCH_KINDS && sockets[i] >= 0) {
			r = guard_watch(g, &g->sockets[i], kinds[i], sockets[i], NULL, EPOLLIN);
			g->sockets[i].fd = sockets[i];
		}
	return r;
}

/* Each connection needs two descriptors, and more with pipes; each flow of datagrams one. The
 * supervisor has other things to do than this. */
static void share_files(struct guard *g)
{
	struct rlimit files = {.rlim_cur = 1024};
	size_t most;

	getrlimit(RLIMIT_NOFILE, &files);
	most = files.rlim_cur < KEPT_BACK + LEAST ? LEAST : files.rlim_cur - KEPT_BACK;
	g->udp_most = most / 4 < GUARD_UDP ? most / 4 : GUARD_UDP;
	most = (most - g->udp_most) / 2;
	g->flow_most = most < GUARD_FLOWS ? most : GUARD_FLOWS;
}

int guard_open(const struct guard_call *call, const int sockets[CATCH_COUNT], struct guard **ret,
	struct err *e)
{
	struct guard *g = mem_alloc(sizeof *g);
	int r;

	g->call = *call;
	g->resolver.fd = -1;
	for (size_t i = 0; i < NET_PORTS; i++)
		g->ports[i].fd = -1;
	g->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	share_files(g);
	g->epoll = epoll_create1(EPOLL_CLOEXEC);
	r = g->epoll < 0 ? -errno : 0;
	if (r == 0 && getrandom(g->key, sizeof g->key, 0) != sizeof g->key)
		r = -EIO;
	if (r == 0 && sockets[0] >= 0)
		r = alias_init(&g->aliases, &call->block4, &call->block6, NAMES, g->key);
	if (r == 0)
		r = watch_sockets(g, sockets);
	else
		for (int i = 0; i < CATCH_COUNT; i++)
			g->sockets[i].fd = sockets[i];
	if (r == 0)
		r = watch_ports(g);
	else
		for (size_t i = 0; i < g->call.port_count; i++)
			close(g->call.ports[i]);
	if (r < 0)
		err_sys(e, r, "begin to guard the network");
	else
		r = inbound_open(g, e);
	if (r < 0)
		guard_free(g);
	else
		*ret = g;
	return r;
}

void guard_free(struct guard *g)
{
	if (!g)
		return;
	for (int i = 0; i < FLOW_STATES; i++)
		while (g->queues[i].first)
			flow_close(g, g->queues[i].first);
	udp_free(g);
	inbound_free(g);
	for (struct flow *f = g->busy; f; f = f->next_busy)
		f->busy = false;
	flow_bury(g);
	for (int i = 0; i < CATCH_COUNT; i++)
		guard_unwatch(g, &g->sockets[i]);
	for (size_t i = 0; i < g->call.port_count; i++)
		guard_unwatch(g, &g->ports[i]);
	guard_unwatch(g, &g->resolver);
	lookup_free(g);
	alias_free(&g->aliases);
	cleanup_fd(&g->epoll);
	cleanup_fd(&g->spare);
	free(g);
}

int guard_fd(const struct guard *g)
{
	return g->epoll;
}

bool guard_is_sending(const struct guard *g)
{
	for (int i = 0; i < FLOW_STATES; i++)
		for (const struct flow *f = g->queues[i].first; f; f = f->after)
			if (f->state != FLOW_ASK && f->state != FLOW_LAST &&
				!(f->inbound ? f->down.ended : f->up.ended))
				return true;
	return false;
}

int guard_due(const struct guard *g)
{
	uint64_t due, now, udp;

	if (g->busy)
		return 0;
	due = flow_next_due(g);
	udp = udp_next_due(g);
	if (udp && (!due || udp < due))
		due = udp;
	if (!due)
		return -1;
	now = now_ms();
	return due <= now ? 0 : due - now > 60000 ? 60000 : (int)(due - now);
}

void guard_look(
	const struct guard *g, void (*see)(void *ctx, const struct guard_event *e), void *ctx)
{
	flow_look(g, see, ctx);
	udp_look(g, see, ctx);
}

size_t guard_judge_again(struct guard *g, bool now)
{
	size_t ended;

	g->rules++;
	ended = udp_judge_again(g, now) + (now ? flow_judge_again(g) : 0);

	flow_bury(g);
	return ended;
}

void guard_tell_left(struct guard *g, uint64_t owner)
{
	flow_tell_left(g, owner);
	udp_tell_left(g, owner);
	flow_bury(g);
}

static void take(struct guard *g, struct watch *w, uint32_t events)
{
	switch (w->kind) {
	case WATCH_TCP:
	case WATCH_DNS_TCP:
	case WATCH_INBOUND:
		flow_accept(g, w);
		break;
	case WATCH_DNS:
		ask_datagrams(g, w);
		break;
	case WATCH_RESOLVER:
		lookup_answer(g);
		break;
	case WATCH_CLIENT:
	case WATCH_SERVER:
	case WATCH_RIVAL:
		flow_event(g, w, events);
		break;
	case WATCH_UDP:
		udp_datagrams(g, w);
		break;
	case WATCH_UDP_SERVER:
		udp_answers(g, w);
		break;
	case WATCH_KINDS:
	default:
		break;
	}
}

static void take_waiting(struct guard *g, struct watch *w)
{
	bool entrance = w->kind == WATCH_TCP || w->kind == WATCH_DNS_TCP || w->kind == WATCH_DNS ||
			w->kind == WATCH_UDP;

	for (int i = 0; i < TURNS && w->fd >= 0 && entrance; i++) {
		g->behind = false;
		take(g, w, EPOLLIN);
		if (!g->behind)
			return;
	}
}

void guard_take_new(struct guard *g)
{
	g->now = now_ms();
	for (int i = 0; i < CATCH_COUNT; i++)
		take_waiting(g, &g->sockets[i]);
	for (size_t i = 0; i < g->call.port_count; i++)
		take_waiting(g, &g->ports[i]);
	flow_bury(g);
}

/* Those that stopped to let others have their turn, the first of them. */
static void go_on(struct guard *g)
{
	for (int i = 0; i < EVENTS && g->busy; i++) {
		struct flow *f = g->busy;

		g->busy = f->next_busy;
		if (!g->busy)
			g->busy_last = NULL;
		f->busy = false;
		f->next_busy = NULL;
		flow_event(g, &f->client, 0);
	}
}

static void keep_times(struct guard *g)
{
	for (int i = 0; i < FLOW_STATES; i++) {
		struct flow *f = g->queues[i].first, *next;

		for (; f && f->deadline && f->deadline <= g->now; f = next) {
			next = f->after;
			flow_due(g, f);
		}
	}
}

void guard_work(struct guard *g)
{
	struct epoll_event events[EVENTS];
	int n;

	g->now = now_ms();
	go_on(g);
	n = epoll_wait(g->epoll, events, EVENTS, 0);
	for (int i = 0; i < n; i++) {
		struct watch *w = events[i].data.ptr;

		if (w->fd >= 0)
			take(g, w, events[i].events);
	}
	flow_bury(g);
	keep_times(g);
	udp_expire(g);
	flow_bury(g);
}
