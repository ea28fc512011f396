/* SPDX-License-Identifier: Apache-2.0 */

/* ward mcp: the tools of a session for a client of the Model Context Protocol, on standard input
 * and output. */

#include "cli/cli.h"
#include "cli/request.h"
#include "mcp/server.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct mcp_options {
	struct opt_text session, agent, config;
	struct opt_list set;
	struct opt_enum entrance;
};

/* Who is behind the protocol: an agent's own program, or libward. */
static const char *const served_names[] = {"mcp", "library", NULL};
static const enum entrance served[] = {ENTRANCE_MCP, ENTRANCE_LIBRARY};

static const struct field options[] = {
	OPTION_SESSION(struct mcp_options),
	OPTION_AGENT(struct mcp_options),
	OPTION_CONFIG(struct mcp_options),
	OPTION_SET(struct mcp_options),
	{"entrance", F_ENUM(struct mcp_options, entrance, served_names, .arg = "NAME",
			     .help = "what the audit log calls this entrance; libward sets it")},
	{0},
};

/* Where standard input or output is no pipe, nobody would understand what comes. */
static int check_client(struct err *e)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return err_set(e, ENOTTY,
			"this is a server for programs, which start it themselves; 'ward mcp "
			"config claude' prints what such a program must be told");
	if (fcntl(STDIN_FILENO, F_GETFD) < 0 || fcntl(STDOUT_FILENO, F_GETFD) < 0)
		return err_set(e, EBADF, "standard input and output must be open");
	return 0;
}

static int run(struct call *c, struct err *e)
{
	const struct mcp_options *o = c->options;
	struct request_who who = {o->session.v, o->agent.v, o->config.v, &o->set, NULL, {NULL}};
	struct request_door *d = arena_alloc(c->arena, sizeof *d);
	int r = check_client(e);

	if (r == 0)
		r = request_open(c, &who, served[o->entrance.v], d, e);
	if (r < 0)
		return r;
	r = server_run(&d->door, STDIN_FILENO, STDOUT_FILENO, e);
	door_close(&d->door);
	return r < 0 ? r : EXIT_OK;
}

const struct command cmd_mcp = {
	.name = "mcp",
	.summary = "serve tools to an agent (MCP)",
	.options = options,
	.options_size = sizeof(struct mcp_options),
	.details =
		"A server of the Model Context Protocol on standard input and output. The agent's\n"
		"program starts it; 'ward mcp config' prints what that program must be told.\n"
		"The agent sees the tools that the policy allows, and every call is decided anew.",
	.examples = "  ward mcp --session agent:main:main\n"
		    "  ward mcp config claude  # the snippet to paste\n",
	.run = run,
};
