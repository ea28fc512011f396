/* SPDX-License-Identifier: Apache-2.0 */

/* The supervisor of a blank: waits for somebody who needs a sandbox, and makes it theirs. */

#include "base/cleanup.h"
#include "base/macro.h"
#include "engine/claim.h"
#include "engine/live.h"
#include "sys/memory.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#define ASK_MS 1000 /* that a caller may take to say what it wants */

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

/* Init puts the workspace in while the sandbox gets its name. */
static int become_theirs(struct live *v, int client, const struct post_claim *c, struct err *e)
{
	struct live_call *call = v->call;
	struct claim *claim = v->stage->claim;
	int r;

	claim->device = c->device;
	claim->inode = c->inode;
	memcpy(claim->path, c->path, sizeof claim->path);
	v->missing = true;
	r = claim_send(v->stage, e);
	if (r < 0)
		return r;
	live_close_door(v);
	call->blank->plan.kill_grace = c->kill_grace;
	call->idle_ms = c->idle_ms;
	call->age_ms = c->age_ms;
	r = call->claimed(call, c, client, e);
	if (r < 0)
		return r;
	/* The next request comes over the same connection. */
	v->lines[0] =
		(struct live_line){.used = true, .client = client, .orders = -1, .command = -1};
	return 0;
}

/* 1: it goes on waiting. */
static int take_client(struct live *v, struct err *e)
{
	auto_fd int client = accept4(v->call->listener, NULL, NULL, SOCK_CLOEXEC);
	struct pollfd word = {.fd = client, .events = POLLIN};
	char told = LIVE_CLAIMED;
	uid_t uid;
	pid_t pid;
	int r;

	if (client < 0 || packet_peer(client, &uid, &pid) < 0 || (uid != geteuid() && uid != 0) ||
		poll(&word, 1, ASK_MS) != 1 || post_receive(client, false, &in, NULL) < 0)
		return 1;
	if (in.kind == POST_STOP) {
		live_stop(v);
		return -ECANCELED;
	}
	if (in.kind != POST_CLAIM || !is_whole(&in.claim, v->call->card)) {
		refuse(client, EPROTO, "the sandbox is nobody's yet");
		return 1;
	}
	r = become_theirs(v, client, &in.claim, e);
	if (r < 0) {
		refuse(client, ESHUTDOWN, e->text);
		return r;
	}
	take_fd(&client);
	if (write(v->call->ready, &told, 1) < 0)
		told = 0; /* then nobody keeps others ready */
	close(take_fd(&v->call->ready));
	return 0;
}

/* From init: that it is made, or why not. */
static int take_message(struct live *v, struct err *e)
{
	struct wire m;
	int r = wire_receive(v->stage->control, false, &m, NULL);

	if (r == -EAGAIN)
		return 0;
	if (r == 0 && m.kind == WIRE_WAITING) {
		v->call->card->state = CARD_WAITING;
		v->waiting = true;
		return write(v->call->ready, &v->error, sizeof v->error) < 0 ? -EPIPE : 0;
	}
	if (r == 0 && m.kind == WIRE_FAILED) {
		*e = m.error;
		e->text[sizeof e->text - 1] = '\0';
		return -(e->code ? e->code : EIO);
	}
	return err_set(e, EIO, "the sandbox ended before it was ready");
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
		if (fds[1].revents) {
			live_stop(v);
			return -ECANCELED;
		}
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
