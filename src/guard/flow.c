/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A connection of a program inside, from its beginning to its end. The kernel has accepted it
 * before anything is decided, so a refusal is said in the words of the protocol where it has some,
 * and by a reset otherwise.
 */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "guard/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>

#define TURN 64 /* connections that are accepted at a time */
#define PORT_DNS 53
#define DRAIN_MOST (4u << 20) /* more than the buffers of both sides hold */
#define BOTH_WAYS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)

/* How long it may stay in a state; 0: for ever. All of a state's are due in the order they came. */
static const uint64_t patience_ms[FLOW_STATES] = {
	[FLOW_HEAD] = 10000,
	[FLOW_NAME] = 20000,
	[FLOW_DIAL] = 250,
	[FLOW_RACE] = 30000,
	[FLOW_PACED] = 20,
	[FLOW_ASK] = 30000,
	[FLOW_LAST] = 3000,
};

static const char *const late[FLOW_STATES] = {
	[FLOW_HEAD] = "it did not say where it wants to go",
	[FLOW_NAME] = "the name could not be looked up in time",
	[FLOW_RACE] = "the server did not answer",
};

static void leave(struct guard *g, struct flow *f)
{
	struct flow_queue *q = &g->queues[f->state];

	if (f->before)
		f->before->after = f->after;
	else
		q->first = f->after;
	if (f->after)
		f->after->before = f->before;
	else
		q->last = f->before;
	f->before = f->after = NULL;
}

static void enter(struct guard *g, struct flow *f, enum flow_state state)
{
	struct flow_queue *q = &g->queues[state];

	f->state = state;
	f->deadline = patience_ms[state] ? g->now + patience_ms[state] : 0;
	f->before = q->last;
	if (q->last)
		q->last->after = f;
	else
		q->first = f;
	q->last = f;
}

void flow_enter(struct guard *g, struct flow *f, enum flow_state state)
{
	leave(g, f);
	enter(g, f, state);
}

uint64_t flow_next_due(const struct guard *g)
{
	uint64_t first = 0;

	for (int i = 0; i < FLOW_STATES; i++) {
		const struct flow *f = g->queues[i].first;

		if (f && f->deadline && (!first || f->deadline < first))
			first = f->deadline;
	}
	return first;
}

void flow_busy(struct guard *g, struct flow *f)
{
	if (f->busy)
		return;
	f->busy = true;
	if (g->busy_last)
		g->busy_last->next_busy = f;
	else
		g->busy = f;
	g->busy_last = f;
}

static struct guard_event event_of(const struct guard *g, const struct flow *f)
{
	return (struct guard_event){.kind = f->inbound ? GUARD_INBOUND : GUARD_TCP,
		.allowed = !f->refused,
		.spent = f->spent,
		.name = f->name ? f->name : "",
		.addr = f->at,
		.port = f->port,
		.owner = f->owner,
		.why = f->why ? f->why : f->verdict.why,
		.rule = f->verdict.rule,
		.up = f->up.moved - f->told_up,
		.down = f->down.moved - f->told_down,
		.ms = g->now - f->began};
}

void flow_tell(struct guard *g, struct flow *f)
{
	struct guard_event e = event_of(g, f);

	if (f->told && f->told_refused == f->refused && e.up + e.down == 0)
		return;
	f->told = true;
	f->told_refused = f->refused;
	f->told_up = f->up.moved;
	f->told_down = f->down.moved;
	guard_tell(g, &e);
}

/* Whoever is still named by an event of this turn finds it dead. */
void flow_close(struct guard *g, struct flow *f)
{
	if (f->dead)
		return;
	if (f->state != FLOW_ASK)
		flow_tell(g, f);
	f->dead = true;
	leave(g, f);
	lookup_forget(&f->waiter);
	if (f->counted)
		budget_leave(f->budget);
	pump_free(&f->up);
	pump_free(&f->down);
	guard_unwatch(g, &f->client);
	guard_unwatch(g, &f->server);
	guard_unwatch(g, &f->rival);
	flow_drop_head(g, f);
	free(take_ptr(f->hello));
	free(take_ptr(f->http));
	free(take_ptr(f->servers));
	free(take_ptr(f->said));
	g->flow_count--;
	f->next_dead = g->dead;
	g->dead = f;
}

/* But for those that are in the list of the next turn. */
void flow_bury(struct guard *g)
{
	struct flow **at = &g->dead;

	while (*at) {
		struct flow *f = *at;

		if (f->busy) {
			at = &f->next_dead;
			continue;
		}
		*at = f->next_dead;
		free(f);
	}
}

static void reset_on_close(int fd)
{
	struct linger now = {.l_onoff = 1};

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void flow_break(struct guard *g, struct flow *f, const char *why)
{
	if (!f->why)
		f->why = why;
	reset_on_close(f->client.fd);
	reset_on_close(f->server.fd);
	flow_close(g, f);
}

/* Before it said anything: an answer that its protocol has. */
static size_t last_words(const struct flow *f, char *out, size_t room)
{
	if (f->port == NETRULE_PORT_HTTP)
		return http_refusal(out, room, f->why);
	if (f->port != NETRULE_PORT_HTTPS)
		return 0;
	memcpy(out, hello_alert_denied, HELLO_ALERT_LEN);
	return HELLO_ALERT_LEN;
}

/* What it sends meanwhile is read: the kernel would answer it with a reset, which overtakes. */
void flow_refuse(struct guard *g, struct flow *f, const char *why)
{
	char words[HTTP_REFUSAL_MAX];
	size_t size;

	f->why = why;
	f->refused = true;
	size = f->down.moved || f->up.moved ? 0 : last_words(f, words, sizeof words);
	if (size == 0 || send(f->client.fd, words, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		flow_break(g, f, why);
		return;
	}
	guard_unwatch(g, &f->server);
	guard_unwatch(g, &f->rival);
	lookup_forget(&f->waiter);
	flow_drop_head(g, f);
	shutdown(f->client.fd, SHUT_WR);
	flow_enter(g, f, FLOW_LAST);
	flow_busy(g, f);
}

/* What was on its way when it was refused; who sends on without listening is not waited for. */
static void drain(struct guard *g, struct flow *f)
{
	char unused[4096];

	for (int i = 0; i < 16; i++) {
		ssize_t n = recv(f->client.fd, unused, sizeof unused, MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN)
			return;
		f->drained += n > 0 ? (size_t)n : 0;
		if (n <= 0 || f->drained > DRAIN_MOST) {
			flow_close(g, f);
			return;
		}
	}
	flow_busy(g, f);
}

bool flow_take_budget(struct guard *g, struct flow *f, const char *host)
{
	if (f->counted)
		budget_leave(f->budget);
	f->budget = budget_of(g, host, &f->to);
	f->counted = budget_enter(f->budget);
	return f->counted;
}

/* Why it must not go on; NULL: it may. */
static const char *judge(struct guard *g, struct flow *f)
{
	if (f->name) {
		f->verdict = judge_name(g, f->name, f->port);
	} else if (alias_owns(&g->aliases, &f->to)) {
		f->verdict = (struct net_verdict){.why = "no name has this address"};
	} else {
		f->verdict = judge_address(g, &f->to, f->port, NULL);
	}
	if (!f->verdict.allow)
		return f->verdict.why;
	f->service = f->verdict.rule && f->verdict.rule->kind == NETRULE_SERVICE;
	f->rules = g->rules;
	return flow_take_budget(g, f, f->name) ? NULL : BUDGET_CONNECTIONS;
}

/* To some clients an answer that comes before their request is none. */
static void decide(struct guard *g, struct flow *f)
{
	f->why = judge(g, f);
	f->refused = f->why;
	if (f->refused && f->port != NETRULE_PORT_HTTP)
		flow_refuse(g, f, f->why);
	else if (f->port == NETRULE_PORT_HTTP || f->port == NETRULE_PORT_HTTPS)
		flow_busy(g, f); /* it may have spoken already */
	else
		flow_connect(g, f);
}

/* Where it wanted to go: our own name of it. */
static int take_destination(struct flow *f, int fd)
{
	struct sockaddr_in6 name;
	socklen_t len = sizeof name;
	struct netaddr a = {.v4 = false};

	if (getsockname(fd, (struct sockaddr *)&name, &len) < 0 || name.sin6_family != AF_INET6)
		return -EINVAL;
	memcpy(a.bytes, &name.sin6_addr, sizeof a.bytes);
	f->to = netaddr_unmap(&a);
	f->port = ntohs(name.sin6_port);
	return 0;
}

/* False: it has ended already. */
static bool begin(struct guard *g, int fd, struct flow *f)
{
	f->client.fd = f->server.fd = f->rival.fd = -1;
	pump_init(&f->up, -1, -1, PUMP_UNLIMITED);
	pump_init(&f->down, -1, -1, PUMP_UNLIMITED);
	f->began = g->now;
	f->waiter = (struct waiter){.found = flow_found, .owner = f};
	g->flow_count++;
	enter(g, f, FLOW_HEAD);
	if ((!f->inbound && take_destination(f, fd) < 0) ||
		guard_watch(g, &f->client, WATCH_CLIENT, fd, f, BOTH_WAYS) < 0) {
		f->client.fd = fd;
		flow_break(g, f, "it could not be taken");
		return false;
	}
	f->at = f->to;
	return true;
}

static void begin_inside(struct guard *g, int fd, bool questions)
{
	struct flow *f = mem_alloc(sizeof *f);

	if (!begin(g, fd, f))
		return;
	f->owner = whose_connection(g, fd, &f->to, f->port);
	f->name = alias_name_at(&g->aliases, &f->to);
	if (questions || f->port == PORT_DNS) {
		flow_enter(g, f, FLOW_ASK);
		flow_busy(g, f);
		return;
	}
	decide(g, f);
}

static void begin_outside(struct guard *g, int fd, const struct inbound *in)
{
	static const struct netaddr loopback = {.v4 = true, .bytes = {127, 0, 0, 1}};
	struct flow *f = mem_alloc(sizeof *f);
	int one = 1;

	f->inbound = true;
	f->port = in->port;
	f->owner = whose_port(g, in->own ? &loopback : &g->call.own4, in->port);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (begin(g, fd, f))
		flow_dial_inside(g, f, in->own);
}

static void turn_away(int fd)
{
	reset_on_close(fd);
	close(fd);
}

/* Without a descriptor for it a connection would wait for ever, and we for it: one is kept back. */
static bool turn_away_without(struct guard *g, const struct watch *listener)
{
	int fd;

	if ((errno != EMFILE && errno != ENFILE) || g->spare < 0)
		return false;
	close(g->spare);
	fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		turn_away(fd);
	g->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd >= 0;
}

void flow_accept(struct guard *g, struct watch *listener)
{
	for (int i = 0; i < TURN; i++) {
		int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && turn_away_without(g, listener))
			continue;
		if (fd < 0)
			return;
		g->behind = i == TURN - 1;
		if (g->flow_count >= g->flow_most)
			turn_away(fd);
		else if (listener->kind == WATCH_INBOUND)
			begin_outside(g, fd, listener->owner);
		else
			begin_inside(g, fd, listener->kind == WATCH_DNS_TCP);
	}
}

void flow_event(struct guard *g, struct watch *w, uint32_t events)
{
	struct flow *f = w->owner;

	if (f->dead)
		return;
	switch (f->state) {
	case FLOW_HEAD:
		flow_read_head(g, f);
		break;
	case FLOW_NAME:
		if (events & (EPOLLHUP | EPOLLERR))
			flow_break(g, f, "the program has gone");
		break;
	case FLOW_DIAL:
	case FLOW_RACE:
		if (w->kind != WATCH_CLIENT)
			flow_dialled(g, f, w);
		else if (events & (EPOLLHUP | EPOLLERR))
			flow_break(g, f, "the program has gone");
		break;
	case FLOW_OPEN:
		if (w->kind == WATCH_CLIENT &&
			(events & EPOLLERR || (events & EPOLLHUP && !f->down.ended)))
			flow_break(g, f, NULL);
		else
			flow_open_event(g, f, w, events);
		break;
	case FLOW_PACED:
		if (w->kind == WATCH_CLIENT &&
			(events & EPOLLERR || (events & EPOLLHUP && !f->down.ended)))
			flow_break(g, f, NULL);
		break;
	case FLOW_ASK:
		ask_connection(g, f);
		break;
	case FLOW_LAST:
		drain(g, f);
		break;
	case FLOW_STATES:
	default:
		break;
	}
}

void flow_look(
	const struct guard *g, void (*see)(void *ctx, const struct guard_event *e), void *ctx)
{
	for (int i = 0; i < FLOW_STATES; i++)
		for (const struct flow *f = g->queues[i].first; f; f = f->after) {
			struct guard_event e = event_of(g, f);

			if (f->state != FLOW_ASK)
				see(ctx, &e);
		}
}

bool flow_is_allowed(const struct guard *g, const struct flow *f, bool dialled)
{
	const char *name = f->name ? f->name : f->said;

	if (f->inbound)
		return true;
	if (name && !judge_name(g, name, f->port).allow)
		return false;
	if (!f->name)
		return judge_address(g, &f->to, f->port, NULL).allow;
	return f->service || !dialled || judge_address(g, &f->at, f->port, f->name).allow;
}

/* Those that are being dialled are looked at again when they are there. */
static bool is_still_allowed(const struct guard *g, const struct flow *f)
{
	return f->state == FLOW_ASK || f->state == FLOW_LAST || f->refused ||
	       flow_is_allowed(g, f, f->state == FLOW_OPEN || f->state == FLOW_PACED);
}

size_t flow_judge_again(struct guard *g)
{
	size_t ended = 0;

	for (int i = 0; i < FLOW_STATES; i++) {
		struct flow *f = g->queues[i].first, *next;

		for (; f; f = next) {
			next = f->after;
			if (is_still_allowed(g, f))
				continue;
			f->refused = true;
			flow_break(g, f, RULES_CHANGED);
			ended++;
		}
	}
	return ended;
}

void flow_due(struct guard *g, struct flow *f)
{
	if (f->state == FLOW_DIAL)
		flow_dial_rival(g, f);
	else if (f->state == FLOW_PACED)
		flow_go_on(g, f);
	else if (f->state == FLOW_HEAD)
		flow_refuse(g, f, f->refused ? f->why : late[f->state]);
	else if (f->state == FLOW_ASK || f->state == FLOW_LAST)
		flow_close(g, f);
	else
		flow_break(g, f, late[f->state]);
}
