/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a client says first, where it names the server once more: it has to be the one that the
 * connection leads to. The bytes are read into memory of ours, judged there, and it is this copy
 * that goes on: what was looked at in the socket could be another when it is read.
 */

#include "base/mem.h"
#include "guard/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 1024u
#define ROOM_OPEN (16u << 10) /* of requests, once they may go on */
#define ROOM_MAX (64u << 10)
#define ALL_ROOM (16u << 20) /* of all connections together */

static bool make_room(struct guard *g, struct flow *f)
{
	size_t first = f->state == FLOW_OPEN ? ROOM_OPEN : ROOM_FIRST;
	size_t room = f->head_room < first ? first : 2 * f->head_room;
	uint8_t *wider;

	if (f->head_len < f->head_room)
		return true;
	if (room > ROOM_MAX || g->head_bytes + room > ALL_ROOM)
		return false;
	wider = mem_alloc(room);
	if (f->head_len > 0)
		memcpy(wider, f->head, f->head_len);
	free(f->head);
	g->head_bytes += room - f->head_room;
	f->head = wider;
	f->head_room = room;
	return true;
}

void flow_drop_head(struct guard *g, struct flow *f)
{
	g->head_bytes -= f->head_room;
	free(f->head);
	f->head = NULL;
	f->head_len = f->head_room = f->head_pass = 0;
}

ssize_t flow_read(struct guard *g, struct flow *f)
{
	ssize_t n;

	if (!make_room(g, f))
		return -ENOBUFS;
	do
		n = recv(f->client.fd, f->head + f->head_len, f->head_room - f->head_len,
			MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	f->head_len += (size_t)n;
	return n;
}

static const char *judge_hello(struct guard *g, const struct flow *f, const struct hello *h)
{
	struct net_verdict v;

	if (h->state == HELLO_REFUSED)
		return hello_why_text(h->why);
	if (h->state == HELLO_NAMELESS)
		return f->name || (!f->verdict.rule && judge_forbids_names(g))
			       ? hello_why_text(h->why)
			       : NULL;
	if (f->name)
		return strcmp(h->host, f->name) == 0 ? NULL
						     : "the connection is for another server name";
	v = judge_name(g, h->host, f->port);
	return v.allow ? NULL : v.why;
}

const char *flow_judge_request(struct guard *g, const struct flow *f, const struct http_request *q)
{
	struct net_verdict v;

	if (q->upgrade && q->number > 1)
		return "only the first request of a connection can change the protocol";
	if (f->name)
		return !q->target.is_addr && strcmp(q->target.host, f->name) == 0
			       ? NULL
			       : "the request is for another host";
	if (q->target.is_addr && memcmp(&q->target.addr, &f->to, sizeof f->to) != 0)
		return "the request is for another address";
	/* The budget and the rules that it was judged by are those of the first one's host. */
	if (q->number > 1 && (q->target.is_addr ? f->said != NULL
						: !f->said || strcmp(f->said, q->target.host) != 0))
		return "the request is for another host than the first of its connection";
	if (q->target.is_addr)
		return NULL;
	v = judge_name(g, q->target.host, f->port);
	return v.allow ? NULL : v.why;
}

/* An address was dialled: what the name costs, it costs. */
static const char *take_host(struct guard *g, struct flow *f, const char *host)
{
	if (f->name)
		return NULL;
	f->said = mem_dup(host);
	return flow_take_budget(g, f, host) ? NULL : BUDGET_CONNECTIONS;
}

/* true: there is an answer, in *ret_why; NULL: it may go on. */
static bool judge_tls(struct guard *g, struct flow *f, size_t fresh, const char **ret_why)
{
	if (!f->hello)
		f->hello = mem_alloc(sizeof *f->hello);
	if (hello_feed(f->hello, f->head + f->head_len - fresh, fresh) == HELLO_MORE)
		return false;
	*ret_why = judge_hello(g, f, f->hello);
	if (!*ret_why && f->hello->state == HELLO_NAMED)
		*ret_why = take_host(g, f, f->hello->host);
	free(f->hello);
	f->hello = NULL;
	return true;
}

/* The reader goes on where it is when the server is there. */
static bool judge_http(struct guard *g, struct flow *f, const char **ret_why)
{
	struct http_request q;
	enum http_answer answer;

	if (!f->http) {
		f->http = mem_alloc(sizeof *f->http);
		http_init(f->http, f->port);
	}
	answer = http_feed(f->http, f->head, f->head_len, &f->head_pass, &q);
	if (answer == HTTP_MORE)
		return false;
	*ret_why =
		answer == HTTP_REQUEST ? flow_judge_request(g, f, &q) : http_why_text(f->http->why);
	if (!*ret_why && answer == HTTP_REQUEST && !q.target.is_addr)
		*ret_why = take_host(g, f, q.target.host);
	return true;
}

void flow_read_head(struct guard *g, struct flow *f)
{
	const char *why = NULL;
	bool known = false;

	while (!known) {
		ssize_t n = flow_read(g, f);

		if (n == -EAGAIN)
			return;
		if (n == -ENOBUFS) {
			flow_refuse(g, f, "it says too much before it says where it wants to go");
			return;
		}
		if (n <= 0) {
			flow_break(g, f, "the program has gone");
			return;
		}
		if (f->refused) {
			flow_refuse(g, f, f->why);
			return;
		}
		known = f->port == NETRULE_PORT_HTTPS ? judge_tls(g, f, (size_t)n, &why)
						      : judge_http(g, f, &why);
	}
	if (why)
		flow_refuse(g, f, why);
	else
		flow_connect(g, f);
}
