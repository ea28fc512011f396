/* SPDX-License-Identifier: Apache-2.0 */

/* What ward says: answers to calls, output of commands, questions to a person, its log. */

#include "lib/parts.h"

#include <stdlib.h>
#include <string.h>

/* A string decoded, allocated, with its length; NULL: it is none, or there is no memory. */
static char *copy_text(struct span value, bool base64, size_t *ret_len)
{
	char *to;

	if (!value.at)
		return NULL;
	to = malloc(value.len + 1);
	if (to && !(base64 ? scan_base64 : scan_text)(value, to, ret_len)) {
		free(to);
		return NULL;
	}
	return to;
}

static char *copy_span(struct span value, size_t *ret_len)
{
	char *to = malloc(value.len + 1);

	if (!to)
		return NULL;
	if (value.len > 0)
		memcpy(to, value.at, value.len);
	to[value.len] = '\0';
	*ret_len = value.len;
	return to;
}

/* What the answer calls its failure. */
static int error_of(struct span code)
{
	static const struct {
		const char *name;
		int error;
	} rows[] = {
		{"denied", WARD_DENIED},
		{"notFound", WARD_NOT_FOUND},
		{"invalid", WARD_INVALID},
		{"tooLarge", WARD_TOO_LARGE},
		{"timeout", WARD_TIMEOUT},
		{"cancelled", WARD_CANCELLED},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (scan_is_text(code, rows[i].name))
			return rows[i].error;
	return WARD_FAILED;
}

/* The texts of a failure are short, but they are not ours: what is too long is cut. */
static void take_message(struct ward *w, struct span text)
{
	size_t len;
	char *copy = copy_text(text, false, &len);

	handle_fail(w, 0, "%s", copy ? copy : "");
	free(copy);
}

/* An answer with an error of the protocol in place of a result. */
static int take_error(struct ward *w, struct span error)
{
	struct scan_wish m[] = {{.key = "code"}, {.key = "message"}};
	int64_t code = 0;

	scan_members(error, m, COUNT(m));
	scan_number(m[0].value, &code);
	take_message(w, m[1].value);
	switch (code) {
	case -32602: /* the one parameter that we do not make ourselves is the tool's name */
		return WARD_NOT_FOUND;
	case -32600:
	case -32700:
		return WARD_INVALID;
	case -32000:
		return WARD_BUSY;
	default:
		return WARD_FAILED;
	}
}

/* The answer of a tool, into memory of its own. */
static int take_tool(struct ward *w, struct span result, struct ward_answer *ret)
{
	struct scan_wish m[] = {
		{.key = "content"}, {.key = "structuredContent"}, {.key = "isError"}};
	struct scan_wish failure[] = {{.key = "error"}, {.key = "code"}};
	struct span first = {NULL, 0}, text = {"\"\"", 2};

	scan_members(result, m, COUNT(m));
	if (scan_first(m[0].value, &first))
		scan_member(first, "text", &text);
	ret->failed = scan_is_true(m[2].value);
	ret->text = copy_text(text, false, &ret->text_len);
	ret->json = copy_span(m[1].value, &ret->json_len);
	if (!ret->text || !ret->json)
		return handle_fail(w, WARD_NOMEM, "no memory for the answer");
	if (!ret->failed)
		return WARD_OK;
	if (!m[1].value.at) {
		handle_fail(w, 0, "%s", ret->text);
		return WARD_FAILED;
	}
	/* A command that ended badly has no error of its own: the tool did what it was asked. */
	scan_members(m[1].value, failure, COUNT(failure));
	if (!failure[0].value.at)
		return WARD_OK;
	take_message(w, failure[0].value);
	return error_of(failure[1].value);
}

static int take_plain(struct ward *w, struct span result, struct ward_answer *ret)
{
	ret->json = copy_span(result, &ret->json_len);
	return ret->json ? WARD_OK : handle_fail(w, WARD_NOMEM, "no memory for the answer");
}

static void take_answer(struct ward *w, struct span id, struct span result, struct span error)
{
	struct ward_answer answer = {0};
	struct call *c;
	int64_t number = 0;
	int r;

	/* A message that ward could not read has no number: nobody knows which one it was. */
	if (!scan_number(id, &number)) {
		calls_finish_all(w, take_error(w, error));
		return;
	}
	c = calls_find(w, (uint64_t)number);
	if (!c || c->cancelled)
		return;
	if (!result.at)
		r = take_error(w, error);
	else if (c->kind == CALL_TOOL)
		r = take_tool(w, result, &answer);
	else
		r = take_plain(w, result, &answer);
	calls_finish(w, c, r, &answer);
}

/* A piece of output, before the answer. */
static void take_output(struct ward *w, struct span params)
{
	struct scan_wish m[] = {
		{.key = "token"}, {.key = "stream"}, {.key = "data"}, {.key = "dataBase64"}};
	int64_t id = 0;
	struct call *c;
	size_t len = 0;
	char *data;

	scan_members(params, m, COUNT(m));
	if (!scan_number(m[0].value, &id))
		return;
	c = calls_find(w, (uint64_t)id);
	if (!c || c->cancelled || !c->callbacks.on_output)
		return;
	data = m[2].value.at ? copy_text(m[2].value, false, &len)
			     : copy_text(m[3].value, true, &len);
	if (!data)
		return; /* the answer has it all again */
	w->inside++;
	c->callbacks.on_output(c->callbacks.ctx, c->id,
		scan_is_text(m[1].value, "stderr") ? WARD_STDERR : WARD_STDOUT, data, len);
	w->inside--;
	free(data);
}

static void take_log(struct ward *w, struct span params)
{
	struct scan_wish m[] = {{.key = "level"}, {.key = "data"}};
	size_t len;
	char *level, *text;

	if (!w->on_log)
		return;
	scan_members(params, m, COUNT(m));
	level = copy_text(m[0].value, false, &len);
	text = copy_text(m[1].value, false, &len);
	if (level && text) {
		w->inside++;
		w->on_log(w->ctx, level, text);
		w->inside--;
	}
	free(level);
	free(text);
}

/* Who cannot be shown the question cannot say yes: without memory it stays open. */
static void take_question(struct ward *w, int64_t id, struct span params)
{
	struct ward_approval approval = {.id = (uint64_t)id};
	enum ward_consent consent = WARD_LATER;
	struct span message;
	char *text = NULL;

	if (!w->on_approval)
		return;
	if (scan_member(params, "message", &message))
		text = copy_text(message, false, &approval.text_len);
	if (!text)
		return;
	approval.text = text;
	w->inside++;
	consent = w->on_approval(w->ctx, &approval);
	w->inside--;
	free(text);
	ward_decide(w, approval.id, consent, NULL);
}

static void take_request(struct ward *w, struct span method, struct span id, struct span params)
{
	struct put m = {0};
	int64_t number;

	if (!scan_number(id, &number))
		return;
	if (scan_is_text(method, "elicitation/create")) {
		take_question(w, number, params);
		return;
	}
	put_raw(&m, "{\"jsonrpc\":\"2.0\",\"id\":");
	put_bytes(&m, id.at, id.len);
	put_raw(&m, scan_is_text(method, "ping")
			    ? ",\"result\":{}}"
			    : ",\"error\":{\"code\":-32601,\"message\":\"not here\"}}");
	calls_queue(w, &m);
	put_free(&m);
}

/* What we do not know is left alone: a newer ward may say more. */
void messages_take(struct ward *w, const char *text, size_t len)
{
	struct scan_wish m[] = {{.key = "method"}, {.key = "id"}, {.key = "params"},
		{.key = "result"}, {.key = "error"}};
	struct span method, params;

	scan_members((struct span){text, len}, m, COUNT(m));
	method = m[0].value;
	params = m[2].value;
	if (!method.at)
		take_answer(w, m[1].value, m[3].value, m[4].value);
	else if (m[1].value.at)
		take_request(w, method, m[1].value, params);
	else if (scan_is_text(method, "ward/output"))
		take_output(w, params);
	else if (scan_is_text(method, "notifications/message"))
		take_log(w, params);
}
