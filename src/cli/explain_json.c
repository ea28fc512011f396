/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/explain.h"

#include "base/cleanup.h"
#include "base/show.h"
#include "json/write.h"
#include "model/elevate.h"

static void write_where(struct writer *w, const struct where *at)
{
	char text[WHERE_TEXT];

	if (!at->source) {
		write_text(w, "origin", NULL);
		return;
	}
	where_text(at, text);
	write_text(w, "origin", text);
}

static void write_sessions(struct writer *w, const struct explanation *x)
{
	write_list(w, "sessions");
	for (size_t i = 0; i < ARRAY_LEN(x->sessions); i++) {
		write_object(w, NULL);
		write_text(w, "session", x->sessions[i].key);
		write_text(w, "place",
			place_names[x->sessions[i].sandboxed ? PLACE_SANDBOX : PLACE_HOST]);
		write_end_object(w);
	}
	write_end_list(w);
}

static void write_rules(struct writer *w, const struct explanation *x)
{
	char ttl[NUMBER_TEXT];

	write_object(w, "elevated");
	write_bool(w, "enabled", x->eff->s.tools.elevated.enabled.v);
	write_text(w, "note", decide_elevation_note(x->eff, x->verdict.sandboxed));
	write_list(w, "rules");
	for (size_t i = 0; i < x->eff->rules.count; i++) {
		const struct rule *rule = &x->eff->rules.items[i];

		number_duration_text(rule->ttl, ttl);
		write_object(w, NULL);
		write_text(w, "pattern", rule->pattern);
		write_text(w, "to", rule->to);
		write_bool(w, "approval", rule->approval);
		write_text(w, "ttl", ttl);
		write_text(w, "note", elevate_never(rule->pattern));
		write_where(w, &rule->at);
		write_end_object(w);
	}
	write_end_list(w);
	write_end_object(w);
}

static void write_items(struct writer *w, const char *key, const struct opt_list *list)
{
	write_list(w, key);
	for (size_t i = 0; i < list->count; i++)
		write_text(w, NULL, list->items[i].text);
	write_end_list(w);
}

static void write_tools(struct writer *w, struct call *c, const struct explanation *x)
{
	const struct tools *t = &x->eff->s.tools;

	write_object(w, "tools");
	write_text(w, "profile", t->profile.v);
	write_items(w, "allow", &t->allow);
	write_items(w, "deny", &t->deny);
	write_items(w, "bypass", &t->bypass);
	write_texts(w, "effective",
		toolpolicy_effective(&x->eff->tools, c->arena, x->verdict.sandboxed));
	write_end_object(w);
}

static int write_setting(const char *path, const struct field *f, const void *base, void *ctx)
{
	auto_(buf_free) struct buf value = BUF(SIZE_MAX);
	struct writer *w = ctx;

	if (!field_where(f, base)->source || f->support == SUPPORT_NONE)
		return 0;
	show_value(&value, f, field_at(f, base));
	write_object(w, path);
	write_raw(w, "value", buf_text(&value));
	write_where(w, field_where(f, base));
	write_end_object(w);
	return 0;
}

static void write_layers(struct writer *w, const struct explanation *x)
{
	write_text(w, "runtime", x->runtime ? runtime_names[x->runtime->runtime] : NULL);
	write_object(w, "layers");
	for (int i = 0; i < LAYER_COUNT && x->runtime; i++) {
		write_object(w, layer_names[i]);
		write_bool(w, "enforced", x->layers[i].enforced);
		write_text(w, "mechanism", x->layers[i].enforced ? x->layers[i].mechanism : NULL);
		write_text(w, "why", x->layers[i].why);
		write_text(w, "remedy", x->layers[i].remedy);
		write_bool(w, "required", x->required[i]);
		write_end_object(w);
	}
	write_end_object(w);
}

static void write_argv(struct writer *w, const struct verdict *v)
{
	write_list(w, "argv");
	for (size_t i = 0; i < v->argv.count; i++)
		write_text(w, NULL, v->argv.v[i]);
	write_end_list(w);
}

static void write_verdict(struct writer *w, const struct verdict *v)
{
	write_object(w, "verdict");
	write_text(w, "tool", v->tool);
	write_text(w, "permission", permission_names[v->permission]);
	write_text(w, "place", place_names[v->place]);
	write_text(w, "profile", v->profile);
	write_text(w, "rule", v->rule ? v->rule->pattern : NULL);
	if (v->rule)
		write_argv(w, v);
	write_list(w, "reasons");
	for (size_t i = 0; i < v->reason_count; i++) {
		write_object(w, NULL);
		write_text(w, "code", because_names[v->reasons[i].code]);
		write_text(w, "text", v->reasons[i].text);
		write_where(w, &v->reasons[i].at);
		write_end_object(w);
	}
	write_end_list(w);
	write_end_object(w);
}

static void write_gaps(struct writer *w, const struct explanation *x)
{
	struct explain_gap gaps[EXPLAIN_GAPS];
	size_t count = explain_gaps(x, gaps);

	write_bool(w, "enforcedYet", count == 0);
	write_object(w, "notYet");
	for (size_t i = 0; i < count; i++)
		write_text(w, gaps[i].what, gaps[i].text);
	write_end_object(w);
}

void explain_json(struct call *c, const struct explanation *x)
{
	struct writer w = WRITER(c->out);
	const struct sandbox *s = &x->eff->s.sandbox;

	write_object(&w, NULL);
	write_text(&w, "session", x->verdict.session.key);
	write_text(&w, "agent", x->verdict.session.agent);
	write_bool(&w, "main", x->verdict.session.main);
	write_text(&w, "mode", mode_names[s->mode.v]);
	write_text(&w, "scope", scope_names[s->scope.v]);
	write_text(&w, "workspace", workspace_names[s->workspace.v]);
	write_text(&w, "sandbox", x->verdict.scope_name);
	write_sessions(&w, x);
	write_rules(&w, x);
	write_tools(&w, c, x);
	write_object(&w, "settings");
	field_each(sandbox_fields, s, write_setting, &w);
	write_end_object(&w);
	write_layers(&w, x);
	if (x->asked)
		write_verdict(&w, &x->verdict);
	if (x->reach) {
		write_object(&w, "network");
		write_text(&w, "target", x->reach);
		write_bool(&w, "allowed", x->net.allow);
		write_text(&w, "why", x->net.why);
		write_end_object(&w);
	}
	write_gaps(&w, x);
	write_end_object(&w);
}
