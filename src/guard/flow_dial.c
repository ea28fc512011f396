/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The server of a connection: the name is resolved once, every address of it is judged, and those
 * that may be dialled are, in their order; the other family a little later when the first does not
 * answer at once.
 */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "guard/parts.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>

#define BOTH_WAYS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)

static const char *const no_address[NAMES_ENDS] = {
	[NAMES_NONE] = "there is no such name",
	[NAMES_FAILED] = "the name could not be looked up",
	[NAMES_BUSY] = "too many names are looked up at the same time",
};

static int outside_socket(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* 0: it is under way. */
static int dial(struct guard *g, struct flow *f, struct watch *w, enum watch_kind kind)
{
	const struct netaddr *at = &f->servers[f->server_next++];
	struct sockaddr_storage to;
	socklen_t len =
		f->inbound ? inbound_sockaddr(at, f->port, &to) : judge_sockaddr(at, f->port, &to);
	auto_fd int fd = f->inbound ? inbound_socket(g) : outside_socket(to.ss_family);
	int one = 1, r;

	if (fd < 0)
		return fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
	if (connect(fd, (struct sockaddr *)&to, len) < 0 && errno != EINPROGRESS)
		return -errno;
	r = guard_watch(g, w, kind, fd, f, BOTH_WAYS);
	if (r == 0)
		take_fd(&fd);
	return r;
}

/* The next one that can be begun to be dialled; -errno of the last that could not. */
static int dial_next(struct guard *g, struct flow *f, struct watch *w, enum watch_kind kind)
{
	int r = -EHOSTUNREACH;

	while (f->server_next < f->server_count) {
		r = dial(g, f, w, kind);
		if (r == 0)
			return 0;
	}
	return r;
}

static void dial_first(struct guard *g, struct flow *f)
{
	if (dial_next(g, f, &f->server, WATCH_SERVER) < 0)
		flow_break(g, f, "the server cannot be reached");
	else
		flow_enter(g, f, FLOW_DIAL);
}

void flow_dial_rival(struct guard *g, struct flow *f)
{
	flow_enter(g, f, FLOW_RACE);
	dial_next(g, f, &f->rival, WATCH_RIVAL);
}

static void set_servers(struct flow *f, const struct netaddr *list, size_t count)
{
	f->servers = mem_alloc(count * sizeof *list);
	memcpy(f->servers, list, count * sizeof *list);
	f->server_count = count;
	f->server_next = 0;
}

/* One of the other family behind the first: a family that does not work is found out soon. */
static void mix_families(struct netaddr *list, size_t count)
{
	for (size_t i = 2; i < count; i++)
		if (list[0].v4 == list[1].v4 && list[i].v4 != list[0].v4) {
			struct netaddr other = list[i];

			memmove(list + 2, list + 1, (i - 1) * sizeof *list);
			list[1] = other;
		}
}

void flow_found(struct guard *g, void *flow, const struct lookup *l)
{
	struct flow *f = flow;
	struct netaddr allowed[NAMES_ADDRESSES];
	struct net_verdict v = {.why = NULL};
	size_t count = 0;

	if (l->end != NAMES_FOUND) {
		flow_break(g, f, no_address[l->end]);
		return;
	}
	for (size_t i = 0; i < l->count; i++) {
		v = judge_address(g, &l->address[i], f->port, f->name);
		if (v.allow)
			allowed[count++] = netaddr_unmap(&l->address[i]);
	}
	if (count == 0) {
		f->at = l->address[0];
		flow_refuse(g, f, v.why);
		return;
	}
	mix_families(allowed, count);
	set_servers(f, allowed, count);
	dial_first(g, f);
}

static const struct netaddr here[] = {{.bytes = {127, 0, 0, 1}, .v4 = true}, {.bytes = {[15] = 1}}};

void flow_dial_inside(struct guard *g, struct flow *f, bool own)
{
	const struct netaddr by_name[] = {g->call.own4, g->call.own6};

	set_servers(f, own ? here : by_name, ARRAY_LEN(here));
	dial_first(g, f);
}

void flow_connect(struct guard *g, struct flow *f)
{
	const struct lookup *l;
	int r;

	if (f->rules != g->rules && !flow_is_allowed(g, f, false)) {
		flow_refuse(g, f, RULES_CHANGED);
		return;
	}
	if (f->service) {
		set_servers(f, here, ARRAY_LEN(here));
		dial_first(g, f);
		return;
	}
	if (!f->name) { /* it may have taken its time since it was judged */
		f->verdict = judge_address(g, &f->to, f->port, NULL);
		if (!f->verdict.allow) {
			flow_refuse(g, f, f->verdict.why);
			return;
		}
		set_servers(f, &f->to, 1);
		dial_first(g, f);
		return;
	}
	flow_enter(g, f, FLOW_NAME);
	r = lookup_name(g, f->name, &f->waiter, &l);
	if (r < 0)
		flow_break(g, f, "too many names are known already");
	else if (r == 0)
		flow_found(g, f, l);
}

static int outcome(int fd)
{
	int error = 0;
	socklen_t len = sizeof error;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return -errno;
	return -error;
}

static bool is_connected(int fd, struct netaddr *ret)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof name;

	if (getpeername(fd, (struct sockaddr *)&name, &len) < 0)
		return false;
	*ret = (struct netaddr){.v4 = name.ss_family == AF_INET};
	if (ret->v4)
		memcpy(ret->bytes, &((struct sockaddr_in *)(void *)&name)->sin_addr, 4);
	else
		memcpy(ret->bytes, &((struct sockaddr_in6 *)(void *)&name)->sin6_addr, 16);
	return true;
}

/* The one that is connected stays; both are watched alike from now on. */
static void keep_winner(struct guard *g, struct flow *f, struct watch *w)
{
	struct epoll_event e = {.events = BOTH_WAYS, .data.ptr = &f->server};
	struct watch *loser = w == &f->server ? &f->rival : &f->server;

	if (loser->fd >= 0)
		guard_unwatch(g, loser);
	if (w == &f->server)
		return;
	f->server = (struct watch){.kind = WATCH_SERVER, .fd = take_fd(&f->rival.fd), .owner = f};
	epoll_ctl(g->epoll, EPOLL_CTL_MOD, f->server.fd, &e);
}

void flow_dialled(struct guard *g, struct flow *f, struct watch *w)
{
	int r = outcome(w->fd);

	if (r == 0 && !is_connected(w->fd, &f->at))
		return; /* not yet */
	if (r == 0 && f->rules != g->rules && !flow_is_allowed(g, f, true)) {
		flow_refuse(g, f, RULES_CHANGED);
		return;
	}
	if (r == 0) {
		keep_winner(g, f, w);
		flow_begin(g, f);
		return;
	}
	guard_unwatch(g, w);
	if (dial_next(g, f, w, w->kind) == 0)
		return;
	if (f->server.fd < 0 && f->rival.fd < 0)
		flow_break(g, f, "the server cannot be reached");
}
