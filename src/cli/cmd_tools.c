/* SPDX-License-Identifier: Apache-2.0 */

/* ward tools list, ward tools check TOOL: the tool policy of one session. */

#include "base/escape.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "door/ask.h"
#include "door/load.h"
#include "json/write.h"
#include "model/catalogue.h"
#include "model/decide.h"

#include <errno.h>

struct tools_options {
	struct opt_text session;
	struct opt_text agent;
	struct opt_text config;
	struct opt_list set;
	struct opt_bool all;
	struct opt_bool json;
};

static const struct field list_options[] = {
	OPTION_SESSION(struct tools_options),
	OPTION_AGENT(struct tools_options),
	OPTION_CONFIG(struct tools_options),
	OPTION_SET(struct tools_options),
	{"all", F_BOOL(struct tools_options, all, .help = "also the tools that are denied")},
	OPTION_JSON(struct tools_options),
	{0},
};

static const struct field check_options[] = {
	OPTION_SESSION(struct tools_options),
	OPTION_AGENT(struct tools_options),
	OPTION_CONFIG(struct tools_options),
	OPTION_SET(struct tools_options),
	OPTION_JSON(struct tools_options),
	{0},
};

/* One question with everything loaded. */
struct asked {
	struct config config;
	struct machine machine;
	bool looked;
	const struct tools_options *options;
};

static int prepare(struct call *c, struct asked *ret, struct err *e)
{
	const struct tools_options *o = c->options;
	struct load_request load = {.config = o->config.v, .sets = &o->set};
	struct session session;
	int r = session_parse(c->arena, o->session.v, o->agent.v, &session, e);

	ret->options = o;
	if (r < 0)
		return r;
	load.wish.agent = session.agent;
	r = load_config(&load, &ret->config, e);
	return r;
}

static int ask(
	struct call *c, struct asked *a, const char *tool, struct verdict *ret, struct err *e)
{
	struct request q = {
		.session = a->options->session.v, .agent = a->options->agent.v, .tool = tool};
	struct ask ask = {.config = &a->config, .request = &q};
	int r;

	/* One look at the machine serves all tools. */
	ask.given = a->looked ? &a->machine : NULL;
	r = ask_decide(&ask, c->arena, &a->machine, ret, e);
	a->looked = r == 0 && ret->choice.count > 0;
	return r;
}

/* The reason that a list has room for: the one that decided. */
static const struct verdict_reason *main_reason(const struct verdict *v)
{
	for (size_t i = 0; i < v->reason_count; i++)
		if (v->reasons[i].code == BECAUSE_TOOL_ALLOWED ||
			v->reasons[i].code == BECAUSE_TOOL_DENIED ||
			v->reasons[i].code == BECAUSE_TOOL_UNKNOWN)
			return &v->reasons[i];
	return NULL;
}

static void list_row(struct call *c, const char *name, const struct verdict *v)
{
	static const enum view_tone tones[PERMISSION_COUNT] = {VIEW_BAD, VIEW_CARE, VIEW_GOOD};
	const struct verdict_reason *reason = main_reason(v);
	const struct tool *tool = catalogue_find(name);

	buf_printf(c->out, "%-18s ", name);
	view_tone(c, tones[v->permission], permission_names[v->permission]);
	buf_printf(c->out, "%*s%-9s %s", v->permission == PERMISSION_ALLOW ? 1 : 2, "",
		v->permission == PERMISSION_DENY ? "-" : place_names[v->place],
		tool ? tool->help : "a framework's tool");
	if (tool && tool->side == TOOL_FRAMEWORK)
		buf_puts(c->out, ", by the framework");
	if (v->permission == PERMISSION_DENY && reason)
		view_where(c, &reason->at);
	buf_putc(c->out, '\n');
}

static void list_row_json(struct writer *w, const char *name, const struct verdict *v)
{
	const struct verdict_reason *reason = main_reason(v);

	write_object(w, NULL);
	write_text(w, "name", name);
	write_text(w, "permission", permission_names[v->permission]);
	write_text(w, "place", v->permission == PERMISSION_DENY ? NULL : place_names[v->place]);
	write_text(w, "reason", reason ? reason->text : NULL);
	write_end_object(w);
}

/* Names of the catalogue first, then what rules name beyond it. */
static const char *const *names_to_list(struct call *c, struct asked *a, struct err *e)
{
	struct verdict v;
	const char *const *effective;
	const char **names;
	size_t n = 0;

	if (ask(c, a, "exec", &v, e) < 0)
		return NULL;
	effective = toolpolicy_effective(&v.effective->tools, c->arena, v.sandboxed);
	for (size_t i = 0; effective[i]; i++)
		n++;
	names = arena_array(c->arena, n + 128, sizeof *names);
	n = 0;
	for (const struct tool *t = catalogue_tools; t->name; t++)
		if (a->options->all.v || str_in(t->name, effective))
			names[n++] = t->name;
	for (size_t i = 0; effective[i]; i++)
		if (!catalogue_find(effective[i]))
			names[n++] = effective[i];
	return names;
}

static int run_list(struct call *c, struct err *e)
{
	struct asked *a = arena_alloc(c->arena, sizeof *a);
	struct writer w = WRITER(c->out);
	const char *const *names = NULL;
	int r = prepare(c, a, e);

	if (r == 0)
		names = names_to_list(c, a, e);
	if (r == 0 && !names)
		r = -EINVAL;
	if (r == 0 && a->options->json.v)
		write_list(&w, NULL);
	for (size_t i = 0; r == 0 && names[i]; i++) {
		struct verdict v;

		r = ask(c, a, names[i], &v, e);
		if (r == 0 && a->options->json.v)
			list_row_json(&w, names[i], &v);
		else if (r == 0)
			list_row(c, names[i], &v);
	}
	if (r == 0 && a->options->json.v)
		write_end_list(&w);
	config_free(&a->config);
	return r < 0 ? r : EXIT_OK;
}

static void check_text(struct call *c, const struct verdict *v)
{
	escape_text(c->out, v->tool);
	buf_printf(c->out, ": %s%s%s\n", permission_names[v->permission],
		v->permission == PERMISSION_DENY ? "" : ", ",
		v->permission == PERMISSION_DENY ? "" : place_names[v->place]);
	for (size_t i = 0; i < v->reason_count; i++) {
		buf_printf(c->out, "  %zu. %s", i + 1, v->reasons[i].text);
		view_where(c, &v->reasons[i].at);
		buf_putc(c->out, '\n');
	}
}

static int run_check(struct call *c, struct err *e)
{
	struct asked *a = arena_alloc(c->arena, sizeof *a);
	struct verdict *v = arena_alloc(c->arena, sizeof *v);
	struct writer w = WRITER(c->out);
	int r;

	if (c->arg_count != 1)
		return err_set(e, EINVAL, "which tool? usage: ward tools check TOOL");
	r = prepare(c, a, e);
	if (r == 0)
		r = ask(c, a, c->args[0], v, e);
	if (r == 0 && a->options->json.v)
		list_row_json(&w, v->tool, v);
	else if (r == 0)
		check_text(c, v);
	config_free(&a->config);
	return r < 0 ? r : v->permission == PERMISSION_DENY ? EXIT_DENIED : EXIT_OK;
}

const struct command cmd_tools_list = {
	.name = "tools list",
	.summary = "the tools a session may use",
	.options = list_options,
	.options_size = sizeof(struct tools_options),
	.examples = "  ward tools list\n"
		    "  ward tools list --session agent:main:group:1 --all\n",
	.run = run_list,
};

const struct command cmd_tools_check = {
	.name = "tools check",
	.summary = "may a session use this tool",
	.args = "TOOL",
	.options = check_options,
	.options_size = sizeof(struct tools_options),
	.max_args = 1,
	.details = "Exit status 0: allowed; 126: denied.",
	.examples = "  ward tools check exec\n"
		    "  ward tools check web_fetch --agent helper --json\n",
	.run = run_check,
};
