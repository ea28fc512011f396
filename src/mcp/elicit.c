/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A call that needs a person's consent. Where the client can ask its user, it does, by a form; else
 * the call waits for somebody at a terminal, and the client hears under which name. Either way
 * the approval itself is kept by the door: an answer that is no clear yes is no.
 */

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "door/approval.h"
#include "mcp/parts.h"

#include <stdio.h>

#define SHOWN_MAX ((size_t)64 << 10)

static const char schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"decision\":{\"type\":\"string\",\"title\":\"Decision\","
	"\"description\":\"Run this one command?\","
	"\"enum\":[\"deny\",\"allow\"],\"default\":\"deny\"},"
	"\"advice\":{\"type\":\"string\",\"title\":\"Advice\","
	"\"description\":\"What the agent should do instead (optional)\",\"maxLength\":500}},"
	"\"required\":[\"decision\"]}";

static void tell_waiting(struct server *s, const struct approval *p)
{
	methods_log(s, LOG_WARNING,
		"a call waits for approval %s; a person answers it at a terminal: ward approve %s",
		approval_id(p), approval_id(p));
}

void elicit_ask(struct server *s, struct call_running *c)
{
	auto_(buf_free) struct buf shown = BUF(SHOWN_MAX);
	struct approval *p = job_approval(c->job);
	struct writer w;

	if (!p)
		return;
	approval_show(p, &shown);
	/* Nobody can agree to what is not shown in full. */
	if (!s->elicits || shown.dropped || c->silent) {
		tell_waiting(s, p);
		return;
	}
	w = rpc_request(&s->rpc, "elicitation/create");
	c->question = s->rpc.requests;
	if (s->revision >= REVISION_2025_11)
		write_text(&w, "mode", "form");
	write_text(&w, "message", buf_text(&shown));
	write_raw(&w, "requestedSchema", schema);
	rpc_end(&s->rpc, &w);
}

void elicit_drop(struct server *s, struct call_running *c)
{
	struct writer w;

	if (!s->closing) {
		w = rpc_note(&s->rpc, "notifications/cancelled");
		write_unsigned(&w, "requestId", c->question);
		write_text(&w, "reason", "it was answered elsewhere, or is over");
		rpc_end(&s->rpc, &w);
	}
	c->question = 0;
}

static const char *text_of(const struct node *n)
{
	return n && n->type == NODE_TEXT ? n->text : NULL;
}

/* Is this an answer to a question of ours, spelled as we did? */
static bool is_answer_to(const struct call_running *c, const struct message *m)
{
	char id[24];

	if (!c->question)
		return false;
	snprintf(id, sizeof id, "%llu", (unsigned long long)c->question);
	return str_eq(id, m->id);
}

void elicit_answer(struct server *s, const struct message *m)
{
	struct call_running *c = s->first;
	const char *action = text_of(tree_get(m->result, "action"));
	bool yes = str_eq(action, "accept") &&
		   str_eq(text_of(tree_path(m->result, "content.decision")), "allow");
	struct err e = {0};
	struct approval *p;

	while (c && !is_answer_to(c, m))
		c = c->next;
	p = c ? job_approval(c->job) : NULL;
	if (!p)
		return;
	c->question = 0;
	c->due_ms = 0;
	if (!m->result) /* the client could not ask: somebody else may still answer */
		tell_waiting(s, p);
	else if (approval_answer(p, yes, "elicitation",
			 text_of(tree_path(m->result, "content.advice")), &e) < 0)
		methods_log(s, LOG_ERROR, "the answer was not taken: %s", e.text);
}
