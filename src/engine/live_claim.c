/* SPDX-License-Identifier: Apache-2.0 */

/* The supervisor of a blank: waits for somebody who needs a sandbox, and makes it theirs. */

#include "base/cleanup.h"
#include "base/macro.h"
#include "engine/claim.h"
#include "engine/guarding.h"
#include "engine/live.h"
#include "sys/memory.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define ASK_MS 1000  /* that a caller may take to say what it wants */
#define BIND_MS 3000 /* that init may take: whoever waits makes one at once after a while */

static struct post in;

static bool ends(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* What a caller of the same user says is believed; what is no claim of ward's is not one. */
static bool is_whole(const struct post_claim *c, const struct card *own)
{
	struct card card = c->card;

	return ends(c->name, sizeof c->name) && ends(c->path, sizeof c->path) && c->name[0] &&
	       !strchr(c->name, '/') && c->path[0] == '/' &&
	       memcmp(c->blank, own->config, sizeof c->blank) == 0 &&
	       card_check(&card, sizeof card) == 0;
}

static void refuse(int client, int code, const char *text)
{
	struct post *m = post_new(POST_FAILED, 0);

	err_set(&m->error, code, "%s", text);
	post_send(client, false, m, NULL);
}

/* What init says in place of what was expected. */
static int why(int received, const struct wire *m, struct err *e)
{
	if (received < 0 || m->kind != WIRE_FAILED)
		return err_set(e, EIO, "the sandbox ended before it was ready");
	*e = m->error;
	e->text[sizeof e->text - 1] = '\0';
	return -(e->code ? e->code : EIO);
}

/* Until init has put the workspace in. */
static int await_ready(struct live *v, uint64_t ms, struct err *e)
{
	struct pollfd word = {.fd = v->stage->control, .events = POLLIN};
	int wait = ms == 0 || ms > BIND_MS ? BIND_MS : (int)ms, r;
	struct wire m;

	do {
		auto_(packet_close) struct packet_fds fds = {.count = 0};

		if (poll(&word, 1, wait) != 1)
			return err_set(e, ETIMEDOUT, "the workspace was not there in time");
		r = wire_receive(v->stage->control, false, &m, &fds);
		if (r == 0 && m.kind == WIRE_READY)
			return 0;
		if (r == 0 && m.kind == WIRE_WORKSPACE)
			r = live_take_workspace(v, &fds);
	} while (r == 0 && m.kind == WIRE_WORKSPACE);
	return why(r, &m, e);
}

/* Whatever becomes of it, it is not to be had any more, and the next one is made. */
static void tell_keeper(struct live *v)
{
	char told = LIVE_CLAIMED;
	ssize_t n;

	do
		n = write(v->call->ready, &told, 1);
	while (n < 0 && errno == EINTR);
	close(take_fd(&v->call->ready));
}

/* Init puts the workspace in while the sandbox gets its name. */
static int become_theirs(struct live *v, int client, const struct post_claim *c, struct err *e)
{
	struct live_call *call = v->call;
	int r;

	live_close_door(v);
	tell_keeper(v);
	call->blank->plan.kill_grace = c->kill_grace;
	call->idle_ms = c->idle_ms;
	call->age_ms = c->age_ms;
	r = call->claimed(call, c, e);
	if (r == 0)
		r = await_ready(v, c->startup_ms, e);
	if (r < 0)
		return r;
	r = post_send(client, false, post_new(POST_CLAIMED, 0), NULL);
	if (r < 0)
		return err_sys(e, r, "say that the sandbox is there");
	/* The next request comes over the same connection. */
	v->lines[0] = LIVE_LINE(client);
	return 0;
}

/* What root opens outside may be refused without harm: 1. */
static int begin(struct live *v, int client, const struct post_claim *c, struct err *e)
{
	struct claim *claim = v->stage->claim;
	int r;

	claim->device = c->device;
	claim->inode = c->inode;
	memcpy(claim->path, c->path, sizeof claim->path);
	r = claim_send(v->stage, e);
	if (r == 0)
		return become_theirs(v, client, c, e);
	refuse(client, EINVAL, e->text);
	return 1;
}

/* 1: it goes on waiting. */
static int take_client(struct live *v, struct err *e)
{
	auto_fd int client = accept4(v->call->listener, NULL, NULL, SOCK_CLOEXEC);
	struct pollfd word = {.fd = client, .events = POLLIN};
	int r;

	if (client < 0 || !live_peer_is_welcome(v, client) || poll(&word, 1, ASK_MS) != 1 ||
		post_receive(client, false, &in, NULL) < 0)
		return 1;
	if (in.kind == POST_STOP)
		return err_set(e, ECANCELED, "it was stopped");
	if (in.kind != POST_CLAIM || !is_whole(&in.claim, v->call->card)) {
		refuse(client, EPROTO, "the sandbox is nobody's yet");
		return 1;
	}
	if (claim_is_stale(v->stage)) {
		refuse(client, ESTALE, "something was mounted since the sandbox was made");
		tell_keeper(v);
		return err_set(e, ESTALE, "something was mounted since");
	}
	r = begin(v, client, &in.claim, e);
	if (r < 0)
		refuse(client, EINVAL, e->text);
	else if (r == 0)
		take_fd(&client);
	return r;
}

/* From init: that it is made, or why not. */
static int take_message(struct live *v, struct err *e)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	struct wire m;
	int r = wire_receive(v->stage->control, false, &m, &fds);

	if (r == -EAGAIN)
		return 0;
	if (r == 0 && m.kind == WIRE_NETWORK) {
		r = guarding_begin(v->stage, &fds, e);
		live_owner_begin(v);
		return r;
	}
	if (r == 0 && m.kind == WIRE_WAITING) {
		v->call->card->state = CARD_WAITING;
		v->waiting = true;
		live_ask_for_pair(v);
		if (write(v->call->ready, &v->error, sizeof v->error) < 0)
			return err_sys(e, -errno, "say that it is made");
		return 0;
	}
	return why(r, &m, e);
}

int live_await_claim(struct live *v, struct err *e)
{
	bool settled = false;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = v->stage->control, .events = POLLIN},
			{.fd = v->signals, .events = POLLIN},
			{.fd = v->waiting ? v->call->listener : -1, .events = POLLIN},
		};
		int n = poll(fds, ARRAY_LEN(fds), settled ? -1 : MEMORY_SETTLE_MS), r;

		if (n < 0 && errno != EINTR)
			return err_sys(e, -errno, "wait");
		settled = n == 0;
		if (settled) {
			live_sweep(v);
			memory_settle();
		}
		if (fds[1].revents)
			live_take_signals(v);
		if (v->stopping)
			return err_set(e, ECANCELED, "it was stopped");
		r = fds[0].revents ? take_message(v, e) : 0;
		if (r < 0)
			return r;
		if (!fds[2].revents)
			continue;
		r = take_client(v, e);
		if (r <= 0)
			return r;
	}
}
