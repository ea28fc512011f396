/* SPDX-License-Identifier: Apache-2.0 */

/* ward wrap: another MCP server in a sandbox, with only the tools that the policy allows. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/request.h"
#include "cli/run.h"
#include "json/config_read.h"
#include "mcp/wrap.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct wrap_options {
	struct opt_text name, session, agent, config, net;
	struct opt_list set, allow, deny;
};

static const struct field options[] = {
	{"name", F_TEXT(struct wrap_options, name, .arg = "NAME",
			 .help = "what rules call the server: mcp__NAME__TOOL")},
	OPTION_SESSION(struct wrap_options),
	OPTION_AGENT(struct wrap_options),
	OPTION_NET(struct wrap_options),
	OPTION_ALLOW(struct wrap_options),
	OPTION_DENY(struct wrap_options),
	OPTION_CONFIG(struct wrap_options),
	OPTION_SET(struct wrap_options),
	{0},
};

/* What holds for the server and its tools. In a sandbox in any case: that is what this is for. */
static int load_into(struct call *c, struct config *ret, struct run_request *q, struct err *e)
{
	const struct wrap_options *o = c->options;
	struct request_who who = {o->session.v, o->agent.v, o->config.v, &o->set, o->net.v,
		{&o->allow, &o->deny, NULL}};
	struct config_wish wish = {0};
	struct session session;
	int r = request_load(c, &who, ret, q, e);

	if (r == 0)
		r = session_parse(c->arena, who.session, who.agent, &session, e);
	if (r < 0)
		return r;
	wish.agent = session.agent;
	return config_set(ret, "mode=all", &wish, e);
}

static int load(void *ctx, struct config *ret, struct err *e)
{
	struct run_request q = {0};

	return load_into(ctx, ret, &q, e);
}

static void say(const char *text)
{
	auto_(buf_free) struct buf out = BUF(4096);

	buf_printf(&out, "ward: %s\n", text);
	if (write(STDERR_FILENO, buf_text(&out), out.len) < 0)
		return; /* nobody listens */
}

/* A rule that takes the command out of the sandbox does not count here. */
static int check_place(struct call *c, const struct run_request *q, struct err *e)
{
	struct run_answer *answer = arena_alloc(c->arena, sizeof *answer);
	int r = run_plan(q, c->arena, answer, e);

	if (r == 0 && answer->planned && answer->verdict.place != PLACE_SANDBOX)
		return err_set(e, EPERM,
			"a rule would run this server on the host; 'ward wrap' runs it in a "
			"sandbox or not at all");
	return r;
}

/* In the child: as `ward run` does it, and as long as the client likes. */
static int run_server(void *ctx)
{
	struct call *c = ctx;
	struct config config = {0};
	struct run_answer *answer = arena_alloc(c->arena, sizeof *answer);
	struct run_request q = {.argv = (const char *const *)c->args,
		.argc = c->arg_count,
		.entrance = ENTRANCE_WRAP,
		.operation = "wrap"};
	struct result result = {0};
	struct err e = {0};
	int r = load_into(c, &config, &q, &e);

	if (r == 0)
		r = check_place(c, &q, &e);
	if (r == 0)
		r = run_whole(&q, c->arena, answer, &result, &e);
	if (r < 0) {
		say(e.text);
		return EXIT_WARD;
	}
	if (!answer->planned)
		return run_denied(c, &answer->verdict, false);
	run_notes(answer, &result);
	return result_status(&result);
}

/* The command's own name, where that can be one. */
static const char *default_name(const char *command)
{
	const char *slash = strrchr(command, '/');
	const char *name = slash ? slash + 1 : command;

	return wrap_is_name(name) ? name : "server";
}

static int run(struct call *c, struct err *e)
{
	const struct wrap_options *o = c->options;
	struct door_call call = {.entrance = ENTRANCE_WRAP,
		.session = o->session.v,
		.agent = o->agent.v,
		.user_file = o->config.v,
		.env = (const char *const *)environ,
		.arguments = c->process,
		.arguments_len = c->process_len,
		.load = load,
		.ctx = c};
	struct door *door = arena_alloc(c->arena, sizeof *door);
	struct wrap_request q = {door, o->name.v, STDIN_FILENO, STDOUT_FILENO, run_server, c};
	int r;

	if (c->arg_count == 0)
		return err_set(e, EINVAL,
			"no server given; as in: ward wrap --name fs -- mcp-server-filesystem "
			"/workspace");
	if (!q.name)
		q.name = default_name(c->args[0]);
	if (!wrap_is_name(q.name))
		return err_set(
			e, EINVAL, "--name: letters, digits, '-', '.' and single '_' between them");
	r = door_open(door, &call, e);
	if (r < 0)
		return r;
	r = wrap_run(&q, e);
	door_close(door);
	return r;
}

const struct command cmd_wrap = {
	.name = "wrap",
	.summary = "run another MCP server in a sandbox",
	.args = "-- COMMAND [ARGUMENT...]",
	.options = options,
	.options_size = sizeof(struct wrap_options),
	.max_args = SIZE_MAX,
	.details =
		"Starts a server of the Model Context Protocol in a fresh sandbox, as 'ward run'\n"
		"does, and stands between it and the client: tools that the policy denies are not\n"
		"listed and cannot be called, and every call is recorded. Rules call its tools\n"
		"mcp__NAME__TOOL.\n"
		"\n"
		"Exit status: that of 'ward run' for the server.",
	.examples = "  ward wrap --name fs -- mcp-server-filesystem /workspace\n"
		    "  ward wrap --name fs --set 'tools.deny=[\"mcp__fs__write_*\"]' -- "
		    "mcp-server-filesystem /workspace\n"
		    "  ward wrap --name web --allow api.example.org -- my-server\n",
	.run = run,
};
