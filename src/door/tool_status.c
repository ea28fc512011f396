/* SPDX-License-Identifier: Apache-2.0 */

/* The tool that says what the session's sandbox is like. */

#include "base/cleanup.h"
#include "base/number.h"
#include "door/tool.h"
#include "state/place.h"

static void write_limits(struct tool_work *w, const struct sandbox *s)
{
	const struct limits *l = &s->resources;

	write_object(w->json, "limits");
	write_unsigned(w->json, "memory", l->memory.v);
	write_unsigned(w->json, "pids", l->pids.v);
	write_unsigned(w->json, "cpusMilli", l->cpus.v);
	write_unsigned(w->json, "timeoutMs", s->timeout.v);
	write_unsigned(w->json, "outputLimit", s->output_limit.v);
	write_end_object(w->json);
}

static void write_items(struct writer *w, const char *key, const struct opt_list *list)
{
	write_list(w, key);
	for (size_t i = 0; i < list->count; i++)
		write_text(w, NULL, list->items[i].text);
	write_end_list(w);
}

static const char *network_mode(const struct sandbox *s)
{
	return s->network.allow.count ? "list" : net_mode_names[s->network.mode.v];
}

static void write_network(struct tool_work *w, const struct sandbox *s)
{
	write_object(w->json, "network");
	write_text(w->json, "mode", network_mode(s));
	write_items(w->json, "allow", &s->network.allow);
	write_items(w->json, "deny", &s->network.deny);
	write_end_object(w->json);
}

static void write_tools(struct tool_work *w)
{
	const struct tool_row **rows = arena_array(w->arena, tool_count(), sizeof *rows);
	size_t count = tool_effective(w->door, rows, tool_count());

	write_list(w->json, "tools");
	for (size_t i = 0; i < count; i++)
		write_text(w->json, NULL, rows[i]->name);
	write_end_list(w->json);
}

static void write_sandbox(struct tool_work *w, const char *name)
{
	auto_fd int place = place_open(w->arena, NULL);
	struct place_row row = {0};
	bool alive = place >= 0 && place_read(place, name, &row) >= 0 && row.alive;

	write_object(w->json, "sandbox");
	write_text(w->json, "name", name);
	write_text(w->json, "runtime", "native");
	write_text(w->json, "state",
		!alive             ? "stopped"
		: row.card.running ? "busy"
				   : card_state_names[row.card.state]);
	if (alive) {
		write_unsigned(w->json, "commands", row.card.served);
		write_unsigned(w->json, "running", row.card.running);
		write_unsigned(w->json, "background", row.card.background);
		write_unsigned(w->json, "memory", row.card.memory);
	}
	write_end_object(w->json);
	buf_printf(w->text, "The sandbox %s.", alive ? "runs" : "is started by the first command");
}

int tool_status(struct tool_work *w, struct err *e)
{
	const struct verdict *v = w->verdict;
	const struct sandbox *s = &v->effective->s.sandbox;

	(void)e;
	write_text(w->json, "session", v->session.key);
	write_text(w->json, "agent", v->session.agent);
	write_bool(w->json, "sandboxed", v->sandboxed);
	write_text(w->json, "mode", mode_names[s->mode.v]);
	write_text(w->json, "scope", scope_names[s->scope.v]);
	write_text(w->json, "workspace", workspace_names[s->workspace.v]);
	write_text(w->json, "folder", v->sandboxed ? PLAN_WORKSPACE : NULL);
	write_network(w, s);
	write_limits(w, s);
	write_tools(w);
	buf_printf(w->text, "Session %s, workspace %s, network %s. ", v->session.key,
		workspace_names[s->workspace.v], network_mode(s));
	if (v->sandboxed)
		write_sandbox(w, w->policy->session.name);
	return 0;
}
