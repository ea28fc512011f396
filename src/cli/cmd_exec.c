/* SPDX-License-Identifier: Apache-2.0 */

/* ward exec: a command in the sandbox of a session, which is started on first use. */

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/run.h"
#include "door/exec.h"
#include "door/load.h"

#include <errno.h>
#include <unistd.h>

static const struct field options[] = {
	OPTION_SESSION(struct run_options),
	OPTION_AGENT(struct run_options),
	OPTION_CONFIG(struct run_options),
	OPTION_SET(struct run_options),
	OPTION_JSON(struct run_options),
	{0},
};

/* What a person should know about the sandbox, in the order in which it happened. */
static void notes(const struct exec_answer *answer, const struct result *r)
{
	const struct {
		bool holds;
		const char *text;
	} rows[] = {
		{answer->changed, "the configuration has changed: the sandbox was made anew"},
		{answer->died, "the sandbox had been killed: a new one was started"},
		{r->reason == END_STOPPED && !answer->signalled,
			"the sandbox was stopped, and the command with it"},
		{answer->lost, "the sandbox died, and the command with it; the next command gets a "
			       "new one"},
	};
	auto_(buf_free) struct buf out = BUF(4096);

	run_notes(&answer->run, r);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].holds)
			buf_printf(&out, "ward: %s\n", rows[i].text);
	if (out.len > 0 && write(STDERR_FILENO, buf_text(&out), out.len) < 0)
		return;
}

static int carry_out(struct call *c, const struct run_request *q, struct err *e)
{
	const struct run_options *o = c->options;
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	auto_(result_free) struct result result = {0};
	int r = exec_whole(q, c->arena, answer, &result, e);

	if (r < 0)
		return r;
	if (!answer->run.planned)
		return run_denied(c, &answer->run.verdict, o->json.v);
	if (o->json.v)
		run_json(c, &answer->run, &result);
	else
		notes(answer, &result);
	return result_status(&result);
}

static int run_it(struct call *c, struct err *e)
{
	const struct run_options *o = c->options;
	auto_(config_free) struct config config = {0};
	struct load_request load = {.config = o->config.v, .sets = &o->set};
	struct run_request q = {.config = &config,
		.user_file = o->config.v,
		.session = o->session.v,
		.agent = o->agent.v,
		.argv = (const char *const *)c->args,
		.argc = c->arg_count,
		.env = (const char *const *)environ,
		.capture = o->json.v,
		.agent_entrance = true,
		.arguments = c->process,
		.arguments_len = c->process_len};
	struct session session;
	int r;

	if (c->arg_count == 0)
		return err_set(e, EINVAL, "no command given; as in: ward exec -- make test");
	r = session_parse(c->arena, q.session, q.agent, &session, e);
	if (r < 0)
		return r;
	load.wish.agent = session.agent;
	r = load_config(&load, &config, e);
	return r < 0 ? r : carry_out(c, &q, e);
}

static int run(struct call *c, struct err *e)
{
	const struct run_options *o = c->options;
	int r = run_it(c, e);

	if (r < 0 && o->json.v) {
		run_json_error(c, END_INTERNAL, e->text);
		c->answered = true;
	}
	return r;
}

const struct command cmd_exec = {
	.name = "exec",
	.summary = "run a command in the sandbox of a session",
	.args = "-- COMMAND [ARGUMENT...]",
	.options = options,
	.options_size = sizeof(struct run_options),
	.max_args = SIZE_MAX,
	.details =
		"The sandbox is started by the first command of its session and goes on when\n"
		"the command has ended: files in /tmp and in its home stay until it is stopped.\n"
		"Every command ends with all that it started.\n"
		"\n"
		"Exit status: as of 'ward run'.",
	.examples = "  ward exec -- npm install\n"
		    "  ward exec --session build -- make test\n"
		    "  ward exec --json -- python3 script.py\n",
	.run = run,
};
