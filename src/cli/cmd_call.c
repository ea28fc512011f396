/* SPDX-License-Identifier: Apache-2.0 */

/* ward tools call TOOL ARGUMENTS: one call of a tool, with the arguments and the answer that it has
 * at every entrance. */

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/request.h"
#include "door/job.h"
#include "json/json5.h"
#include "model/catalogue.h"
#include "sys/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS_MOST (16u << 20)
#define VALUES_MOST 100000

struct call_options {
	struct opt_text session, agent, config, net;
	struct opt_list set, allow, deny, publish;
	struct opt_bool json;
};

static const struct field options[] = {
	OPTION_SESSION(struct call_options),
	OPTION_AGENT(struct call_options),
	OPTION_NET(struct call_options),
	OPTION_ALLOW(struct call_options),
	OPTION_DENY(struct call_options),
	OPTION_PUBLISH(struct call_options),
	OPTION_CONFIG(struct call_options),
	OPTION_SET(struct call_options),
	OPTION_JSON(struct call_options),
	{0},
};

/* From the command line, or from standard input where that says "-". */
static int read_arguments(struct call *c, struct node *ret, struct err *e)
{
	static const struct json5_limits limits = {ARGUMENTS_MOST, VALUES_MOST};
	const char *text = c->arg_count > 1 ? c->args[1] : "{}";
	auto_free char *data = NULL;
	size_t len = strlen(text);
	int r = 0;

	if (strcmp(text, "-") == 0) {
		r = file_read_stream(
			STDIN_FILENO, "standard input", ARGUMENTS_MOST, &data, &len, e);
		text = data;
	}
	if (r == 0)
		r = json5_parse_strict(c->arena, &limits, text, len, ret, e);
	return r < 0 ? err_ctx(e, r, "the arguments") : 0;
}

static int answer(struct call *c, struct job *j)
{
	const struct call_options *o = c->options;
	const struct job_answer *a = job_answer(j);

	buf_add(c->out, o->json.v ? a->json : a->text, o->json.v ? a->json_len : a->text_len);
	if (c->out->len > 0 && c->out->data[c->out->len - 1] != '\n')
		buf_putc(c->out, '\n');
	return a->failed ? EXIT_FOUND : EXIT_OK;
}

static int call_it(struct call *c, struct door *d, struct err *e)
{
	auto_(job_free) struct job *j = NULL;
	struct node args;
	int r = read_arguments(c, &args, e);

	if (r == 0)
		r = job_begin(d, c->args[0], &args, &j, e);
	if (r == -ENOENT) {
		const struct tool *known = catalogue_find(c->args[0]);

		fprintf(stderr, "ward: %s for this session (%s)\n", e->text,
			known && known->side == TOOL_FRAMEWORK
				? "it is a framework's, which ward allows or denies, but does not "
				  "carry out: 'ward tools check'"
				: "'ward tools list'");
		return EXIT_DENIED;
	}
	if (r < 0)
		return r;
	job_wait(j);
	return answer(c, j);
}

static int run(struct call *c, struct err *e)
{
	const struct call_options *o = c->options;
	struct request_who who = {o->session.v, o->agent.v, o->config.v, &o->set, o->net.v,
		{&o->allow, &o->deny, &o->publish}};
	struct request_door *d = arena_alloc(c->arena, sizeof *d);
	int r;

	if (c->arg_count == 0)
		return err_set(e, EINVAL,
			"no tool given; as in: ward tools call read '{\"path\": \"README.md\"}'");
	r = request_open(c, &who, ENTRANCE_CLI, d, e);
	if (r < 0)
		return r;
	r = call_it(c, &d->door, e);
	door_close(&d->door);
	return r;
}

const struct command cmd_tools_call = {
	.name = "tools call",
	.summary = "call a tool as an agent does",
	.args = "TOOL [ARGUMENTS | -]",
	.options = options,
	.options_size = sizeof(struct call_options),
	.max_args = 2,
	.details =
		"ARGUMENTS is a JSON object, or - to read it from standard input. The policy is\n"
		"asked, a person where it says so, and the call is written to the audit log, as\n"
		"at every other entrance. Exit status 0: done; 1: the tool or the command failed;\n"
		"126: there is no such tool for this session.",
	.examples = "  ward tools call exec '{\"command\": \"make test\"}'\n"
		    "  ward tools call read '{\"path\": \"README.md\", \"lines\": 20}'\n"
		    "  ward tools call session_status --json\n",
	.run = run,
};
