/* SPDX-License-Identifier: Apache-2.0 */

/* ward config check, show, schema, import. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/show.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "door/load.h"
#include "json/import.h"
#include "json/schema.h"
#include "json/tree.h"
#include "json/write.h"
#include "model/elevate.h"
#include "model/resolve.h"
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct config_options {
	struct opt_text config;
	struct opt_list set;
	struct opt_text agent;
	struct opt_bool origin;
	struct opt_bool support;
	struct opt_bool markdown;
	struct opt_text from;
	struct opt_bool json;
};

static const struct field check_options[] = {
	OPTION_CONFIG(struct config_options),
	OPTION_SET(struct config_options),
	OPTION_JSON(struct config_options),
	{0},
};

static const struct field show_options[] = {
	{"origin", F_BOOL(struct config_options, origin,
			   .help = "with the file each value came from")},
	{"agent", F_TEXT(struct config_options, agent, .arg = "NAME",
			  .help = "what holds for one agent")},
	OPTION_CONFIG(struct config_options),
	OPTION_SET(struct config_options),
	OPTION_JSON(struct config_options),
	{0},
};

static const struct field schema_options[] = {
	{"support", F_BOOL(struct config_options, support,
			    .help = "what each key does in this version, in place of the schema")},
	{"markdown", F_BOOL(struct config_options, markdown,
			     .help = "the keys as a table, for documents")},
	OPTION_JSON(struct config_options),
	{0},
};

static const struct field import_options[] = {
	{"from", F_TEXT(struct config_options, from, .arg = "SYSTEM",
			 .help = "openclaw, clawdbot, wonopcode, ash, monkey, pi or archer")},
	{0},
};

static int load(struct call *c, struct config *ret, struct err *e)
{
	const struct config_options *o = c->options;
	struct load_request q = {
		.config = c->arg_count ? c->args[0] : o->config.v,
		.sets = &o->set,
		.wish = {.agent = o->agent.v, .all = true},
	};

	return load_config(&q, ret, e);
}

/* The names of all agents that any level knows, each once. */
static size_t agent_names(const struct config *config, struct arena *a, const char ***ret)
{
	size_t max = 0, n = 0;
	const char **names;

	for (int i = 0; i < LEVEL_COUNT; i++)
		max += config->levels[i].entries.count;
	names = arena_array(a, max, sizeof *names);
	for (int i = 0; i < LEVEL_COUNT; i++)
		for (size_t k = 0; k < config->levels[i].entries.count; k++) {
			const char *name = config->levels[i].entries.items[k].name;
			bool known = false;

			for (int lower = 0; lower < i && !known; lower++)
				known = config_find(&config->levels[lower].entries, name) != NULL;
			if (!known)
				names[n++] = name;
		}
	*ret = names;
	return n;
}

static void check_notes(struct call *c, const struct effective *eff)
{
	for (size_t i = 0; i < eff->rules.count; i++) {
		const char *never = elevate_never(eff->rules.items[i].pattern);

		if (!never)
			continue;
		view_tone(c, VIEW_CARE, "note: ");
		buf_puts(c->out, "elevation rule '");
		escape_text(c->out, eff->rules.items[i].pattern);
		buf_printf(c->out, "': %s", never);
		view_where(c, &eff->rules.items[i].at);
		buf_putc(c->out, '\n');
	}
}

static void check_result(struct call *c, const struct config *config, size_t agents)
{
	static const char *const levels[LEVEL_COUNT] = {
		"", "administrator", "user", "workspace", "command line"};
	const struct config_options *o = c->options;
	struct writer w = WRITER(c->out);
	size_t files = 0;

	if (o->json.v) {
		write_object(&w, NULL);
		write_bool(&w, "ok", true);
		write_unsigned(&w, "agents", agents);
		write_object(&w, "files");
	}
	for (int i = LEVEL_SYSTEM; i < LEVEL_COUNT; i++) {
		const struct source *source = config->levels[i].source;

		if (!source)
			continue;
		files++;
		if (o->json.v)
			write_text(&w, levels[i], source->name);
		else
			view_row(c, levels[i], source->name);
	}
	if (o->json.v) {
		write_end_object(&w);
		write_end_object(&w);
		return;
	}
	view_tone(c, VIEW_GOOD, "ok");
	if (files == 0)
		buf_puts(c->out, ": no file found, so the built-in values hold\n");
	else
		buf_printf(c->out, ": %zu agent%s\n", agents,
			agents == 1 ? " with an entry of its own" : "s with entries of their own");
}

/* Reads everything and works out what holds for every agent, so that each rule was looked at once.
 */
static int run_check(struct call *c, struct err *e)
{
	auto_(config_free) struct config config = {0};
	struct effective *eff = arena_alloc(c->arena, sizeof *eff);
	const char **names;
	size_t count = 0;
	int r;

	if (c->arg_count > 0 && ((const struct config_options *)c->options)->config.v)
		return err_set(e, EINVAL, "FILE and --config are the same: give one of them");
	r = load(c, &config, e);
	if (r == 0)
		r = resolve_agent(&config, NULL, c->arena, eff, e);
	if (r == 0) {
		check_notes(c, eff);
		count = agent_names(&config, c->arena, &names);
	}
	for (size_t i = 0; i < count && r == 0; i++) {
		struct arena scratch = {0};

		r = resolve_agent(&config, names[i], &scratch, eff, e);
		arena_free(&scratch);
	}
	if (r < 0)
		return r;
	check_result(c, &config, count);
	return EXIT_OK;
}

struct shown {
	struct call *c;
	const char *indent;
};

/* One value of a section as a line of JSON5: nested keys keep their dotted path as comments would
 * not. */
static int show_line(const char *path, const struct field *f, const void *base, void *ctx)
{
	auto_(buf_free) struct buf value = BUF(SIZE_MAX);
	const struct shown *s = ctx;
	const struct config_options *o = s->c->options;

	if (!field_where(f, base)->source)
		return 0;
	show_value(&value, f, field_at(f, base));
	buf_printf(s->c->out, "%s%s: %s", s->indent, path, buf_text(&value));
	if (o->origin.v) {
		char at[WHERE_TEXT];

		where_text(field_where(f, base), at);
		buf_puts(s->c->out, "  ");
		view_tone(s->c, VIEW_DIM, "// ");
		view_tone(s->c, VIEW_DIM, at);
	}
	buf_putc(s->c->out, '\n');
	return 0;
}

static int show_json_line(const char *path, const struct field *f, const void *base, void *ctx)
{
	auto_(buf_free) struct buf value = BUF(SIZE_MAX);
	struct writer *w = ctx;
	char at[WHERE_TEXT];

	if (!field_where(f, base)->source)
		return 0;
	show_value(&value, f, field_at(f, base));
	where_text(field_where(f, base), at);
	write_object(w, path);
	write_raw(w, "value", buf_text(&value));
	write_text(w, "origin", at);
	write_end_object(w);
	return 0;
}

static int show_one(struct call *c, const struct config *config, const char *agent,
	struct writer *w, struct err *e)
{
	const struct config_options *o = c->options;
	struct effective *eff = arena_alloc(c->arena, sizeof *eff);
	struct shown lines = {c, "  "};
	int r = resolve_agent(config, agent, c->arena, eff, e);

	if (r < 0)
		return r;
	if (o->json.v) {
		write_object(w, agent ? agent : "defaults");
		field_each(settings_fields, &eff->s, show_json_line, w);
		write_end_object(w);
		return 0;
	}
	view_heading(c, agent ? agent : "defaults");
	field_each(settings_fields, &eff->s, show_line, &lines);
	return 0;
}

static int run_show(struct call *c, struct err *e)
{
	const struct config_options *o = c->options;
	auto_(config_free) struct config config = {0};
	struct writer w = WRITER(c->out);
	const char *agent = o->agent.v, **names = &agent;
	size_t count = 1;
	int r;

	if (agent && !str_is_name(agent))
		return err_set(e, EINVAL, "--agent: not the name of an agent");
	r = load(c, &config, e);
	if (r < 0)
		return r;
	if (o->json.v)
		write_object(&w, NULL);
	if (!agent) {
		r = show_one(c, &config, NULL, &w, e);
		count = agent_names(&config, c->arena, &names);
	}
	if (o->json.v) /* apart from the defaults: an agent may be called so, too */
		write_object(&w, "agents");
	for (size_t i = 0; i < count && r == 0; i++)
		r = show_one(c, &config, names[i], &w, e);
	if (o->json.v) {
		write_end_object(&w);
		write_end_object(&w);
	}
	return r < 0 ? r : EXIT_OK;
}

static int support_line(const char *path, const struct field *f, void *ctx)
{
	struct call *c = ctx;

	buf_printf(c->out, "%-44s %s\n", path, schema_support_names[f->support]);
	return 0;
}

static int support_json(const char *path, const struct field *f, void *ctx)
{
	write_text(ctx, path, schema_support_names[f->support]);
	return 0;
}

/* A cell of a table: what Markdown would act on is made harmless. */
static void markdown_cell(struct buf *out, const char *text)
{
	for (; text && *text; text++) {
		if (strchr("|<*_\\", *text))
			buf_putc(out, '\\');
		buf_putc(out, *text);
	}
	buf_puts(out, " | ");
}

static int markdown_line(const char *path, const struct field *f, void *ctx)
{
	struct call *c = ctx;

	buf_printf(c->out, "| `%s` | ", path);
	markdown_cell(c->out, f->help);
	markdown_cell(c->out, f->fallback);
	buf_printf(c->out, "%s |\n", schema_support_names[f->support]);
	return 0;
}

static int run_schema(struct call *c, struct err *e)
{
	const struct config_options *o = c->options;
	struct writer w = WRITER(c->out);

	(void)e;
	if (o->support.v && o->json.v) {
		write_object(&w, NULL);
		schema_each(support_json, &w);
		write_end_object(&w);
	} else if (o->support.v) {
		schema_each(support_line, c);
	} else if (o->markdown.v) {
		buf_puts(c->out,
			"| key | meaning | default | in this version |\n|---|---|---|---|\n");
		schema_each(markdown_line, c);
	} else {
		schema_write(c->out);
	}
	return EXIT_OK;
}

static int run_import(struct call *c, struct err *e)
{
	const struct config_options *o = c->options;
	const char *name = c->arg_count == 1 ? c->args[0] : NULL;
	auto_free char *data = NULL;
	size_t len;
	int r;

	if (!o->from.v || !name)
		return err_set(e, EINVAL,
			"usage: ward config import --from "
			"openclaw|clawdbot|wonopcode|ash|monkey|pi|archer FILE");
	if (str_eq(name, "-")) {
		name = "standard input";
		r = file_read_stream(STDIN_FILENO, name, TREE_MAX_BYTES, &data, &len, e);
	} else {
		r = file_read(AT_FDCWD, name, TREE_MAX_BYTES, NULL, &data, &len, e);
	}
	if (r == 0)
		r = import_config(o->from.v, name, data, len, c->out, e);
	if (r < 0)
		buf_reset(c->out);
	return r < 0 ? r : EXIT_OK;
}

const struct command cmd_config_check = {
	.name = "config check",
	.summary = "is the configuration right",
	.args = "[FILE]",
	.max_args = 1,
	.options = check_options,
	.options_size = sizeof(struct config_options),
	.details = "Reads the administrator's, the user's and the workspace's file as every other "
		   "command\n"
		   "does, and works out what holds for every agent. Exit status 0, or 125 with the "
		   "first\n"
		   "fault as file:line:column.",
	.examples = "  ward config check\n  ward config check draft.json5\n",
	.run = run_check,
};

const struct command cmd_config_show = {
	.name = "config show",
	.summary = "the merged configuration",
	.options = show_options,
	.options_size = sizeof(struct config_options),
	.examples = "  ward config show --origin\n  ward config show --agent helper --json\n",
	.run = run_show,
};

const struct command cmd_config_schema = {
	.name = "config schema",
	.summary = "JSON Schema of ward.json5",
	.options = schema_options,
	.options_size = sizeof(struct config_options),
	.examples = "  ward config schema > ward.schema.json\n"
		    "  ward config schema --support | grep 'not yet'\n",
	.run = run_schema,
};

const struct command cmd_config_import = {
	.name = "config import",
	.summary = "turn another system's configuration into a ward.json5",
	.args = "FILE",
	.options = import_options,
	.options_size = sizeof(struct config_options),
	.max_args = 1,
	.details =
		"Prints a ward.json5. What has no equal is left out, with a comment that says why.",
	.examples = "  ward config import --from openclaw ~/.openclaw/openclaw.json > ward.json5\n"
		    "  ward config import --from ash ash.toml\n",
	.run = run_import,
};
