/* SPDX-License-Identifier: Apache-2.0 */

/* ward exec: a command in the sandbox of a session, which is started on first use. */

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/request.h"
#include "cli/run.h"
#include "door/exec.h"
#include "json/write.h"

#include <errno.h>
#include <unistd.h>

static const struct field options[] = {
	OPTION_SESSION(struct run_options),
	OPTION_AGENT(struct run_options),
	{"terminal", F_BOOL(struct run_options, terminal, .letter = 't',
			     .help = "give the command a terminal of its own")},
	{"background", F_BOOL(struct run_options, background, .letter = 'b',
			       .help = "do not wait: print an id for 'ward process'")},
	{"memory", F_SIZE(struct run_options, memory, .arg = "SIZE",
			   .help = "end the command when it uses more")},
	{"pids", F_COUNT(struct run_options, pids, .arg = "NUMBER",
			 .help = "... when it has more processes and threads")},
	{"cpu-time", F_DURATION(struct run_options, cpu_time, .arg = "DURATION",
			     .help = "... when it has used processors for so long")},
	OPTION_NET(struct run_options),
	OPTION_ALLOW(struct run_options),
	OPTION_DENY(struct run_options),
	OPTION_PUBLISH(struct run_options),
	OPTION_CONFIG(struct run_options),
	OPTION_SET(struct run_options),
	OPTION_JSON(struct run_options),
	{0},
};

static const struct field shell_options[] = {
	OPTION_SESSION(struct run_options),
	OPTION_AGENT(struct run_options),
	OPTION_CONFIG(struct run_options),
	OPTION_SET(struct run_options),
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
		{answer->older, "the sandbox was another version of ward's: it was made anew"},
		{answer->died, "the sandbox had been killed: a new one was started"},
		{r->reason == END_STOPPED && !answer->signalled && r->exit_code != 0 &&
				!r->hits[HIT_DISK] && !r->hits[HIT_INODES] && !r->hits[HIT_PIDS],
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

static int in_background(struct call *c, const struct run_request *q, struct err *e)
{
	const struct run_options *o = c->options;
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	struct writer w = WRITER(c->out);
	int32_t id;
	int r = exec_background(q, c->arena, answer, &id, e);

	if (r < 0)
		return r;
	if (!answer->run.planned)
		return run_denied(c, &answer->run.verdict, o->json.v);
	if (!o->json.v) {
		buf_printf(c->out, "%d\n", id);
		return EXIT_OK;
	}
	write_object(&w, NULL);
	write_number(&w, "id", id);
	write_text(&w, "sandbox", answer->name);
	write_end_object(&w);
	buf_putc(c->out, '\n');
	return EXIT_OK;
}

static int in_session(struct call *c, const struct run_request *given, struct err *e)
{
	const struct run_options *o = c->options;
	auto_(config_free) struct config config = {0};
	struct request_who who = {o->session.v, o->agent.v, o->config.v, &o->set, o->net.v,
		{&o->allow, &o->deny, &o->publish}};
	struct run_request q = *given;
	int r = request_load(c, &who, &config, &q, e);

	if (r < 0)
		return r;
	if (q.terminal && !isatty(STDIN_FILENO))
		return err_set(e, ENOTTY, "a terminal is needed as standard input");
	return o->background.v ? in_background(c, &q, e) : carry_out(c, &q, e);
}

static int run_it(struct call *c, struct err *e)
{
	const struct run_options *o = c->options;
	struct run_request q = {.argv = (const char *const *)c->args,
		.argc = c->arg_count,
		.terminal = o->terminal.v,
		.capture = o->json.v && !o->background.v,
		.agent_entrance = !o->background.v,
		.operation = "exec",
		.caps = {o->memory.v, o->pids.v, o->cpu_time.v}};

	if (c->arg_count == 0)
		return err_set(e, EINVAL, "no command given; as in: ward exec -- make test");
	if (o->terminal.v && (o->json.v || o->background.v))
		return err_set(e, EINVAL, "-t goes neither with --json nor with --background");
	return in_session(c, &q, e);
}

/* Bash where the sandbox has it. */
static int shell(struct call *c, struct err *e)
{
	static const char *const argv[] = {
		"/bin/sh", "-c", "command -v bash >/dev/null && exec bash; exec sh", NULL};
	struct run_request q = {.argv = argv, .argc = 3, .terminal = true, .operation = "shell"};

	return in_session(c, &q, e);
}

static int run(struct call *c, struct err *e)
{
	const struct run_options *o = c->options;

	return request_failed(c, o->json.v, run_it(c, e), e);
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
		    "  ward exec --background -- npm run dev\n"
		    "  ward exec --memory 512M --cpu-time 30s -- ./solve\n"
		    "  ward exec --json -- python3 script.py\n",
	.run = run,
};

const struct command cmd_shell = {
	.name = "shell",
	.summary = "a shell in the sandbox of a session",
	.options = shell_options,
	.options_size = sizeof(struct run_options),
	.details =
		"On a terminal of its own, with job control and its size. There is no time limit\n"
		"unless somebody wrote one.",
	.examples = "  ward shell\n"
		    "  ward shell --session build\n",
	.run = shell,
};
