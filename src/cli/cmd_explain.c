/* SPDX-License-Identifier: Apache-2.0 */

/* ward explain: the decision and everything behind it, for people. As JSON: cli/explain_json.c. */

#include "cli/explain.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/show.h"
#include "base/str.h"
#include "cli/view.h"
#include "door/ask.h"
#include "door/load.h"
#include "model/elevate.h"
#include "model/net.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct field options[] = {
	OPTION_SESSION(struct explain_options),
	OPTION_AGENT(struct explain_options),
	{"tool", F_TEXT(struct explain_options, tool, .arg = "TOOL",
			 .help = "the tool; 'exec' unless given")},
	{"command", F_TEXT(struct explain_options, command, .letter = 'c', .arg = "TEXT",
			    .help = "a command as an agent writes it, for a shell")},
	{"reach",
		F_TEXT(struct explain_options, reach, .arg = "HOST[:PORT]",
			.help = "would the network policy let it through; port 443 unless given")},
	OPTION_CONFIG(struct explain_options),
	OPTION_SET(struct explain_options),
	{"machine", F_TEXT(struct explain_options, machine, .arg = "FILE",
			    .help = "as if on the machine that FILE describes (see 'ward doctor "
				    "--json')")},
	OPTION_JSON(struct explain_options),
	{0},
};

static void show_subject(struct call *c, const struct explanation *x)
{
	const struct session *s = &x->verdict.session;

	view_tone(c, VIEW_BOLD, "Session \"");
	escape_text(c->out, s->key);
	view_tone(c, VIEW_BOLD, "\"");
	buf_printf(c->out, "%s\n", s->main ? ", the main session of its agent" : "");
}

static void show_mode(struct call *c, const struct explanation *x)
{
	const struct sandbox *s = &x->eff->s.sandbox;

	view_row_at(c, "Sandbox mode", mode_names[s->mode.v], &s->mode.at);
	view_row_at(c, "Sandbox scope", scope_names[s->scope.v], &s->scope.at);
	view_row_at(c, "Workspace access", workspace_names[s->workspace.v], &s->workspace.at);
	view_row_at(c, "Profile", s->profile.v, &s->profile.at);
	view_row(c, "Sandbox name", x->verdict.scope_name);
}

static void show_sessions(struct call *c, const struct explanation *x)
{
	view_heading(c, "Sessions");
	for (size_t i = 0; i < ARRAY_LEN(x->sessions); i++) {
		const struct explained_session *s = &x->sessions[i];

		buf_puts(c->out, "  Session \"");
		escape_text(c->out, s->key);
		buf_puts(c->out, "\" -> ");
		view_tone(
			c, s->sandboxed ? VIEW_GOOD : VIEW_CARE, s->sandboxed ? "SANDBOX" : "HOST");
		buf_printf(c->out, "%s\n", s->exempt ? " (main session exempted)" : "");
	}
}

static void show_rule(struct call *c, const struct rule *rule)
{
	const char *never = elevate_never(rule->pattern);
	char ttl[NUMBER_TEXT];

	number_duration_text(rule->ttl, ttl);
	buf_puts(c->out, "  ");
	escape_text(c->out, rule->pattern);
	buf_printf(c->out, " -> %s%s (%s", str_eq(rule->to, "host") ? "" : "profile ", rule->to,
		rule->approval ? "with approval" : "without approval");
	if (rule->ttl > 0 && rule->approval)
		buf_printf(c->out, ", which holds for %s", ttl);
	buf_puts(c->out, ")");
	view_where(c, &rule->at);
	buf_putc(c->out, '\n');
	if (never) {
		buf_puts(c->out, "    ");
		view_tone(c, VIEW_CARE, "note: ");
		buf_printf(c->out, "%s\n", never);
	}
}

static void show_elevated(struct call *c, const struct explanation *x)
{
	const char *note = decide_elevation_note(x->eff, x->verdict.sandboxed);

	view_heading(c, "Elevated rules");
	if (x->eff->rules.count == 0)
		buf_puts(c->out, "  none: no command leaves the sandbox\n");
	for (size_t i = 0; i < x->eff->rules.count; i++)
		show_rule(c, &x->eff->rules.items[i]);
	if (note) {
		buf_puts(c->out, "  ");
		view_tone(c, VIEW_CARE, "note: ");
		buf_printf(c->out, "these rules %s\n", note);
	}
}

static void show_tools(struct call *c, const struct explanation *x)
{
	const struct tools *t = &x->eff->s.tools;

	view_heading(c, "Tool policy");
	view_row_at(c, "Profile", t->profile.v, &t->profile.at);
	if (t->allow.count > 0)
		view_list_at(c, "Allowed", &t->allow);
	if (t->deny.count > 0)
		view_list_at(c, "Denied", &t->deny);
	if (t->bypass.count > 0)
		view_list_at(c, "On the host", &t->bypass);
	view_texts(c, "Effective tools",
		toolpolicy_effective(&x->eff->tools, c->arena, x->verdict.sandboxed));
}

static int show_setting(const char *path, const struct field *f, const void *base, void *ctx)
{
	static const char *const above[] = {"mode", "scope", "workspace", "profile", NULL};
	auto_(buf_free) struct buf value = BUF(SIZE_MAX);
	struct call *c = ctx;

	if (!field_where(f, base)->source || f->support == SUPPORT_NONE || str_in(path, above))
		return 0;
	if (f->type == FIELD_LIST) {
		view_list_at(c, path, field_at(f, base));
		return 0;
	}
	show_value(&value, f, field_at(f, base));
	buf_printf(c->out, "  %-20s %s", path, buf_text(&value));
	view_where(c, field_where(f, base));
	/* The built-in time is for commands of agents: a person sees what runs. */
	if (str_eq(path, "timeout") && field_where(f, base)->source->level == LEVEL_BUILTIN)
		buf_puts(c->out, "  (ward run: none)");
	buf_putc(c->out, '\n');
	return 0;
}

static void show_settings(struct call *c, const struct explanation *x)
{
	view_heading(c, "Sandbox settings");
	field_each(sandbox_fields, &x->eff->s.sandbox, show_setting, c);
}

static void show_layers(struct call *c, const struct explanation *x)
{
	view_heading(c, "Enforced here by");
	view_row(c, "runtime",
		x->runtime ? runtime_names[x->runtime->runtime] : "none can enforce the policy");
	for (int i = 0; i < LAYER_COUNT && x->runtime; i++) {
		const struct layer_answer *l = &x->layers[i];

		buf_printf(c->out, "  %-20s ", layer_names[i]);
		view_tone(c, l->enforced ? VIEW_GOOD : VIEW_CARE,
			l->enforced ? l->mechanism : "not enforced");
		if (!l->enforced && l->why)
			buf_printf(c->out, ": %s", l->why);
		if (!l->enforced && l->remedy)
			buf_printf(c->out, " (%s)", l->remedy);
		buf_puts(c->out, x->required[i] ? "  (required)\n" : "\n");
	}
}

static void show_request(struct call *c, const struct explanation *x)
{
	const struct request *q = &x->request;

	buf_puts(c->out, "  ");
	escape_text(c->out, q->tool ? q->tool : "exec");
	buf_puts(c->out, q->command || q->argc ? ": " : "");
	if (q->command)
		escape_text(c->out, q->command);
	for (size_t i = 0; i < q->argc; i++) {
		buf_puts(c->out, i ? " " : "");
		escape_word(c->out, q->argv[i]);
	}
	buf_putc(c->out, '\n');
}

static void show_verdict(struct call *c, const struct explanation *x)
{
	static const enum view_tone tones[PERMISSION_COUNT] = {VIEW_BAD, VIEW_CARE, VIEW_GOOD};
	static const char *const words[PERMISSION_COUNT] = {"DENIED", "ASK", "ALLOWED"};
	const struct verdict *v = &x->verdict;

	view_heading(c, "Request");
	show_request(c, x);
	buf_puts(c->out, "  -> ");
	view_tone(c, tones[v->permission], words[v->permission]);
	if (v->permission != PERMISSION_DENY)
		buf_printf(c->out, ", %s%s",
			v->place == PLACE_HOST ? "on the HOST" : "in the SANDBOX",
			v->rule ? ", as these words, without a shell" : "");
	buf_putc(c->out, '\n');
	for (size_t i = 0; i < v->reason_count; i++) {
		buf_printf(c->out, "  %zu. %s", i + 1, v->reasons[i].text);
		view_where(c, &v->reasons[i].at);
		buf_putc(c->out, '\n');
	}
}

static void show_reach(struct call *c, const struct explanation *x)
{
	view_heading(c, "Network");
	buf_puts(c->out, "  ");
	escape_text(c->out, x->reach);
	buf_puts(c->out, " -> ");
	view_tone(c, x->net.allow ? VIEW_GOOD : VIEW_BAD, x->net.allow ? "ALLOWED" : "DENIED");
	buf_printf(c->out, ": %s\n", x->net.why);
}

static void show_gaps(struct call *c, const struct explanation *x)
{
	struct explain_gap gaps[EXPLAIN_GAPS];
	size_t count = explain_gaps(x, gaps);

	if (count > 0)
		view_heading(c, "Not yet in this version");
	for (size_t i = 0; i < count; i++)
		view_row(c, gaps[i].what, gaps[i].text);
}

static void show(struct call *c, const struct explanation *x)
{
	show_subject(c, x);
	show_mode(c, x);
	show_sessions(c, x);
	show_elevated(c, x);
	show_tools(c, x);
	show_settings(c, x);
	show_layers(c, x);
	if (x->asked)
		show_verdict(c, x);
	if (x->reach)
		show_reach(c, x);
	show_gaps(c, x);
}

/* Which other sessions of the agent are worth showing: the main one, and one that is not. */
static void list_sessions(struct explanation *x, struct arena *a)
{
	const struct session *s = &x->verdict.session;
	int mode = x->eff->s.sandbox.mode.v;
	const char *main = arena_printf(a, "agent:%s:main", s->agent);
	const char *other = s->main ? arena_printf(a, "agent:%s:<any other>", s->agent) : s->key;

	x->sessions[0] = (struct explained_session){main, mode == MODE_ALL, mode == MODE_NON_MAIN};
	x->sessions[1] = (struct explained_session){other, mode != MODE_OFF, false};
}

static void list_layers(struct explanation *x)
{
	const struct runtime_choice *choice = &x->verdict.choice;

	for (size_t i = 0; i < x->eff->require.count; i++) {
		struct layer_require want;

		if (layer_require_parse(x->eff->require.items[i].text, &want, NULL) == 0)
			x->required[want.layer] = true;
	}
	if (choice->chosen == RUNTIME_NONE)
		return;
	x->runtime = &choice->candidates[choice->chosen].ref;
	for (int i = 0; i < LAYER_COUNT; i++)
		x->layers[i] = runtime_ref_layer(&x->machine, x->runtime, (enum layer_id)i);
}

static int ask_network(struct explanation *x, struct err *e)
{
	struct net_target target;
	int r = net_target_parse(x->reach, &target, e);

	if (r < 0)
		return r;
	if (target.port == 0)
		target.port = 443;
	if (target.is_addr)
		x->net = net_decide_addr(&x->eff->net, &target.addr, target.port, false);
	else
		x->net = net_decide_name(&x->eff->net, target.host, target.port);
	return 0;
}

/* One argument behind -- that a shell would take apart is a shell's text; several are words as they
 * are. */
static void take_command(const struct call *c, const struct explain_options *o, struct request *q)
{
	q->command = o->command.v;
	if (!q->command && c->arg_count == 1 &&
		strpbrk(c->args[0], " \t\n;&|<>()$`\\\"'*?[#~=%{}!"))
		q->command = c->args[0];
	if (q->command)
		return;
	q->argv = c->args;
	q->argc = c->arg_count;
}

/* Without a command or tool the decision is still made, for what would carry it out. */
static int explain(struct call *c, const struct config *config, const struct machine *given,
	struct explanation *x, struct err *e)
{
	const struct explain_options *o = c->options;
	struct verdict place;
	struct request shell = {.session = o->session.v, .agent = o->agent.v};
	struct ask ask = {.config = config, .request = &x->request, .given = given};
	int r;

	x->request =
		(struct request){.session = o->session.v, .agent = o->agent.v, .tool = o->tool.v};
	take_command(c, o, &x->request);
	x->asked = o->tool.v || x->request.command || x->request.argc > 0;
	x->reach = o->reach.v;
	r = ask_decide(&ask, c->arena, &x->machine, &x->verdict, e);
	if (r < 0)
		return r;
	x->eff = x->verdict.effective;
	list_sessions(x, c->arena);
	/* The layers are those of a sandbox, also where this request is denied or runs outside one.
	 */
	ask.request = &shell;
	ask.sandbox_only = true;
	if (x->verdict.choice.count == 0 && ask_decide(&ask, c->arena, &x->machine, &place, e) == 0)
		x->verdict.choice = place.choice;
	list_layers(x);
	return x->reach ? ask_network(x, e) : 0;
}

static int run(struct call *c, struct err *e)
{
	const struct explain_options *o = c->options;
	struct explanation *x = arena_alloc(c->arena, sizeof *x);
	auto_(config_free) struct config config = {0};
	struct load_request load = {.config = o->config.v, .sets = &o->set};
	struct machine *given = NULL;
	struct session session;
	int r = session_parse(c->arena, o->session.v, o->agent.v, &session, e);

	if (r == 0) {
		load.wish.agent = session.agent;
		r = load_config(&load, &config, e);
	}
	if (r == 0 && o->machine.v) {
		given = arena_alloc(c->arena, sizeof *given);
		r = load_machine(o->machine.v, given, e);
	}
	if (r == 0)
		r = explain(c, &config, given, x, e);
	if (r < 0)
		return r;
	if (o->json.v)
		explain_json(c, x);
	else
		show(c, x);
	return EXIT_OK;
}

const struct command cmd_explain = {
	.name = "explain",
	.summary = "what would happen, and why",
	.args = "[-- COMMAND...]",
	.options = options,
	.options_size = sizeof(struct explain_options),
	.max_args = SIZE_MAX,
	.details =
		"Prints mode, scope and workspace, where each session goes, the rules by which "
		"commands\n"
		"leave the sandbox, the tool policy with the tools that remain, limits, network, "
		"and what\n"
		"would enforce each layer on this machine. With a command or a tool: whether it "
		"may run,\n"
		"where, and every reason with the place of the rule behind it. Nothing is run.\n\n"
		"One argument behind -- that a shell would take apart is read as a shell's text; "
		"several\n"
		"arguments are the words of a command as they are.",
	.examples =
		"  ward explain                                        # the policy of the main "
		"session\n"
		"  ward explain --session agent:main:work:42 -- git push origin main\n"
		"  ward explain -c 'git push origin main; id'          # as an agent writes it\n"
		"  ward explain --agent helper --tool web_fetch --json\n"
		"  ward explain --reach example.org:443                # the network policy\n",
	.run = run,
};
