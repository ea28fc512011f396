/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/rpc.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define QUEUE_MAX ((size_t)2 << 30) /* never reached: nothing new is begun above RPC_FULL */
#define KEPT ((size_t)1 << 20)

void rpc_open(struct rpc *r, int in, int out)
{
	*r = (struct rpc){.in = in, .out = out, .queue = BUF(QUEUE_MAX)};
	r->out_flags = fcntl(out, F_GETFL);
	if (r->out_flags >= 0)
		fcntl(out, F_SETFL, r->out_flags | O_NONBLOCK);
}

void rpc_close(struct rpc *r)
{
	rpc_flush(r);
	if (r->out_flags >= 0)
		fcntl(r->out, F_SETFL, r->out_flags);
	lines_free(&r->lines);
	buf_free(&r->queue);
}

void rpc_read(struct rpc *r)
{
	size_t room;
	char *to = lines_room(&r->lines, &room);
	ssize_t n = read(r->in, to, room);

	if (n > 0)
		lines_added(&r->lines, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		r->ended = true;
}

enum lines_kind rpc_next(struct rpc *r, const char **ret, size_t *ret_len)
{
	return lines_next(&r->lines, ret, ret_len);
}

static size_t left(const struct rpc *r)
{
	return r->queue.len - r->sent;
}

bool rpc_is_full(const struct rpc *r)
{
	return left(r) > RPC_FULL;
}

bool rpc_has_more(const struct rpc *r)
{
	return left(r) > 0;
}

/* Forgets what was sent; moved only when that frees much. */
static void tidy(struct rpc *r)
{
	struct buf *q = &r->queue;

	if (r->sent == q->len && q->cap > KEPT) {
		buf_free(q);
		*q = BUF(QUEUE_MAX);
	} else if (r->sent == q->len) {
		buf_reset(q);
	} else if (r->sent > q->len / 2) {
		memmove(q->data, q->data + r->sent, q->len - r->sent + 1);
		q->len -= r->sent;
	} else {
		return;
	}
	r->sent = 0;
}

void rpc_flush(struct rpc *r)
{
	while (left(r) > 0) {
		ssize_t n = write(r->out, r->queue.data + r->sent, left(r));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			r->deaf = true;
			r->sent = r->queue.len;
			break;
		}
		r->sent += (size_t)n;
	}
	tidy(r);
}

static struct writer begin(struct rpc *r)
{
	struct writer w = WRITER_COMPACT(&r->queue);

	r->mark = r->queue.len;
	write_object(&w, NULL);
	write_text(&w, "jsonrpc", "2.0");
	return w;
}

struct writer rpc_result(struct rpc *r, const char *id)
{
	struct writer w = begin(r);

	write_raw(&w, "id", id);
	write_object(&w, "result");
	return w;
}

struct writer rpc_note(struct rpc *r, const char *method)
{
	struct writer w = begin(r);

	write_text(&w, "method", method);
	write_object(&w, "params");
	return w;
}

struct writer rpc_request(struct rpc *r, const char *method)
{
	struct writer w = begin(r);

	write_unsigned(&w, "id", ++r->requests);
	write_text(&w, "method", method);
	write_object(&w, "params");
	return w;
}

/* Half a message would make the rest unreadable. */
static void end_line(struct rpc *r)
{
	char *p = r->queue.data + r->mark, *end = r->queue.data + r->queue.len;

	/* Between values, where a tool has written more than one line; never in a text. */
	while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL)
		*p = ' ';
	buf_putc(&r->queue, '\n');
	if (r->queue.dropped)
		r->deaf = true;
}

void rpc_end(struct rpc *r, struct writer *w)
{
	write_end_object(w);
	write_end_object(w);
	end_line(r);
}

void rpc_error(struct rpc *r, const char *id, enum message_code code, const char *why)
{
	struct writer w = begin(r);

	write_raw(&w, "id", id);
	write_object(&w, "error");
	write_number(&w, "code", code);
	write_text(&w, "message", why);
	rpc_end(r, &w);
}

void rpc_pass(struct rpc *r, const char *text, size_t len)
{
	r->mark = r->queue.len;
	buf_add(&r->queue, text, len);
	end_line(r);
}
