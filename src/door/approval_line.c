/* SPDX-License-Identifier: Apache-2.0 */

/* The socket of a request that waits: who comes there may look, and some may answer. */

#include "base/cleanup.h"
#include "door/approval_parts.h"
#include "state/place.h"
#include "sys/folder.h"
#include "sys/packet.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

/* It has its name only when it listens: one at which nobody does is swept away. */
static int listen_there(struct approval *p, struct err *e)
{
	char name[APPROVAL_ID + 1];

	snprintf(name, sizeof name, ".%s", p->id);
	p->listener = packet_listen(p->folder, name);
	if (p->listener < 0)
		return err_sys(e, p->listener, "wait for an answer");
	if (renameat(p->folder, name, p->folder, p->id) < 0)
		return err_sys(e, -errno, "wait for an answer");
	return 0;
}

int approval_line_open(struct approval *p, struct err *e)
{
	auto_fd int place = place_open(p->arena, e);

	if (place < 0)
		return place;
	if (mkdirat(place, APPROVAL_FOLDER, 0700) < 0 && errno != EEXIST)
		return err_sys(e, -errno, "make the folder of requests");
	p->folder = folder_open(place, APPROVAL_FOLDER, O_RDONLY | O_DIRECTORY, 0);
	if (p->folder < 0)
		return err_sys(e, p->folder, "open the folder of requests");
	return listen_there(p, e);
}

static void drop(struct approval_client *c)
{
	cleanup_fd(&c->fd);
	cleanup_fd(&c->process);
	c->fd = c->process = -1;
}

static void write_down(struct approval *p, uint32_t count)
{
	struct err ignored;

	p->last_refused.count = count;
	if (count > 0 && p->q.record)
		record_peer(p->q.record, &p->last_refused, &ignored);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* As the kernel named it when it connected. */
static bool is_welcome(struct approval *p, int fd)
{
	uid_t uid;
	pid_t pid;

	if (packet_peer(fd, &uid, &pid) < 0)
		return false;
	if (uid == geteuid() || uid == 0)
		return true;
	p->last_refused = (struct record_peer){"approval", p->id, p->q.verdict->session.key,
		"another user's request", uid, pid, 0};
	write_down(p, refusals_add(&p->refusals, now_ms()));
	return false;
}

void approval_line_close(struct approval *p)
{
	write_down(p, refusals_end(&p->refusals));
	for (size_t i = 0; i < APPROVAL_CLIENTS; i++)
		drop(&p->clients[i]);
	if (p->listener >= 0)
		unlinkat(p->folder, p->id, 0);
	cleanup_fd(&p->listener);
	cleanup_fd(&p->folder);
	p->listener = p->folder = -1;
}

/* Held before it is greeted; see sys/peer.h. */
static int greet(struct approval_client *c)
{
	struct approval_hello hello = {.version = APPROVAL_VERSION};
	uid_t uid;
	int r = packet_peer(c->fd, &uid, &c->pid);

	if (r == 0)
		r = peer_ask(c->fd);
	if (r == 0)
		r = c->process = peer_hold_other(c->fd, c->pid);
	if (r < 0)
		return r;
	if (getrandom(c->nonce, sizeof c->nonce, 0) != (ssize_t)sizeof c->nonce)
		return -EIO;
	memcpy(hello.nonce, c->nonce, sizeof hello.nonce);
	return packet_send(c->fd, false, &hello, sizeof hello, NULL);
}

/* With all places taken, whoever has been there longest goes. */
static void admit(struct approval *p, int fd)
{
	struct approval_client *c = &p->clients[APPROVAL_CLIENTS - 1];

	for (size_t i = 0; i < APPROVAL_CLIENTS; i++)
		if (p->clients[i].fd < 0) {
			c = &p->clients[i];
			break;
		}
	if (c->fd >= 0) {
		drop(&p->clients[0]);
		memmove(&p->clients[0], &p->clients[1], sizeof p->clients - sizeof p->clients[0]);
		c->fd = c->process = -1;
	}
	c->fd = fd;
	if (greet(c) < 0)
		drop(c);
}

static void reply(const struct approval_client *c, int code, const char *text)
{
	struct approval_reply r = {.version = APPROVAL_VERSION, .code = code};

	snprintf(r.text, sizeof r.text, "%s", text);
	packet_send(c->fd, false, &r, sizeof r, NULL);
}

static void show(const struct approval *p, const struct approval_client *c)
{
	auto_(buf_free) struct buf json = BUF(APPROVAL_SHOWN), text = BUF(APPROVAL_SHOWN);
	auto_(buf_free) struct buf all = BUF(sizeof(struct approval_reply) + 2 * APPROVAL_SHOWN);
	struct approval_reply r = {.version = APPROVAL_VERSION};

	approval_text_json(p, &json);
	approval_show(p, &text);
	r.json_len = (uint32_t)json.len;
	r.text_len = (uint32_t)text.len;
	buf_add(&all, &r, sizeof r);
	buf_add(&all, buf_text(&json), json.len);
	buf_add(&all, buf_text(&text), text.len);
	packet_send(c->fd, false, all.data, all.len, NULL);
}

static bool is_equal(const void *a, const void *b, size_t len)
{
	const uint8_t *x = a, *y = b;
	uint8_t difference = 0;

	for (size_t i = 0; i < len; i++)
		difference |= x[i] ^ y[i];
	return difference == 0;
}

/* The sender is the process that was held, and it still lives: then it was there all the time. */
static int check_sender(struct approval *p, const struct approval_client *c,
	const struct peer_sender *who, const struct approval_ask *m, struct err *e)
{
	int r;

	if (!is_equal(m->nonce, c->nonce, sizeof c->nonce) || !is_equal(m->id, p->id, APPROVAL_ID))
		return err_set(e, EPERM, "the answer is for another request");
	if (who->pid != c->pid || !peer_lives(c->process))
		return err_set(e, EPERM, "another process answers than the one that came");
	r = principal_check(&p->requester, who, e);
	if (r == 0 && !peer_lives(c->process))
		r = err_set(e, EPERM, "whoever answered is gone");
	if (r == 0 && p->state != APPROVAL_WAITS)
		r = err_set(e, EALREADY, "it has been answered already");
	return r;
}

static void answer(struct approval *p, const struct approval_client *c,
	const struct peer_sender *who, const struct approval_ask *m)
{
	struct approval_by by = {.how = "command",
		.pid = who->pid,
		.uid = who->uid,
		.process = who->pid == c->pid ? c->process : -1};
	struct approval_terms terms = {m->yes != 0, m->for_ms, m->uses, m->advice};
	struct err e = {0};
	int r = check_sender(p, c, who, m, &e);

	if (r < 0)
		approval_note(p, "refused", &by, e.text, NULL);
	else
		r = approval_decide(p, &by, &terms, &e);
	reply(c, -r, r < 0 ? e.text : "");
}

/* False: it is done with. */
static bool hear(struct approval *p, const struct approval_client *c)
{
	struct approval_ask m;
	struct peer_sender who;
	ssize_t n = peer_receive(c->fd, &m, sizeof m, &who);

	if (n == -EAGAIN)
		return true;
	if (n != (ssize_t)sizeof m || m.version != APPROVAL_VERSION)
		return false;
	m.advice[sizeof m.advice - 1] = m.id[sizeof m.id - 1] = '\0';
	if (who.uid != geteuid() && who.uid != 0) {
		reply(c, EPERM, "another user asked for this");
		return false;
	}
	if (m.kind == APPROVAL_LOOK)
		show(p, c);
	else if (m.kind == APPROVAL_DECIDE)
		answer(p, c, &who, &m);
	return m.kind == APPROVAL_LOOK;
}

void approval_line_serve(struct approval *p)
{
	int fd;

	while ((fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		if (is_welcome(p, fd))
			admit(p, fd);
		else
			close(fd);
	for (size_t i = 0; i < APPROVAL_CLIENTS; i++)
		if (p->clients[i].fd >= 0 && !hear(p, &p->clients[i]))
			drop(&p->clients[i]);
}
