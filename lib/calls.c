/* SPDX-License-Identifier: Apache-2.0 */

/* Requests to ward, and waiting for what comes of them. */

#include "lib/parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t calls_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int fail_lost(struct ward *w)
{
	char said[MESSAGE_MOST - 100];

	peer_said(&w->peer, said, sizeof said);
	return handle_fail(w, WARD_LOST, "ward has ended%s%s", *said ? ": " : "", said);
}

/* A whole message, or nothing: what was half written is taken back. */
int calls_queue(struct ward *w, const struct put *message)
{
	struct put *out = &w->peer.out;
	size_t before = out->len;
	int r = message->failed;

	if (r == WARD_OK) {
		put_bytes(out, message->data, message->len);
		put_raw(out, "\n");
		r = out->failed;
	}
	if (r < 0) {
		out->len = before;
		out->failed = WARD_OK;
		return handle_fail(w, r, "%s",
			r == WARD_INVALID     ? "a text is not UTF-8, or has a NUL in it"
			: r == WARD_TOO_LARGE ? "the request is too large"
					      : "no memory");
	}
	peer_flush(&w->peer);
	return WARD_OK;
}

int calls_send(struct ward *w, const char *method, const struct put *params,
	const struct call *like, uint64_t *ret_id)
{
	struct put message = {0};
	struct call *c;
	int r;

	if (w->peer.lost)
		return fail_lost(w);
	c = malloc(sizeof *c);
	if (!c)
		return handle_fail(w, WARD_NOMEM, "no memory");
	*c = *like;
	c->id = w->last_id + 1;
	put_raw(&message, "{\"jsonrpc\":\"2.0\",\"id\":");
	put_number(&message, c->id);
	put_text(&message, "method", method);
	put_raw(&message, ",\"params\":{");
	put_bytes(&message, params->data, params->len);
	put_raw(&message, "}}");
	message.failed = params->failed ? params->failed : message.failed;
	r = calls_queue(w, &message);
	put_free(&message);
	if (r < 0) {
		free(c);
		return r;
	}
	c->next = w->calls;
	w->calls = c;
	w->last_id = c->id;
	if (ret_id)
		*ret_id = c->id;
	return WARD_OK;
}

/* A value, as it is but for line ends: messages are lines. None is inside a string. */
static void put_value(struct put *p, struct span value)
{
	size_t from = p->len;

	put_bytes(p, value.at, value.len);
	for (; !p->failed && from < p->len; from++)
		if (p->data[from] == '\n' || p->data[from] == '\r')
			p->data[from] = ' ';
}

int calls_tool(struct ward *w, const char *tool, struct span arguments, const struct call *like,
	uint64_t *ret_id)
{
	struct put params = {0};
	int r;

	put_raw(&params, "\"name\":");
	put_string(&params, tool, strlen(tool));
	put_raw(&params, ",\"arguments\":");
	put_value(&params, arguments);
	/* Output is told of under the number that the request will have. */
	if (like->callbacks.on_output) {
		put_raw(&params, ",\"_meta\":{\"progressToken\":");
		put_number(&params, w->last_id + 1);
		put_raw(&params, "}");
	}
	r = calls_send(w, "tools/call", &params, like, ret_id);
	put_free(&params);
	return r;
}

int ward_begin(struct ward *w, const char *tool, const char *arguments,
	const struct ward_callbacks *callbacks, uint64_t *ret_id)
{
	struct call like = {.kind = CALL_TOOL};
	struct span object;

	arguments = arguments ? arguments : "{}";
	if (!tool || !scan_whole(arguments, strlen(arguments), &object) || !scan_is_object(object))
		return handle_fail(w, WARD_INVALID, "the arguments are not one JSON object");
	if (callbacks)
		like.callbacks = *callbacks;
	return calls_tool(w, tool, object, &like, ret_id);
}

struct call *calls_find(struct ward *w, uint64_t id)
{
	struct call *c = w->calls;

	while (c && c->id != id)
		c = c->next;
	return c;
}

void calls_finish(struct ward *w, struct call *c, int error, struct ward_answer *answer)
{
	struct call **at = &w->calls;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (c->keep) {
		*c->keep = *answer;
		*answer = (struct ward_answer){0};
		*c->ret_error = error;
	} else if (c->callbacks.on_done) {
		w->inside++;
		c->callbacks.on_done(c->callbacks.ctx, c->id, error, answer);
		w->inside--;
	}
	ward_answer_free(answer);
	free(c);
}

/* Those that there are now: a callback may begin others. */
void calls_finish_all(struct ward *w, int error)
{
	uint64_t last = w->last_id;
	struct call *c;

	for (;;) {
		struct ward_answer none = {0};

		for (c = w->calls; c && c->id > last; c = c->next)
			;
		if (!c)
			return;
		calls_finish(w, c, error, &none);
	}
}

static void finish_cancelled(struct ward *w)
{
	struct call *c = w->calls;

	while (c) {
		struct ward_answer none = {0};

		if (!c->cancelled) {
			c = c->next;
			continue;
		}
		handle_fail(w, WARD_CANCELLED, "cancelled");
		calls_finish(w, c, WARD_CANCELLED, &none);
		c = w->calls; /* a callback may have changed the list */
	}
}

static void send_cancelled(struct ward *w, uint64_t id)
{
	struct put m = {0};

	put_raw(&m, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
		    "\"requestId\":");
	put_number(&m, id);
	put_raw(&m, "}}");
	calls_queue(w, &m);
	put_free(&m);
}

int ward_cancel(struct ward *w, uint64_t id)
{
	struct call *c = calls_find(w, id);

	if (!c)
		return handle_fail(w, WARD_NOT_FOUND, "no such call is open");
	if (c->cancelled)
		return WARD_OK;
	c->cancelled = true;
	if (!w->peer.lost)
		send_cancelled(w, id);
	return WARD_OK;
}

int ward_decide(struct ward *w, uint64_t approval, enum ward_consent consent, const char *advice)
{
	struct put m = {0};
	int r;

	if (consent == WARD_LATER)
		return WARD_OK;
	if (w->peer.lost)
		return fail_lost(w);
	put_raw(&m, "{\"jsonrpc\":\"2.0\",\"id\":");
	put_number(&m, approval);
	put_raw(&m, ",\"result\":{\"action\":\"accept\",\"content\":{");
	put_text(&m, "decision", consent == WARD_YES ? "allow" : "deny");
	put_text(&m, "advice", advice);
	put_raw(&m, "}}}");
	r = calls_queue(w, &m);
	put_free(&m);
	return r;
}

int ward_fd(const struct ward *w)
{
	return w->peer.fd;
}

short ward_events(const struct ward *w)
{
	return peer_has_more(&w->peer) ? POLLIN | POLLOUT : POLLIN;
}

int ward_step(struct ward *w)
{
	const char *line;
	size_t len;

	if (w->inside)
		return handle_fail(w, WARD_BUSY, "this is not for callbacks");
	peer_flush(&w->peer);
	peer_read(&w->peer);
	while (peer_line(&w->peer, &line, &len))
		messages_take(w, line, len);
	finish_cancelled(w);
	peer_flush(&w->peer);
	if (!w->peer.lost)
		return WARD_OK;
	fail_lost(w);
	calls_finish_all(w, WARD_LOST);
	return fail_lost(w);
}

/* Gives up a call whose time is over: what it would be kept in is no longer there. */
static void forget(struct ward *w, const int *error)
{
	for (struct call *c = w->calls; c; c = c->next)
		if (c->ret_error == error) {
			struct ward_answer none = {0};

			ward_cancel(w, c->id);
			calls_finish(w, c, WARD_TIMEOUT, &none);
			return;
		}
}

int calls_wait(struct ward *w, const int *error, uint64_t deadline_ms)
{
	while (*error == 1) {
		struct pollfd f = {.fd = w->peer.fd, .events = ward_events(w)};
		uint64_t now = deadline_ms ? calls_clock_ms() : 0;
		int timeout = !deadline_ms ? -1 : now < deadline_ms ? (int)(deadline_ms - now) : 0;

		if (deadline_ms && timeout == 0)
			forget(w, error);
		else if (poll(&f, 1, timeout) >= 0 || errno == EINTR)
			ward_step(w);
		else
			calls_finish_all(
				w, handle_fail(w, WARD_SYSTEM, "poll: %s", strerror(errno)));
	}
	return *error;
}
