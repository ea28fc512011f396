/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/filter.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "json/node_write.h"
#include "model/toolpolicy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL_NAME_MAX 128
#define ARGUMENTS_MAX (2 * LINES_MAX)

enum pending_kind { PENDING_PLAIN, PENDING_LIST, PENDING_CALL };

struct filter_pending {
	struct filter_pending *next;
	char *id;
	enum pending_kind kind;
	struct door_policy *policy; /* of a call: whose log has its begin */
	uint64_t begin;
};

/* Methods of the protocol, by who may send them. */
static const char *const client_requests[] = {"initialize", "ping", "tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read", "resources/subscribe",
	"resources/unsubscribe", "prompts/list", "prompts/get", "completion/complete",
	"logging/setLevel", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel", NULL};
static const char *const client_notes[] = {"notifications/initialized", "notifications/cancelled",
	"notifications/progress", "notifications/roots/list_changed", "notifications/tasks/status",
	NULL};
static const char *const server_requests[] = {"ping", "sampling/createMessage",
	"elicitation/create", "roots/list", "tasks/get", "tasks/result", "tasks/list",
	"tasks/cancel", NULL};
static const char *const server_notes[] = {"notifications/message", "notifications/progress",
	"notifications/cancelled", "notifications/tools/list_changed",
	"notifications/resources/list_changed", "notifications/resources/updated",
	"notifications/prompts/list_changed", "notifications/tasks/status",
	"notifications/elicitation/complete", NULL};

/* What decides here. Others read names without case, and the last one of them counts. */
static const char *const call_members[] = {"name", "arguments", "_meta", "task", NULL};
static const char *const list_members[] = {"tools", NULL};
static const char *const tool_members[] = {"name", NULL};

static struct filter_pending **find(struct filter *f, const char *id)
{
	struct filter_pending **at = &f->first;

	while (*at && !str_eq((*at)->id, id))
		at = &(*at)->next;
	return at;
}

static void drop(struct filter *f, struct filter_pending **at)
{
	struct filter_pending *p = *at;

	*at = p->next;
	f->count--;
	door_release(&p->policy);
	free(p->id);
	free(p);
}

/* Of a call: writes down how it ended. why NULL: well. */
static void end_record(struct filter_pending *p, const char *why, uint64_t bytes)
{
	struct err failed = {0}, e = {0};

	if (p->kind != PENDING_CALL)
		return;
	if (why)
		err_set(&failed, EIO, "%s", why);
	record_end_tool(&p->policy->record, p->begin, why ? &failed : NULL, bytes, &e);
}

int filter_refresh(struct filter *f, struct err *e)
{
	int r = door_refresh(f->door, e);

	if (r > 0 || (r < 0) != f->broken) {
		struct writer w = rpc_note(f->client, "notifications/tools/list_changed");

		rpc_end(f->client, &w);
	}
	f->broken = r < 0;
	return r < 0 ? r : 0;
}

/* As the protocol would have names, and a little more; no other can be told apart by a rule. */
static bool is_tool_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= TOOL_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") ==
		       len;
}

static struct tool_answer ask(const struct filter *f, const char *tool)
{
	const struct verdict *v = &f->door->policy->session.run.verdict;

	if (!is_tool_name(tool))
		return (struct tool_answer){false, TOOL_KEY_DENY, NULL};
	return toolpolicy_ask_server(&v->effective->tools, f->server, tool, true);
}

/* What the log says of a call: the session's verdict, but for the tool. */
static void make_verdict(const struct filter *f, struct arena *a, const char *tool,
	struct tool_answer answer, struct verdict *ret)
{
	*ret = f->door->policy->session.run.verdict;
	ret->tool = arena_printf(a, "mcp__%s__%s", f->server, tool);
	ret->permission = answer.allowed ? PERMISSION_ALLOW : PERMISSION_DENY;
	ret->place = PLACE_SANDBOX;
	ret->reasons[0] = (struct verdict_reason){
		.code = answer.allowed ? BECAUSE_TOOL_ALLOWED : BECAUSE_TOOL_DENIED,
		.text = answer.item      ? arena_printf(a, "%s: '%s'", tool_key_names[answer.key],
						   answer.item->text)
			: answer.allowed ? "no rule denies it"
					 : arena_printf(a, "%s", tool_key_names[answer.key]),
	};
	if (answer.item)
		ret->reasons[0].at = answer.item->at;
	ret->reason_count = 1;
}

static struct filter_pending *add(struct filter *f, const char *id, enum pending_kind kind)
{
	struct filter_pending *p = mem_alloc(sizeof *p);

	p->id = mem_dup(id);
	p->kind = kind;
	p->next = f->first;
	f->first = p;
	f->count++;
	return p;
}

/* Decides and writes it down; false: it was answered here. */
static bool take_call(struct filter *f, struct arena *a, const struct message *m)
{
	const struct node *name = tree_get(m->params, "name");
	const struct node *args = tree_get(m->params, "arguments");
	const char *tool = name && name->type == NODE_TEXT ? name->text : "";
	auto_(buf_free) struct buf text = BUF(ARGUMENTS_MAX), shown = BUF(200);
	struct verdict *v = arena_alloc(a, sizeof *v);
	struct record_request q = {.entrance = ENTRANCE_WRAP, .operation = "call", .verdict = v};
	struct tool_answer answer;
	struct writer w = WRITER_COMPACT(&text);
	struct err e = {0};
	uint64_t begin = 0;
	struct filter_pending *p;
	int r = filter_refresh(f, &e);

	if (r < 0) {
		rpc_error(f->client, m->id, MESSAGE_INTERNAL, e.text);
		return false;
	}
	if (message_has_twin(m->params, call_members)) {
		rpc_error(f->client, m->id, MESSAGE_BAD_PARAMS,
			"params: a member has the name of another in other letters");
		return false;
	}
	answer = ask(f, tool);
	make_verdict(f, a, tool, answer, v);
	q.tool = v->tool;
	if (args && args->type == NODE_OBJECT)
		node_write(&w, NULL, args);
	q.arguments = text.len && !text.dropped ? buf_text(&text) : NULL;
	if (!answer.allowed)
		r = record_deny(&f->door->policy->record, &q, v->reasons[0].text, &e);
	else
		r = record_begin(&f->door->policy->record, &q, &begin, &e);
	if (r < 0 || !answer.allowed) {
		escape_text(&shown, tool);
		rpc_error(f->client, m->id, r < 0 ? MESSAGE_INTERNAL : MESSAGE_BAD_PARAMS,
			r < 0 ? e.text : arena_printf(a, "Unknown tool: %s", buf_text(&shown)));
		return false;
	}
	p = add(f, m->id, PENDING_CALL);
	p->policy = door_hold(f->door);
	p->begin = begin;
	return true;
}

static bool take_request(struct filter *f, struct arena *a, const struct message *m)
{
	if (!str_in(m->method, client_requests)) {
		rpc_error(f->client, m->id, MESSAGE_NO_METHOD, "the protocol has no such method");
		return false;
	}
	if (*find(f, m->id)) {
		rpc_error(f->client, m->id, MESSAGE_INVALID,
			"id: a request with it is not answered yet");
		return false;
	}
	if (f->count >= FILTER_PENDING) {
		rpc_error(f->client, m->id, MESSAGE_BUSY, "too many requests at once");
		return false;
	}
	if (str_eq(m->method, "tools/call"))
		return take_call(f, a, m);
	add(f, m->id, str_eq(m->method, "tools/list") ? PENDING_LIST : PENDING_PLAIN);
	return true;
}

/* A call that is cancelled gets no answer. */
static bool take_note(struct filter *f, struct arena *a, const struct message *m)
{
	const char *id = NULL;
	struct filter_pending **at;

	if (!str_in(m->method, client_notes))
		return false;
	if (str_eq(m->method, "notifications/cancelled"))
		id = message_id(a, tree_get(m->params, "requestId"));
	at = id ? find(f, id) : NULL;
	if (at && *at) {
		end_record(*at, "the client cancelled it", 0);
		drop(f, at);
	}
	return true;
}

void filter_from_client(struct filter *f, const char *text, size_t len)
{
	auto_(arena_free) struct arena a = {0};
	struct message m;
	bool passes = false;

	message_read(&a, text, len, &m);
	switch (m.kind) {
	case MESSAGE_REQUEST:
		passes = take_request(f, &a, &m);
		break;
	case MESSAGE_NOTE:
		passes = take_note(f, &a, &m);
		break;
	case MESSAGE_ANSWER:
		passes = true;
		break;
	case MESSAGE_BAD:
		rpc_error(f->client, m.id, m.code, m.why);
		break;
	}
	if (passes)
		rpc_pass(f->inner, text, len);
}

static bool is_allowed(const struct filter *f, const struct node *tool)
{
	const struct node *name = tree_get(tool, "name");

	return name && name->type == NODE_TEXT && !f->broken && ask(f, name->text).allowed &&
	       !message_has_twin(tool, tool_members);
}

/* True: it may pass as it is. */
static bool all_allowed(const struct filter *f, const struct node *tools)
{
	for (uint32_t i = 0; i < tools->count; i++)
		if (!is_allowed(f, &tools->items[i]))
			return false;
	return true;
}

static void write_allowed(const struct filter *f, struct writer *w, const struct node *tools)
{
	write_list(w, "tools");
	for (uint32_t i = 0; i < tools->count; i++)
		if (is_allowed(f, &tools->items[i]))
			node_write(w, NULL, &tools->items[i]);
	write_end_list(w);
}

/* True: it passes as it is; else what is left of it was sent. */
static bool take_list(struct filter *f, const struct message *m)
{
	const struct node *tools = tree_get(m->result, "tools");
	struct err e = {0};
	struct writer w;

	filter_refresh(f, &e);
	if (!m->result || (tools && tools->type == NODE_ARRAY && all_allowed(f, tools) &&
				  !message_has_twin(m->result, list_members)))
		return true;
	w = rpc_result(f->client, m->id);
	for (uint32_t i = 0; m->result->type == NODE_OBJECT && i < m->result->count; i++) {
		const struct member *each = &m->result->members[i];

		if (!str_eq(each->key, "tools") && !message_is_twin(each->key, "tools"))
			node_write(&w, each->key, &each->value);
	}
	if (tools && tools->type == NODE_ARRAY)
		write_allowed(f, &w, tools);
	rpc_end(f->client, &w);
	return false;
}

static bool take_answer(struct filter *f, const struct message *m, size_t len)
{
	struct filter_pending **at = find(f, m->id);
	const struct node *failed = tree_get(m->result, "isError");
	bool passes = true;

	if (!*at)
		return false;
	if ((*at)->kind == PENDING_LIST)
		passes = take_list(f, m);
	end_record(*at,
		!m->result ? "the server answered with an error"
		: failed && failed->type == NODE_BOOL && failed->boolean ? "the tool failed"
									 : NULL,
		len);
	drop(f, at);
	return passes;
}

void filter_from_server(struct filter *f, const char *text, size_t len)
{
	auto_(arena_free) struct arena a = {0};
	struct message m;
	bool passes = false;

	message_read(&a, text, len, &m);
	switch (m.kind) {
	case MESSAGE_REQUEST:
		passes = str_in(m.method, server_requests);
		/* Who does not read gets no more answers. */
		if (!passes && !rpc_is_full(f->inner))
			rpc_error(f->inner, m.id, MESSAGE_NO_METHOD,
				"the protocol has no such method");
		break;
	case MESSAGE_NOTE:
		passes = str_in(m.method, server_notes);
		break;
	case MESSAGE_ANSWER:
		passes = take_answer(f, &m, len);
		break;
	case MESSAGE_BAD: /* not for the client's eyes */
		break;
	}
	if (passes)
		rpc_pass(f->client, text, len);
}

void filter_end(struct filter *f, const char *why)
{
	while (f->first) {
		rpc_error(f->client, f->first->id, MESSAGE_BUSY, why);
		end_record(f->first, why, 0);
		drop(f, &f->first);
	}
}
