/* SPDX-License-Identifier: Apache-2.0 */

/* Calls of tools: they wait for a place, run beside each other, tell how far they are, and are
 * answered once. */

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "mcp/parts.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

static const char *progress_token(struct arena *a, const struct message *m)
{
	return message_id(a, tree_path(m->params, "_meta.progressToken"));
}

static struct call_running *find(struct server *s, const char *id)
{
	struct call_running *c = s->first;

	while (c && (c->silent || !str_eq(c->id, id)))
		c = c->next;
	return c;
}

void calls_add(struct server *s, struct arena *a, size_t bytes, const struct message *m,
	const struct call_wish *wish)
{
	struct call_running *c;

	if (find(s, m->id)) {
		rpc_error(&s->rpc, m->id, MESSAGE_INVALID,
			"id: a request with it is not answered yet");
		return;
	}
	if (s->waiting >= SERVER_QUEUE || s->bytes + bytes > CALL_BYTES) {
		rpc_error(&s->rpc, m->id, MESSAGE_BUSY,
			"too many calls at once; try again when some are answered");
		return;
	}
	c = mem_alloc(sizeof *c);
	c->id = m->id;
	c->token = progress_token(a, m);
	c->wish = *wish;
	c->bytes = bytes;
	c->due_ms = UINT64_MAX;
	c->arena = *a;
	*a = (struct arena){0};
	*s->last_at = c;
	s->last_at = &c->next;
	s->waiting++;
	s->bytes += bytes;
}

/* Takes it out of the list. */
static void drop(struct server *s, struct call_running **at)
{
	struct call_running *c = *at;

	*at = c->next;
	if (s->last_at == &c->next)
		s->last_at = at;
	s->bytes -= c->bytes;
	if (c->job)
		s->running--;
	else
		s->waiting--;
	if (c->question)
		elicit_drop(s, c);
	job_free(&c->job);
	arena_free(&c->arena);
	free(c);
}

void calls_drop(struct server *s)
{
	while (s->first)
		drop(s, &s->first);
}

void calls_cancel(struct server *s, const char *id)
{
	for (struct call_running **at = &s->first, *c; (c = *at) != NULL;) {
		if (c->silent || (id && !str_eq(c->id, id))) {
			at = &c->next;
			continue;
		}
		c->silent = true;
		if (!c->job) {
			drop(s, at);
			continue;
		}
		job_cancel(c->job);
		c->due_ms = 0;
		at = &c->next;
	}
}

static void write_tool_answer(
	struct server *s, const char *id, bool failed, const struct job_answer *answer)
{
	struct writer w = rpc_result(&s->rpc, id);

	write_list(&w, "content");
	write_object(&w, NULL);
	write_text(&w, "type", "text");
	if (answer->shown)
		write_raw_bytes(&w, "text", answer->shown, answer->shown_len);
	else
		write_bytes(&w, "text", answer->text, answer->text_len);
	write_end_object(&w);
	write_end_list(&w);
	if (answer->json && answer->json_len && s->revision >= REVISION_2025_06)
		write_raw_bytes(&w, "structuredContent", answer->json, answer->json_len);
	write_bool(&w, "isError", failed);
	rpc_end(&s->rpc, &w);
}

/* It did not begin. Who can do better with other arguments hears it as a result. */
static void refuse(struct server *s, struct call_running *c, int r, const struct err *e)
{
	struct job_answer answer = {.text = e->text, .text_len = strlen(e->text)};
	auto_(buf_free) struct buf name = BUF(100);

	if (c->wish.kind != CALL_TOOL) {
		rpc_error(&s->rpc, c->id, r == -ENOENT ? MESSAGE_NO_RESOURCE : MESSAGE_INTERNAL,
			r == -ENOENT ? "the workspace is not open to this session" : e->text);
	} else if (r == -ENOENT) {
		escape_text(&name, c->wish.tool);
		rpc_error(&s->rpc, c->id, MESSAGE_BAD_PARAMS,
			arena_printf(&c->arena, "Unknown tool: %s", buf_text(&name)));
	} else {
		write_tool_answer(s, c->id, true, &answer);
	}
}

static void answer(struct server *s, struct call_running *c)
{
	const struct job_answer *a = job_answer(c->job);

	if (c->wish.kind == CALL_TOOL)
		write_tool_answer(s, c->id, a->failed, a);
	else
		resources_write(s, c, a);
}

static void tell_progress(struct server *s, struct call_running *c)
{
	uint64_t now;
	struct writer w;

	if (s->streams) {
		output_tell(s, c);
		return;
	}
	if (!c->token || c->silent || s->now_ms - c->told_ms < PROGRESS_MS)
		return;
	now = job_output(c->job);
	if (now <= c->told)
		return;
	c->told = now;
	c->told_ms = s->now_ms;
	w = rpc_note(&s->rpc, "notifications/progress");
	write_raw(&w, "progressToken", c->token);
	write_unsigned(&w, "progress", now);
	write_text(&w, "message", "bytes of output");
	rpc_end(&s->rpc, &w);
}

/* True: it has ended. */
static bool look(struct server *s, struct call_running *c, enum job_state state)
{
	int timeout;

	switch (state) {
	case JOB_DONE:
		if (s->streams)
			output_tell(s, c);
		if (!c->silent)
			answer(s, c);
		return true;
	case JOB_ASKS:
		if (!c->asking)
			elicit_ask(s, c);
		c->asking = true;
		break;
	case JOB_WORKS:
		if (c->question)
			elicit_drop(s, c);
		c->asking = false;
		tell_progress(s, c);
		break;
	}
	timeout = job_timeout(c->job);
	c->due_ms = timeout < 0 ? UINT64_MAX : s->now_ms + (uint64_t)timeout;
	return false;
}

/* True: it has ended before it began. */
static bool start(struct server *s, struct call_running *c)
{
	struct err e = {0};
	int r = job_begin(s->door, c->wish.tool, c->wish.args, &c->job, &e);

	methods_noticed(s, r == -ENOENT ? 0 : r, &e);
	if (r < 0) {
		refuse(s, c, r, &e);
		return true;
	}
	s->running++;
	s->waiting--;
	return look(s, c, job_state(c->job));
}

void calls_start(struct server *s)
{
	struct call_running **at = &s->first, *c;

	while ((c = *at) != NULL && s->waiting > 0 && s->running < SERVER_CALLS &&
		!rpc_is_full(&s->rpc))
		if (!c->job && start(s, c))
			drop(s, at);
		else
			at = &c->next;
}

size_t calls_poll(struct server *s, struct pollfd *fds)
{
	bool held = rpc_is_full(&s->rpc) && !s->closing;
	size_t count = 0;

	for (struct call_running *c = s->first; c; c = c->next) {
		c->fds_at = count;
		c->fds_count = 0;
		if (!c->job || held)
			continue;
		c->fds_count = job_poll(c->job, fds + count, JOB_POLL);
		count += c->fds_count;
	}
	return count;
}

int calls_timeout(const struct server *s)
{
	uint64_t due = UINT64_MAX;

	for (const struct call_running *c = s->first; c; c = c->next)
		if (c->job && c->due_ms < due)
			due = c->due_ms;
	if (due == UINT64_MAX)
		return -1;
	return due <= s->now_ms ? 0 : due - s->now_ms > 60000 ? 60000 : (int)(due - s->now_ms);
}

static bool is_ready(const struct server *s, const struct call_running *c, const struct pollfd *fds)
{
	if (!c->job)
		return false;
	for (size_t i = 0; i < c->fds_count; i++)
		if (fds[c->fds_at + i].revents)
			return true;
	return c->due_ms <= s->now_ms;
}

void calls_step(struct server *s, const struct pollfd *fds)
{
	for (struct call_running **at = &s->first, *c; (c = *at) != NULL;)
		if (is_ready(s, c, fds) && look(s, c, job_step(c->job)))
			drop(s, at);
		else
			at = &c->next;
}
