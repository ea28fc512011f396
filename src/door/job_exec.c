/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A command as a job. In the sandbox that lives it is handed over at once, by a connection that is
 * kept; whatever takes longer (the sandbox must be started, or be another one; the command belongs
 * on the host, or in a sandbox of its own) is done by a worker.
 */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "door/consent.h"
#include "door/host.h"
#include "door/job_parts.h"
#include "files/files_walk.h"
#include "state/place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

static int check_arguments(struct job *j, struct err *e)
{
	const struct tool_args *g = &j->args;

	if (!g->command == !g->argv.v)
		return err_set(e, EINVAL, "give either 'command' or 'argv'");
	if (g->argv.v && (g->argv.count == 0 || !g->argv.v[0][0]))
		return err_set(e, EINVAL, "argument 'argv' names no program");
	if (g->background && g->input)
		return err_set(e, EINVAL, "a background process gets its input by tool 'process'");
	return 0;
}

static const char *const *words_of(struct job *j)
{
	const char **words;

	if (j->args.argv.v)
		return j->args.argv.v;
	words = arena_array(&j->arena, 4, sizeof *words);
	words[0] = "/bin/sh";
	words[1] = "-c";
	words[2] = j->args.command;
	return words;
}

static struct run_request request_of(struct job *j)
{
	struct run_request q = door_request(j->door, j->policy);

	q.no_tool = false;
	q.argv = words_of(j);
	while (q.argv[q.argc])
		q.argc++;
	q.command = j->args.command;
	q.background = j->args.background;
	q.record = &j->policy->record;
	return q;
}

/* Does the answer depend on the command at all? */
static bool has_rules(const struct verdict *v)
{
	return v->effective->rules.count > 0 && v->effective->s.tools.elevated.enabled.v;
}

/* The same sandbox for every command of the session; only where rules may lead elsewhere each
 * command is decided by itself. */
static int decide_command(struct job *j, struct err *e)
{
	struct run_request q = request_of(j);

	j->answer = arena_alloc(&j->arena, sizeof *j->answer);
	if (has_rules(&j->policy->session.run.verdict)) {
		int r = exec_decide(&q, true, &j->arena, j->answer, e);

		j->verdict = j->record.verdict = &j->answer->run.verdict;
		return r;
	}
	*j->answer = j->policy->session;
	j->answer->run.verdict = *j->verdict; /* of the tool, which says the same of its place */
	j->verdict = j->record.verdict = &j->answer->run.verdict;
	j->answer->run.plan.argv = q.argv;
	return 0;
}

/* What a worker says of a command: this, both streams, then a text for each layer. */
struct command_said {
	struct err failed;
	struct result result;
	size_t output[2];
	int32_t process;
	bool lost;
};

static void say_result(struct job *j, const struct command_said *said, struct buf *out)
{
	buf_add(out, said, sizeof *said);
	for (int i = 0; i < 2; i++)
		buf_add(out, j->result.output[i].data, said->output[i]);
	for (int i = 0; i < LAYER_COUNT; i++) {
		const char *text = j->result.enforced[i] ? j->result.enforced[i] : "none";

		buf_add(out, text, strlen(text) + 1);
	}
}

static int run_on_host(struct job *j, struct err *e)
{
	struct host_call call = {.argv = j->answer->run.plan.argv,
		.env = j->door->call.env,
		.cwd = j->cwd,
		.program = -1,
		.approval = j->approval};

	host_limits(j->verdict->effective, true, true, false, &call);
	return job_plan_timeout(j, &call.timeout, e) < 0 ? -e->code
							 : host_run(&call, &j->result, e);
}

/* In the sandbox; where nothing could be started, once more by what the machine says of itself. */
static int run_in_sandbox(struct job *j, struct err *e)
{
	struct run_request q = request_of(j);
	bool reached;
	int r = exec_carry_out(&q, &j->pass, &j->arena, j->answer, &j->result, &reached, e);

	if (r >= 0 || reached)
		return r;
	result_free(&j->result);
	j->result = (struct result){0};
	*j->answer = (struct exec_answer){0};
	r = exec_decide(&q, false, &j->arena, j->answer, e);
	if (r == 0 && !j->answer->run.planned)
		r = err_set(e, EACCES, "denied by the policy");
	if (r == 0)
		r = job_plan_complete(j, e);
	return r < 0 ? r
		     : exec_carry_out(&q, &j->pass, &j->arena, j->answer, &j->result, &reached, e);
}

/* In a process of its own. */
static void work(void *ctx, struct buf *out)
{
	struct job *j = ctx;
	struct command_said said = {0};
	int r;

	if (j->verdict->place == PLACE_HOST)
		r = run_on_host(j, &said.failed);
	else
		r = run_in_sandbox(j, &said.failed);
	if (r >= 0)
		said.failed = (struct err){0};
	else if (!said.failed.code)
		said.failed.code = -r;
	said.result = j->result;
	said.output[0] = j->result.output[0].len;
	said.output[1] = j->result.output[1].len;
	said.process = j->answer->process;
	said.lost = j->answer->lost;
	say_result(j, &said, out);
}

static bool take_streams(struct job *j, const struct command_said *said, const struct buf *all)
{
	size_t at = sizeof *said;

	if (said->output[0] > all->len - at || said->output[1] > all->len - at - said->output[0])
		return false;
	for (int i = 0; i < 2; i++) {
		j->result.output[i] = BUF(JOB_ANSWER);
		buf_add(&j->result.output[i], all->data + at, said->output[i]);
		at += said->output[i];
	}
	for (int i = 0; i < LAYER_COUNT && at < all->len; i++) {
		j->result.enforced[i] = arena_printf(&j->arena, "%s", all->data + at);
		at += strlen(j->result.enforced[i]) + 1;
	}
	return true;
}

void job_exec_take(struct job *j, const struct buf *all)
{
	struct command_said said;
	bool whole = all->len >= sizeof said && !all->dropped;

	if (whole)
		memcpy(&said, all->data, sizeof said);
	result_free(&j->result);
	j->result = whole ? said.result : (struct result){0};
	for (int i = 0; i < 2; i++)
		j->result.output[i] = BUF(JOB_ANSWER);
	for (int i = 0; i < LAYER_COUNT; i++)
		j->result.enforced[i] = NULL;
	if (whole && !said.failed.code)
		whole = take_streams(j, &said, all);
	if (whole) {
		j->failed = said.failed;
		j->answer->process = said.process;
		j->answer->lost = said.lost;
	} else if (j->cancelled) {
		err_set(&j->failed, ECANCELED, "cancelled");
	} else {
		err_set(&j->failed, EIO, "the process that looked after the command was killed");
	}
}

static int by_worker(struct job *j)
{
	struct worker_call call = {.work = work, .ctx = j, .input = j->input, .most = JOB_ANSWER};
	int r;

	if (j->cwd >= 0)
		call.keep[call.keep_count++] = j->cwd;
	if (j->approval)
		call.keep_count += approval_keep(
			j->approval, call.keep + call.keep_count, WORKER_KEEP - call.keep_count);
	j->stage = STAGE_WORKER;
	r = worker_start(&j->worker, &call, &j->failed);
	return r < 0 ? job_fail(j, r) : 0;
}

/* The sandbox, if it lives and is the right one: a connection that is kept, or a new one. */
static int by_client(struct job *j)
{
	struct client *c = &j->client;
	int r;

	j->line = door_line(j->door);
	if (j->line.sandbox < 0) {
		auto_fd int place = place_open(&j->arena, &j->failed);

		if (place >= 0)
			j->line.sandbox = living_connect(place, j->answer->name, &j->failed);
		j->failed = (struct err){0};
	}
	if (j->line.sandbox < 0)
		return by_worker(j);
	if (j->input < 0)
		j->input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	*c = (struct client){.plan = &j->answer->run.plan,
		.config = j->answer->config,
		.result = &j->result,
		.line = &j->line,
		.background = j->args.background,
		.begin = j->pass.begin,
		.who = record_who(j->pass.record, j->pass.begin),
		.input = j->input,
		.sandbox = j->line.sandbox,
		.signals = -1,
		.terminal.master = -1};
	j->stage = STAGE_CLIENT;
	r = client_begin(c, &j->failed);
	if (r == 0)
		return 0;
	client_close(c);
	client_line_close(&j->line);
	if (r < 0)
		return job_fail(j, r);
	return by_worker(j);
}

/* Nothing stands in its way any more. */
static int carry_out(struct job *j)
{
	const struct sandbox *s = &j->verdict->effective->s.sandbox;
	int r;

	j->record.sandbox = j->verdict->place == PLACE_SANDBOX ? j->answer->name : NULL;
	r = exec_count(&j->arena, j->answer, &j->failed);
	if (r == 0)
		r = pass_begin(&j->pass, &j->record, &j->failed);
	if (r < 0)
		return job_fail(j, r);
	if (j->verdict->place == PLACE_HOST || j->verdict->rule || !s->keep_alive.v)
		return by_worker(j);
	return by_client(j);
}

/* Where it runs, for a command that leaves the session's sandbox: a folder of the workspace. */
static int open_cwd(struct job *j, struct err *e)
{
	auto_(workspace_close) struct workspace_root space = WORKSPACE_CLOSED;
	auto_(files_walk_close) struct files_place place = FILES_PLACE_NONE;
	int r = job_open_files(j, &space, e);

	if (r == 0)
		r = files_walk(&space.files, j->args.cwd ? j->args.cwd : ".", false, &place, e);
	if (r == 0 && (place.object < 0 || !S_ISDIR(place.st.st_mode)))
		r = err_set(e, ENOTDIR, "argument 'cwd' names no folder of the workspace");
	if (r < 0)
		return r;
	j->cwd = take_fd(&place.object);
	return 0;
}

static int check_outside(const struct job *j, struct err *e)
{
	if (j->args.background)
		return err_set(e, ENOTSUP,
			"a background process needs the session's sandbox, and this command does "
			"not run there");
	if (j->args.env.count)
		return err_set(e, EPERM,
			"a command that leaves the session's sandbox takes no 'env' of a call");
	/* A here-document would not match a rule either: nobody sees what it says. */
	if (j->args.input && j->verdict->rule && j->verdict->permission == PERMISSION_ALLOW)
		return err_set(e, EPERM,
			"a command that leaves the session's sandbox without a question takes no "
			"'stdin' of a call");
	return 0;
}

/* The answer of a person is waited for; where a grant covers it, that is there already. */
static int ask(struct job *j, struct err *e)
{
	struct approval_request q = {.config = &j->policy->config,
		.verdict = j->verdict,
		.argv = (const char *const *)j->verdict->argv.v,
		.cwd = j->cwd,
		.workspace = j->policy->session.run.plan.workspace_path,
		.env = j->door->call.env,
		.input = j->args.input,
		.entrance = j->door->call.entrance,
		.record = &j->policy->record};
	int r = approval_begin(&q, &j->arena, &j->approval, e);

	if (r < 0)
		return r;
	j->record.approval = approval_id(j->approval);
	j->stage = STAGE_ASK;
	job_step(j);
	return 0;
}

/* Decided again with the person's yes, and planned. */
int job_exec_go_on(struct job *j)
{
	struct consent consent = {.approval = j->approval, .cwd = -1};
	struct run_request q = request_of(j);
	int r;

	q.consent = &consent;
	j->answer = arena_alloc(&j->arena, sizeof *j->answer);
	r = exec_decide(&q, true, &j->arena, j->answer, &j->failed);
	j->verdict = j->record.verdict = &j->answer->run.verdict;
	if (r == 0 && !j->answer->run.planned)
		r = err_set(&j->failed, EACCES, "denied: %s", decide_why(j->verdict));
	if (r == 0 && j->verdict->place == PLACE_SANDBOX)
		r = job_plan_complete(j, &j->failed);
	else if (r == 0)
		r = job_plan_input(j, &j->failed);
	return r < 0 ? job_fail(j, r) : carry_out(j);
}

int job_exec_begin(struct job *j)
{
	struct err *e = &j->failed;
	int r = check_arguments(j, e);
	bool outside;

	if (r == 0)
		r = decide_command(j, e);
	if (r < 0)
		return job_fail(j, r);
	outside = j->verdict->place == PLACE_HOST || j->verdict->rule;
	if (j->verdict->permission == PERMISSION_DENY)
		r = err_set(e, EACCES, "denied: %s", decide_why(j->verdict));
	if (r == 0 && outside)
		r = check_outside(j, e);
	if (r == 0 && outside)
		r = open_cwd(j, e);
	if (r == 0 && j->verdict->rule)
		r = ask(j, e);
	else if (r == 0) {
		r = outside ? job_plan_input(j, e) : job_plan_complete(j, e);
		return r < 0 ? job_fail(j, r) : carry_out(j);
	}
	return r < 0 ? job_fail(j, r) : 0;
}

void job_exec_step(struct job *j)
{
	struct pollfd fds[CLIENT_POLL];
	int r;

	client_poll(&j->client, fds);
	if (poll(fds, CLIENT_POLL, 0) <= 0)
		return;
	r = client_step(&j->client, fds, &j->arena, &j->failed);

	if (r == 0 && !client_is_done(&j->client))
		return;
	client_close(&j->client);
	if (r == 1) { /* not by this sandbox */
		client_line_close(&j->line);
		by_worker(j);
		return;
	}
	j->answer->process = j->client.process;
	j->answer->lost = j->client.lost;
	if (r == 0)
		j->failed = (struct err){0};
	if (r == 0 && !j->args.background)
		door_keep_line(j->door, j->line);
	else
		client_line_close(&j->line);
	j->line = (struct client_line){-1, -1};
	job_finish(j);
}

/* Who goes away ends the command: the sandbox sees to it. */
void job_exec_cancel(struct job *j)
{
	client_close(&j->client);
	client_line_close(&j->line);
	err_set(&j->failed, ECANCELED, "cancelled");
	j->pass.handed_over = true; /* and writes down how that went */
	job_finish(j);
}
