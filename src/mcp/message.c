/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/message.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/show.h"
#include "base/str.h"
#include "json/json5.h"
#include "mcp/lines.h"

#include <string.h>

static void bad(struct message *m, enum message_code code, const char *why)
{
	m->kind = MESSAGE_BAD;
	m->code = code;
	m->why = why;
}

const char *message_id(struct arena *a, const struct node *n)
{
	auto_(buf_free) struct buf shown = BUF(2 * MESSAGE_ID_MAX);

	if (!n || (n->type != NODE_TEXT && n->type != NODE_NUMBER) ||
		strlen(n->text) > MESSAGE_ID_MAX)
		return NULL;
	if (n->type == NODE_NUMBER)
		return n->text;
	show_string(&shown, n->text);
	return shown.dropped ? NULL : arena_text(a, buf_text(&shown), shown.len);
}

/* The next letter as others fold it: long s and the sign of Kelvin are letters of ASCII to them. */
static int folded(const char **p)
{
	const char *at = *p;

	if (strncmp(at, "\xc5\xbf", 2) == 0) {
		*p += 2;
		return 's';
	}
	if (strncmp(at, "\xe2\x84\xaa", 3) == 0) {
		*p += 3;
		return 'k';
	}
	*p += *at != '\0';
	return *at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at;
}

bool message_is_twin(const char *key, const char *name)
{
	const char *p = key, *q = name;
	int c;

	do {
		c = folded(&p);
		if (c != folded(&q))
			return false;
	} while (c);
	return !str_eq(key, name);
}

bool message_has_twin(const struct node *object, const char *const *names)
{
	for (uint32_t i = 0; object && object->type == NODE_OBJECT && i < object->count; i++)
		for (const char *const *name = names; *name; name++)
			if (message_is_twin(object->members[i].key, *name))
				return true;
	return false;
}

/* A request or a notification. */
static void read_call(const struct node *root, const struct node *method, struct message *m)
{
	const struct node *params = tree_get(root, "params");

	if (method->type != NODE_TEXT) {
		bad(m, MESSAGE_INVALID, "method: it must be a text");
		return;
	}
	m->method = method->text;
	m->kind = m->id ? MESSAGE_REQUEST : MESSAGE_NOTE;
	if (params && params->type != NODE_OBJECT)
		bad(m, MESSAGE_BAD_PARAMS, "params: it must be an object");
	m->params = params;
}

static void read_answer(const struct node *root, struct message *m)
{
	const struct node *error = tree_get(root, "error");

	m->kind = MESSAGE_ANSWER;
	m->result = tree_get(root, "result");
	if (!m->id || !m->result == !error)
		bad(m, MESSAGE_INVALID, "neither a request nor an answer");
}

static void read_object(struct arena *a, const struct node *root, struct message *m)
{
	static const char *const members[] = {
		"jsonrpc", "id", "method", "params", "result", "error", NULL};
	const struct node *version = tree_get(root, "jsonrpc"), *id = tree_get(root, "id");
	const struct node *method = tree_get(root, "method");

	m->id = message_id(a, id);
	if (id && !m->id)
		bad(m, MESSAGE_INVALID, "id: it must be a number or a text of at most 256 bytes");
	else if (!version || version->type != NODE_TEXT || !str_eq(version->text, "2.0"))
		bad(m, MESSAGE_INVALID, "jsonrpc: it must be \"2.0\"");
	else if (message_has_twin(root, members))
		bad(m, MESSAGE_INVALID, "a member has the name of another in other letters");
	else if (method)
		read_call(root, method, m);
	else
		read_answer(root, m);
}

void message_read(struct arena *a, const char *text, size_t len, struct message *ret)
{
	static const struct json5_limits limits = {LINES_MAX, MESSAGE_VALUES};
	struct err e = {0};
	struct node root;

	*ret = (struct message){0};
	if (json5_parse_strict(a, &limits, text, len, &root, &e) < 0)
		bad(ret, MESSAGE_NOT_JSON, arena_printf(a, "%s", e.text));
	else if (root.type == NODE_ARRAY)
		bad(ret, MESSAGE_INVALID, "batches are not part of the protocol");
	else if (root.type != NODE_OBJECT)
		bad(ret, MESSAGE_INVALID, "a message must be an object");
	else
		read_object(a, &root, ret);
	if (ret->kind == MESSAGE_BAD && !ret->id)
		ret->id = "null";
}
