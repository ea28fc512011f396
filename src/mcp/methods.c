/* SPDX-License-Identifier: Apache-2.0 */

/* What a client may ask: a row a method. */

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "mcp/parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const char *const revision_names[REVISIONS] = {
	[REVISION_2024_11] = "2024-11-05",
	[REVISION_2025_03] = "2025-03-26",
	[REVISION_2025_06] = "2025-06-18",
	[REVISION_2025_11] = "2025-11-25",
};

static const char *const level_names[LOG_LEVELS] = {
	[LOG_DEBUG] = "debug",
	[LOG_INFO] = "info",
	[LOG_NOTICE] = "notice",
	[LOG_WARNING] = "warning",
	[LOG_ERROR] = "error",
	[LOG_CRITICAL] = "critical",
	[LOG_ALERT] = "alert",
	[LOG_EMERGENCY] = "emergency",
};

static const char instructions[] =
	"Commands and file changes run in the sandbox of this session, whose workspace is "
	"/workspace. What the sandbox refuses stays refused when it is tried again; results say "
	"what it was. session_status tells what holds here.";

void methods_log(struct server *s, enum log_level level, const char *fmt, ...)
{
	char text[1000];
	struct writer w;
	va_list ap;

	if (!s->initialised || level < s->level)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	w = rpc_note(&s->rpc, "notifications/message");
	write_text(&w, "level", level_names[level]);
	write_text(&w, "logger", "ward");
	write_text(&w, "data", text);
	rpc_end(&s->rpc, &w);
}

static void tell_changed(struct server *s)
{
	static const char *const notes[] = {
		"notifications/tools/list_changed", "notifications/resources/list_changed"};

	for (size_t i = 0; i < ARRAY_LEN(notes); i++) {
		struct writer w = rpc_note(&s->rpc, notes[i]);

		rpc_end(&s->rpc, &w);
	}
}

void methods_noticed(struct server *s, int r, const struct err *e)
{
	bool anew = s->serial != s->door->policy->serial;

	if (!anew && (r < 0) == s->broken)
		return;
	if (r < 0)
		methods_log(s, LOG_ERROR, "%s", e->text);
	else
		methods_log(s, LOG_NOTICE, "the configuration was read anew");
	if (s->initialised)
		tell_changed(s);
	s->serial = s->door->policy->serial;
	s->broken = r < 0;
}

int methods_refresh(struct server *s, struct err *e)
{
	int r = door_refresh(s->door, e);

	methods_noticed(s, r, e);
	return r < 0 ? r : 0;
}

/* The one that was asked for where we know it, else the newest: the client decides then. */
static enum revision choose_revision(const struct node *wanted)
{
	for (int i = 0; i < REVISIONS; i++)
		if (wanted->type == NODE_TEXT && str_eq(wanted->text, revision_names[i]))
			return (enum revision)i;
	return REVISIONS - 1;
}

/* "elicitation": {} means forms; one that names only other ways means those. */
static bool offers_forms(const struct node *capabilities)
{
	const struct node *n = tree_get(capabilities, "elicitation");

	if (!n || n->type != NODE_OBJECT)
		return false;
	return n->count == 0 || tree_get(n, "form") || !tree_get(n, "url");
}

static void write_capabilities(struct writer *w)
{
	write_object(w, "capabilities");
	write_object(w, "tools");
	write_bool(w, "listChanged", true);
	write_end_object(w);
	write_object(w, "resources");
	write_bool(w, "listChanged", true);
	write_end_object(w);
	write_object(w, "logging");
	write_end_object(w);
	write_object(w, "experimental");
	write_object(w, "ward/output");
	write_end_object(w);
	write_end_object(w);
	write_end_object(w);
}

static void initialize(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	const struct node *version = tree_get(m->params, "protocolVersion");
	struct writer w;

	(void)a;
	(void)bytes;
	if (s->initialised || !version) {
		rpc_error(&s->rpc, m->id, s->initialised ? MESSAGE_INVALID : MESSAGE_BAD_PARAMS,
			s->initialised ? "this session is initialised already"
				       : "params.protocolVersion is missing");
		return;
	}
	s->initialised = true;
	s->revision = choose_revision(version);
	s->elicits = s->revision >= REVISION_2025_06 &&
		     offers_forms(tree_get(m->params, "capabilities"));
	s->streams = tree_path(m->params, "capabilities.experimental.ward/output") != NULL;
	w = rpc_result(&s->rpc, m->id);
	write_text(&w, "protocolVersion", revision_names[s->revision]);
	write_capabilities(&w);
	write_object(&w, "serverInfo");
	write_text(&w, "name", "ward");
	write_text(&w, "title", "ward");
	write_text(&w, "version", WARD_VERSION);
	write_end_object(&w);
	write_text(&w, "instructions", instructions);
	rpc_end(&s->rpc, &w);
}

static void ping(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	struct writer w = rpc_result(&s->rpc, m->id);

	(void)a;
	(void)bytes;
	rpc_end(&s->rpc, &w);
}

static void set_level(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	const struct node *level = tree_get(m->params, "level");

	for (int i = 0; level && level->type == NODE_TEXT && i < LOG_LEVELS; i++)
		if (str_eq(level->text, level_names[i])) {
			s->level = (enum log_level)i;
			ping(s, a, bytes, m);
			return;
		}
	rpc_error(&s->rpc, m->id, MESSAGE_BAD_PARAMS, "params.level is no level of the protocol");
}

static void write_tool(struct writer *w, const struct tool_row *t)
{
	write_object(w, NULL);
	write_text(w, "name", t->name);
	write_text(w, "title", t->title);
	write_text(w, "description", t->help);
	tool_schema(t, w, "inputSchema");
	write_object(w, "annotations");
	write_text(w, "title", t->title);
	write_bool(w, "readOnlyHint", t->read_only);
	write_bool(w, "destructiveHint", t->destructive);
	write_bool(w, "idempotentHint", t->idempotent);
	write_bool(w, "openWorldHint", t->open_world);
	write_end_object(w);
	write_end_object(w);
}

/* Few enough for one page. With a configuration that cannot be read nothing can be called. */
static void list_tools(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	const struct tool_row *tools[SERVER_TOOLS];
	struct err e = {0};
	struct writer w;
	size_t count = 0;

	(void)a;
	(void)bytes;
	if (tree_get(m->params, "cursor")) {
		rpc_error(&s->rpc, m->id, MESSAGE_BAD_PARAMS, "params.cursor is none of ours");
		return;
	}
	if (methods_refresh(s, &e) == 0)
		count = tool_effective(s->door, tools, SERVER_TOOLS);
	w = rpc_result(&s->rpc, m->id);
	write_list(&w, "tools");
	for (size_t i = 0; i < count; i++)
		write_tool(&w, tools[i]);
	write_end_list(&w);
	rpc_end(&s->rpc, &w);
}

static void call_tool(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	const struct node *name = tree_get(m->params, "name");
	struct call_wish wish = {.kind = CALL_TOOL, .args = tree_get(m->params, "arguments")};

	if (!name || name->type != NODE_TEXT || (wish.args && wish.args->type != NODE_OBJECT)) {
		rpc_error(&s->rpc, m->id, MESSAGE_BAD_PARAMS,
			name && name->type == NODE_TEXT ? "params.arguments must be an object"
							: "params.name must be a text");
		return;
	}
	wish.tool = name->text;
	calls_add(s, a, bytes, m, &wish);
}

static void list_templates(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	(void)a;
	(void)bytes;
	resources_templates(s, m);
}

typedef void method_fn(struct server *s, struct arena *a, size_t bytes, const struct message *m);

static const struct {
	const char *name;
	method_fn *take;
	bool early; /* also before anything was agreed on */
} methods[] = {
	{"initialize", initialize, true},
	{"ping", ping, true},
	{"tools/list", list_tools, false},
	{"tools/call", call_tool, false},
	{"resources/list", resources_list, false},
	{"resources/read", resources_read, false},
	{"resources/templates/list", list_templates, false},
	{"logging/setLevel", set_level, false},
};

static void take_request(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	auto_(buf_free) struct buf why = BUF(200);

	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (!str_eq(methods[i].name, m->method))
			continue;
		if (!s->initialised && !methods[i].early)
			rpc_error(&s->rpc, m->id, MESSAGE_INVALID,
				"the first request must be initialize");
		else
			methods[i].take(s, a, bytes, m);
		return;
	}
	buf_puts(&why, "there is no method '");
	escape_text(&why, m->method);
	rpc_error(&s->rpc, m->id, MESSAGE_NO_METHOD,
		arena_printf(a, "%s%s'", buf_text(&why), why.dropped ? "..." : ""));
}

/* Unknown ones are left alone, as the protocol wants. */
static void take_note(struct server *s, struct arena *a, const struct message *m)
{
	const char *id;

	if (!str_eq(m->method, "notifications/cancelled"))
		return;
	id = message_id(a, tree_get(m->params, "requestId"));
	if (id)
		calls_cancel(s, id);
}

void methods_take(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	switch (m->kind) {
	case MESSAGE_REQUEST:
		take_request(s, a, bytes, m);
		break;
	case MESSAGE_NOTE:
		take_note(s, a, m);
		break;
	case MESSAGE_ANSWER:
		elicit_answer(s, m);
		break;
	case MESSAGE_BAD:
		rpc_error(&s->rpc, m->id, m->code, m->why);
		break;
	}
}
