/* SPDX-License-Identifier: Apache-2.0 */

/* ward run: one command in a fresh sandbox. The result as JSON: cli/run_json.c. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "cli/cli.h"
#include "cli/request.h"
#include "cli/run.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct field options[] = {
	OPTION_SESSION(struct run_options),
	OPTION_AGENT(struct run_options),
	{"terminal", F_BOOL(struct run_options, terminal, .letter = 't',
			     .help = "give the command a terminal of its own")},
	{"dry-run", F_BOOL(struct run_options, dry_run,
			    .help = "print the steps with their arguments; run nothing")},
	OPTION_NET(struct run_options),
	OPTION_ALLOW(struct run_options),
	OPTION_DENY(struct run_options),
	OPTION_PUBLISH(struct run_options),
	OPTION_CONFIG(struct run_options),
	OPTION_SET(struct run_options),
	OPTION_JSON(struct run_options),
	{0},
};

int run_denied(struct call *c, const struct verdict *v, bool json)
{
	auto_(buf_free) struct buf out = BUF(4096);
	const char *why = "the policy does not allow it";

	for (size_t i = 0; i < v->reason_count; i++)
		why = v->reasons[i].text;
	if (json)
		run_json_error(c, END_POLICY, why);
	buf_printf(&out, "ward: %s: %s ('ward explain' says more)\n",
		v->permission == PERMISSION_ASK ? "not run without approval" : "denied", why);
	return write(STDERR_FILENO, buf_text(&out), out.len) < 0 ? EXIT_WARD : EXIT_DENIED;
}

static int carry_out(
	struct call *c, const struct run_request *q, struct run_answer *answer, struct err *e)
{
	const struct run_options *o = c->options;
	auto_(result_free) struct result result = {0};
	int r = run_whole(q, c->arena, answer, &result, e);

	if (r < 0)
		return r;
	if (!answer->planned)
		return run_denied(c, &answer->verdict, o->json.v);
	if (o->json.v)
		run_json(c, answer, &result);
	else
		run_notes(answer, &result);
	return result_status(&result);
}

static int show_plan(
	struct call *c, const struct run_request *q, struct run_answer *answer, struct err *e)
{
	const struct run_options *o = c->options;
	int r = run_plan(q, c->arena, answer, e);

	if (r < 0)
		return r;
	if (!answer->planned)
		return run_denied(c, &answer->verdict, o->json.v);
	run_show_plan(c, answer, o->json.v);
	return EXIT_OK;
}

static int run_it(struct call *c, struct err *e)
{
	const struct run_options *o = c->options;
	auto_(config_free) struct config config = {0};
	struct run_answer *answer = arena_alloc(c->arena, sizeof *answer);
	struct request_who who = {o->session.v, o->agent.v, o->config.v, &o->set, o->net.v,
		{&o->allow, &o->deny, &o->publish}};
	struct run_request q = {.argv = (const char *const *)c->args,
		.argc = c->arg_count,
		.terminal = o->terminal.v,
		.capture = o->json.v};
	int r;

	if (c->arg_count == 0)
		return err_set(e, EINVAL, "no command given; as in: ward run -- make test");
	if (o->terminal.v && o->json.v)
		return err_set(e, EINVAL, "-t and --json exclude each other");
	if (o->terminal.v && !isatty(STDIN_FILENO))
		return err_set(e, ENOTTY, "-t needs a terminal as standard input");
	r = request_load(c, &who, &config, &q, e);
	if (r < 0)
		return r;
	return o->dry_run.v ? show_plan(c, &q, answer, e) : carry_out(c, &q, answer, e);
}

static int run(struct call *c, struct err *e)
{
	const struct run_options *o = c->options;

	return request_failed(c, o->json.v, run_it(c, e), e);
}

const struct command cmd_run = {
	.name = "run",
	.summary = "run a command in a fresh sandbox",
	.args = "-- COMMAND [ARGUMENT...]",
	.options = options,
	.options_size = sizeof(struct run_options),
	.max_args = SIZE_MAX,
	.details = "The command sees the current folder as /workspace, the host's programs\n"
		   "read-only, and nothing else: no home, no network, no other process.\n"
		   "When it ends, everything that it started has ended too.\n"
		   "\n"
		   "Exit status: the command's own; 124 timeout; 125 ward failed; 126 denied or\n"
		   "not executable; 127 not found; 128+N ended by signal N.",
	.examples = "  ward run -- make test\n"
		    "  ward run -t -- bash\n"
		    "  ward run --set timeout=10s --json -- python3 script.py\n"
		    "  ward run --set workspace=ro -- npm run lint\n"
		    "  ward run --dry-run -- true\n",
	.run = run,
};
