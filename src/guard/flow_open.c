/* SPDX-License-Identifier: Apache-2.0 */

/* A connection whose two sides are there: what comes goes on, and every request over HTTP is judged
 * as the first one was. */

#include "base/macro.h"
#include "base/mem.h"
#include "guard/parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define STATUS 12 /* bytes of an answer until its status is known: "HTTP/1.1 101" */

/* What the client said first, in one piece. PUMP_READ: it is on its way, or there is none. */
static enum pump_state put_head(struct guard *g, struct flow *f)
{
	size_t size = f->http ? f->head_pass : f->head_len;
	uint64_t lent = budget_lend(g, f->budget, 0, false);
	int r;

	if (size == 0)
		return PUMP_READ;
	if (lent == 0)
		return PUMP_SPENT;
	f->up.allowed = lent;
	r = pump_put(&f->up, f->head, size);
	f->spent = r == -EDQUOT;
	if (r < 0)
		return f->spent ? PUMP_SPENT : PUMP_BROKEN;
	f->head_len -= size;
	memmove(f->head, f->head + size, f->head_len);
	budget_take(f->budget, 0, lent, f->up.allowed);
	return PUMP_READ;
}

static bool has_ended(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};

	return poll(&p, 1, 0) == 1 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/*
 * How the server answers a request for another protocol: known once its first line is, of which
 * nothing is passed on before. False: not yet.
 */
static bool knows_answer(struct flow *f)
{
	char status[STATUS];
	ssize_t n;

	if (!f->http || f->http->state != HTTP_SWITCHING)
		return true;
	n = recv(f->server.fd, status, sizeof status, MSG_PEEK | MSG_DONTWAIT);
	if (n > 0 && n < (ssize_t)sizeof status && !has_ended(f->server.fd))
		return false;
	if (n >= 0 && n < (ssize_t)sizeof status) /* it never will answer */
		http_switched(f->http, false);
	if (n == sizeof status)
		http_switched(f->http, memcmp(status, "HTTP/1.1 101", sizeof status) == 0);
	return n >= 0 || errno != EAGAIN;
}

static enum pump_state send_on(struct flow *f, size_t size)
{
	int r = pump_put(&f->up, f->head, size);

	/* It was judged, and does not go on: nothing behind it may, whatever the rate. */
	f->spent = r == -EDQUOT;
	if (r < 0)
		return f->spent ? PUMP_SPENT : PUMP_BROKEN;
	memmove(f->head, f->head + size, f->head_len - size);
	f->head_len -= size;
	return PUMP_AGAIN;
}

/* The end of what the client says; the half of a request is not said at all. */
static enum pump_state end_requests(struct flow *f)
{
	f->up.over = f->up.ended = true;
	shutdown(f->up.to, SHUT_WR);
	return PUMP_ENDED;
}

/* One step; PUMP_AGAIN: there may be another. *ret_why: it is refused. */
static enum pump_state pass_request(struct guard *g, struct flow *f, const char **ret_why)
{
	struct http_request q;
	size_t pass = 0;
	ssize_t n;

	switch (http_feed(f->http, f->head, f->head_len, &pass, &q)) {
	case HTTP_PASS:
		return send_on(f, pass);
	case HTTP_REQUEST:
		*ret_why = flow_judge_request(g, f, &q);
		return *ret_why ? PUMP_BROKEN : send_on(f, pass);
	case HTTP_REFUSED:
		*ret_why = http_why_text(f->http->why);
		return PUMP_BROKEN;
	case HTTP_MORE:
	default:
		break;
	}
	/* Nothing goes on before the server has answered. */
	if (f->http->state == HTTP_SWITCHING)
		return PUMP_READ;
	n = flow_read(g, f);
	if (n == 0)
		return end_requests(f);
	return n > 0 ? PUMP_AGAIN : n == -EAGAIN ? PUMP_READ : PUMP_BROKEN;
}

static enum pump_state pass_requests(struct guard *g, struct flow *f, const char **ret_why)
{
	enum pump_state state = PUMP_AGAIN;

	if (f->up.ended)
		return PUMP_ENDED;
	for (int i = 0; i < 64 && state == PUMP_AGAIN; i++) {
		state = pump_flush(&f->up);
		if (state == PUMP_READ)
			state = pass_request(g, f, ret_why);
	}
	return state;
}

/* Nothing is ready: later, or never again. Requests are passed on one piece as it is. */
static enum pump_state run_up(struct guard *g, struct flow *f, const char **ret_why)
{
	uint64_t lent = budget_lend(g, f->budget, 0, !f->http);
	enum pump_state state;

	f->up.allowed = lent;
	if (f->http && lent == 0 && budget_is_late(f->budget, 0)) {
		state = f->up.ended ? PUMP_ENDED : pump_flush(&f->up);
		return state == PUMP_ENDED || state == PUMP_BROKEN ? state : PUMP_SPENT;
	}
	state = f->http ? pass_requests(g, f, ret_why) : pump_run(&f->up);
	budget_take(f->budget, 0, lent, f->up.allowed);
	return state;
}

static enum pump_state run_down(struct guard *g, struct flow *f)
{
	uint64_t lent = budget_lend(g, f->budget, 1, true);
	enum pump_state state;

	f->down.allowed = lent;
	state = knows_answer(f) ? pump_run(&f->down) : PUMP_READ;
	budget_take(f->budget, 1, lent, f->down.allowed);
	return state;
}

static void stop_spent(struct guard *g, struct flow *f)
{
	f->refused = f->spent = true;
	flow_break(g, f, "the budget of bytes is used up (network.budget)");
}

enum { RUN_UP = 1, RUN_DOWN = 2, RUN_BOTH = RUN_UP | RUN_DOWN };

/* A direction that does not run waits as before. */
static void run(struct guard *g, struct flow *f, unsigned which)
{
	const char *why = NULL;
	enum pump_state up = PUMP_READ, down = PUMP_READ;
	bool switching;

	if (which & RUN_UP)
		up = run_up(g, f, &why);
	switching = f->http && f->http->state == HTTP_SWITCHING;
	if (which & RUN_DOWN)
		down = run_down(g, f);
	if (switching && f->http->state != HTTP_SWITCHING)
		flow_busy(g, f); /* what waited behind it */
	if (why)
		flow_refuse(g, f, why);
	else if (up == PUMP_BROKEN || down == PUMP_BROKEN)
		flow_break(g, f, NULL);
	else if (f->spent || (up == PUMP_SPENT && !budget_is_late(f->budget, 0)) ||
		 (down == PUMP_SPENT && !budget_is_late(f->budget, 1)))
		stop_spent(g, f);
	else if (f->up.ended && f->down.ended)
		flow_close(g, f);
	else if (up == PUMP_SPENT || down == PUMP_SPENT)
		flow_enter(g, f, FLOW_PACED);
	else if (up == PUMP_AGAIN || down == PUMP_AGAIN)
		flow_busy(g, f);
}

/* Who has something to say is heard, and who can take more gets what waits for it; in most cases
 * that is one direction. Every error, and everything about requests, concerns both. */
static unsigned concerned(const struct flow *f, const struct watch *w, uint32_t events)
{
	bool client = w->kind == WATCH_CLIENT;
	unsigned which = 0;

	if (f->http || !events || events & (EPOLLHUP | EPOLLERR))
		return RUN_BOTH;
	if (events & (EPOLLIN | EPOLLRDHUP))
		which |= client ? RUN_UP : RUN_DOWN;
	if (events & EPOLLOUT && pump_is_full(client ? &f->down : &f->up))
		which |= client ? RUN_DOWN : RUN_UP;
	return which;
}

void flow_open_event(struct guard *g, struct flow *f, const struct watch *w, uint32_t events)
{
	unsigned which = concerned(f, w, events);

	if (which)
		run(g, f, which);
}

/* The first words, and all that follows; without a rate for them a little later. */
static void start(struct guard *g, struct flow *f)
{
	enum pump_state state = put_head(g, f);

	if (state == PUMP_BROKEN) {
		flow_break(g, f, "the server has gone");
		return;
	}
	if (state == PUMP_SPENT && !f->spent && budget_is_late(f->budget, 0)) {
		flow_enter(g, f, FLOW_PACED);
		return;
	}
	if (state == PUMP_SPENT) {
		stop_spent(g, f);
		return;
	}
	f->begun = true;
	if (!f->http)
		flow_drop_head(g, f);
	run(g, f, RUN_BOTH);
}

void flow_go_on(struct guard *g, struct flow *f)
{
	flow_enter(g, f, FLOW_OPEN);
	if (f->begun)
		run(g, f, RUN_BOTH);
	else
		start(g, f);
}

/*
 * The program has said its last word, and may be gone; the server is free to go on. What is of
 * several is told of for each of them.
 */
static bool is_left(const struct flow *f, uint64_t owner)
{
	bool open = f->state == FLOW_OPEN || f->state == FLOW_PACED;

	if (f->state == FLOW_ASK || f->inbound)
		return false;
	if (!owner)
		return open && f->up.over;
	return f->owner == owner || (f->owner & GUARD_SHARED && (open || f->refused));
}

void flow_tell_left(struct guard *g, uint64_t owner)
{
	for (int i = 0; i < FLOW_STATES; i++)
		for (struct flow *f = g->queues[i].first; f; f = f->after)
			if (is_left(f, owner))
				flow_tell(g, f);
}

void flow_begin(struct guard *g, struct flow *f)
{
	free(f->servers);
	f->servers = NULL;
	pump_init(&f->up, f->client.fd, f->server.fd, PUMP_UNLIMITED);
	pump_init(&f->down, f->server.fd, f->client.fd, PUMP_UNLIMITED);
	flow_enter(g, f, FLOW_OPEN);
	start(g, f);
}
