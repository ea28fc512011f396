/* SPDX-License-Identifier: Apache-2.0 */

/* ward help, ward version. */

#include "base/str.h"
#include "cli/cli.h"
#include "json/write.h"

#include <errno.h>
#include <stdio.h>

struct help_options {
	struct opt_bool list;
	struct opt_bool options;
	struct opt_bool json;
};

static const struct field help_table[] = {
	{"list", F_BOOL(struct help_options, list, .help = "names and summaries, one a line")},
	{"options",
		F_BOOL(struct help_options, options, .help = "the options of COMMAND, one a line")},
	{0},
};

static const struct field version_table[] = {
	OPTION_JSON(struct help_options),
	{0},
};

static void list_options(struct buf *out, const struct command *command)
{
	for (const struct field *f = command->options; f && f->name; f++) {
		if (f->letter)
			buf_printf(out, "-%c\n", f->letter);
		buf_printf(out, "--%s\n", f->name);
	}
}

static int run_help(struct call *c, struct err *e)
{
	const struct help_options *o = c->options;
	const struct command *command;
	char name[128] = "";

	if (o->list.v) {
		for (size_t i = 0; commands[i]; i++)
			buf_printf(c->out, "%s\t%s\n", commands[i]->name, commands[i]->summary);
		return EXIT_OK;
	}
	if (c->arg_count == 0) {
		help_overview(c->out);
		return EXIT_OK;
	}
	snprintf(name, sizeof name, "%.60s%s%.60s", c->args[0], c->arg_count > 1 ? " " : "",
		c->arg_count > 1 ? c->args[1] : "");
	command = help_find(name);
	if (!command && help_is_group(name)) {
		help_group(c->out, name);
		return EXIT_OK;
	}
	if (!command)
		return help_unknown(name, e);
	if (o->options.v)
		list_options(c->out, command);
	else
		help_command(c->out, command);
	return EXIT_OK;
}

static int run_version(struct call *c, struct err *e)
{
	const struct help_options *o = c->options;
	struct writer w = WRITER(c->out);

	(void)e;
	if (o->json.v) {
		write_object(&w, NULL);
		write_text(&w, "version", WARD_VERSION);
		write_end_object(&w);
	} else {
		buf_puts(c->out, "ward " WARD_VERSION "\n");
	}
	return EXIT_OK;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "this overview, or one command's help",
	.args = "[COMMAND]",
	.options = help_table,
	.options_size = sizeof(struct help_options),
	.max_args = 2,
	.examples = "  ward help explain\n",
	.run = run_help,
};

const struct command cmd_version = {
	.name = "version",
	.summary = "the version",
	.options = version_table,
	.options_size = sizeof(struct help_options),
	.run = run_version,
};
