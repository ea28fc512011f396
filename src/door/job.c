/* SPDX-License-Identifier: Apache-2.0 */
#include "door/job.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "door/approval.h"
#include "door/failure.h"
#include "door/job_parts.h"
#include "json/node_write.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void write_failure(struct job *j)
{
	struct writer w = WRITER_COMPACT(&j->json);

	buf_reset(&j->json);
	buf_reset(&j->text);
	write_object(&w, NULL);
	write_text(&w, "error", j->failed.text);
	write_text(&w, "code", failure_name(j->failed.code));
	write_end_object(&w);
	buf_puts(&j->text, j->failed.text);
}

/* Writes down how it ended; what cannot be written down is not told as a success. */
static void record_end_of(struct job *j)
{
	struct err e = {0};
	int r = 0;

	if (j->tool->kind == TOOL_COMMAND) {
		j->pass.handed_over = j->args.background && !j->failed.code;
		pass_close(&j->pass, &j->record, !j->failed.code,
			j->failed.code ? -j->failed.code : 0, &j->result, &j->failed);
		return;
	}
	if (!j->pass.begin)
		record_deny(j->pass.record, &j->record, j->failed.text, &e);
	else
		r = record_end_tool(j->pass.record, j->pass.begin,
			j->failed.code ? &j->failed : NULL, j->bytes, &e);
	if (r < 0 && !j->failed.code)
		j->failed = e;
}

void job_finish(struct job *j)
{
	if (j->stage == STAGE_DONE)
		return;
	record_end_of(j);
	j->stage = STAGE_DONE;
	if (j->failed.code)
		write_failure(j);
	else if (j->tool->kind == TOOL_COMMAND)
		job_exec_answer(j);
	j->out = (struct job_answer){.failed = j->out.failed || j->failed.code,
		.text = buf_text(&j->text),
		.text_len = j->text.len,
		.json = buf_text(&j->json),
		.json_len = j->json.len};
}

int job_fail(struct job *j, int r)
{
	if (!j->failed.code)
		j->failed.code = r < 0 ? -r : EIO;
	job_finish(j);
	return r;
}

/* Everything of the call that the log tells apart from its name. */
static void fill_record(struct job *j, const struct node *args)
{
	static const char *const told[] = {"command", "argv", "cwd", "path", NULL};
	auto_(buf_free) struct buf rest = BUF(JOB_ANSWER);
	struct writer w = WRITER_COMPACT(&rest);
	const struct tool_args *g = &j->args;

	node_write_but(&w, NULL, args, told);
	j->record = (struct record_request){
		.entrance = j->door->call.entrance,
		.operation = "call",
		.verdict = j->verdict,
		.tool = j->tool->name,
		.argv = g->argv.v,
		.argc = g->argv.count,
		.command = g->command,
		.path = g->path,
		.cwd = g->cwd,
		.arguments = rest.len > 2 ? arena_text(&j->arena, rest.data, rest.len) : NULL,
	};
}

/* A sandbox may have to be started, or at least asked. */
static bool opens_slowly(const struct job *j)
{
	enum workspace kind = j->policy->session.run.plan.workspace;

	return j->tool->kind == TOOL_FILES && j->verdict->place == PLACE_SANDBOX &&
	       (kind == WORKSPACE_COW || kind == WORKSPACE_NONE);
}

int job_open_files(struct job *j, struct workspace_root *ret, struct err *e)
{
	const struct exec_answer *session = &j->policy->session;
	const struct plan *p = &session->run.plan;
	struct run_request q = door_request(j->door, j->policy);
	int r;

	if (j->verdict->place == PLACE_SANDBOX && !session->run.host)
		return workspace_open(&q, session, &j->arena, ret, e);
	if (!p->workspace_path)
		return err_set(e, ENOENT, "the session has no workspace on the host");
	r = workspace_open_host(p->workspace_path, ret, e);
	if (r < 0)
		return r;
	ret->files.read_only = p->workspace == WORKSPACE_RO;
	ret->files.protect = p->protect;
	ret->files.protect_count = p->protect_count;
	ret->files.hide = p->hide;
	ret->files.hide_count = p->hide_count;
	return 0;
}

/* The tool itself, here or in a process of its own. */
static int run_tool(struct job *j, const struct files *files, struct err *e)
{
	struct writer w = WRITER_COMPACT(&j->json);
	struct tool_work work = {.door = j->door,
		.policy = j->policy,
		.verdict = j->verdict,
		.args = &j->args,
		.files = files,
		.arena = &j->arena,
		.text = &j->text,
		.json = &w};
	int r;

	write_object(&w, NULL);
	r = j->tool->run(&work, e);
	write_end_object(&w);
	j->bytes = work.bytes;
	if (r == 0 && (j->json.dropped || j->text.dropped))
		r = err_set(e, EFBIG, "the answer is larger than %u MiB; ask for a part",
			JOB_ANSWER >> 20);
	return r;
}

/* What a worker says of a tool: this, then the text, then the JSON. */
struct tool_said {
	struct err failed;
	uint64_t bytes;
	size_t text, json;
};

static void work(void *ctx, struct buf *out)
{
	struct job *j = ctx;
	struct tool_said said = {0};
	auto_(workspace_close) struct workspace_root space = WORKSPACE_CLOSED;
	int r = 0;

	if (j->tool->kind == TOOL_FILES)
		r = job_open_files(j, &space, &said.failed);
	if (r == 0)
		r = run_tool(j, &space.files, &said.failed);
	if (r >= 0)
		said.failed = (struct err){0};
	else if (!said.failed.code)
		said.failed.code = -r;
	said.bytes = j->bytes;
	said.text = j->text.len;
	said.json = j->json.len;
	buf_add(out, &said, sizeof said);
	buf_add(out, j->text.data, j->text.len);
	buf_add(out, j->json.data, j->json.len);
}

static void take_tool(struct job *j, const struct buf *all)
{
	struct tool_said said;

	if (all->len < sizeof said) {
		err_set(&j->failed, EIO, "the process that did it was killed");
		return;
	}
	memcpy(&said, all->data, sizeof said);
	if (all->dropped || all->len != sizeof said + said.text + said.json) {
		err_set(&j->failed, EFBIG, "the answer is larger than %u MiB; ask for a part",
			JOB_ANSWER >> 20);
		return;
	}
	j->failed = said.failed;
	j->bytes = said.bytes;
	buf_add(&j->text, all->data + sizeof said, said.text);
	buf_add(&j->json, all->data + sizeof said + said.text, said.json);
}

static int begin_tool(struct job *j)
{
	struct worker_call call = {.work = work, .ctx = j, .input = -1, .most = JOB_ANSWER};
	auto_(workspace_close) struct workspace_root space = WORKSPACE_CLOSED;
	int r;

	r = pass_begin(&j->pass, &j->record, &j->failed);
	if (r < 0)
		return job_fail(j, r);
	if (j->tool->slow || opens_slowly(j)) {
		r = worker_start(&j->worker, &call, &j->failed);
		j->stage = STAGE_WORKER;
		return r < 0 ? job_fail(j, r) : 0;
	}
	if (j->tool->kind == TOOL_FILES)
		r = job_open_files(j, &space, &j->failed);
	if (r == 0)
		r = run_tool(j, &space.files, &j->failed);
	if (r < 0)
		return job_fail(j, r);
	j->failed = (struct err){0}; /* what was said on the way */
	job_finish(j);
	return 0;
}

static int refuse_tool(struct job *j, const char *name, struct err *e)
{
	struct err ignored;
	auto_(buf_free) struct buf shown = BUF(160);

	record_deny(j->pass.record, &j->record,
		j->verdict->reason_count ? j->verdict->reasons[j->verdict->reason_count - 1].text
					 : "denied",
		&ignored);
	escape_text(&shown, name);
	return err_set(e, ENOENT, "there is no tool '%s'", buf_text(&shown));
}

/* Unknown names are refused, and that is written down: somebody tries them for a reason. */
static int refuse_unknown(struct door *d, const char *name, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(160);
	struct record_request q = {.entrance = d->call.entrance, .operation = "call", .tool = name};
	struct err ignored;

	record_deny(&d->policy->record, &q, "there is no such tool", &ignored);
	escape_text(&shown, name);
	return err_set(e, ENOENT, "there is no tool '%s'", buf_text(&shown));
}

/* In its own arena: one piece of memory for most calls. */
static struct job *new_job(struct door *d, size_t tool)
{
	struct arena arena = {0};
	struct job *j;

	arena_alloc(&arena, 1); /* begins an ordinary chunk */
	j = arena_alloc(&arena, sizeof *j);
	j->arena = arena;
	j->door = d;
	j->policy = door_hold(d);
	j->tool = &tool_rows[tool];
	j->pass.record = &j->policy->record;
	j->stage = STAGE_WORKER;
	j->worker.from = j->input = j->cwd = -1;
	j->line = (struct client_line){-1, -1};
	j->text = BUF(JOB_ANSWER);
	j->json = BUF(JOB_ANSWER);
	return j;
}

int job_begin(
	struct door *d, const char *tool, const struct node *args, struct job **ret, struct err *e)
{
	auto_(job_free) struct job *j = NULL;
	size_t which = tool_find(tool);
	int r = door_refresh(d, e);

	if (r < 0)
		return r;
	if (which == tool_count())
		return refuse_unknown(d, tool, e);
	j = new_job(d, which);
	r = door_verdict(d, which, &j->verdict, e);
	if (r < 0)
		return r;
	fill_record(j, args);
	if (j->verdict->permission == PERMISSION_DENY) {
		r = refuse_tool(j, tool, e);
		j->stage = STAGE_DONE;
		return r;
	}
	r = args_read(j->tool->arguments, args, &j->arena, &j->args, &j->failed);
	fill_record(j, args);
	if (r < 0)
		job_fail(j, r);
	else if (j->tool->kind == TOOL_COMMAND)
		job_exec_begin(j);
	else
		begin_tool(j);
	*ret = take_ptr(j);
	return 0;
}

size_t job_poll(struct job *j, struct pollfd *fds, size_t max)
{
	_Static_assert(CLIENT_POLL <= JOB_POLL && APPROVAL_FDS <= JOB_POLL, "room for all");

	if (max < JOB_POLL)
		return 0;
	switch (j->stage) {
	case STAGE_ASK:
		return approval_poll(j->approval, fds, max);
	case STAGE_CLIENT:
		client_poll(&j->client, fds);
		return CLIENT_POLL;
	case STAGE_WORKER:
		fds[0] = (struct pollfd){.fd = j->worker.from, .events = POLLIN};
		return 1;
	case STAGE_DONE:
		break;
	}
	return 0;
}

int job_timeout(const struct job *j)
{
	uint64_t now = now_ms();

	if (j->stage == STAGE_DONE)
		return 0;
	if (j->stage == STAGE_ASK)
		return approval_timeout(j->approval);
	if (!j->ends_ms)
		return -1;
	return j->ends_ms > now ? (int)(j->ends_ms - now) : 0;
}

static void step_worker(struct job *j)
{
	if (!worker_step(&j->worker))
		return;
	if (j->tool->kind == TOOL_COMMAND)
		job_exec_take(j, &j->worker.said);
	else
		take_tool(j, &j->worker.said);
	worker_end(&j->worker);
	if (j->stage == STAGE_WORKER)
		job_finish(j);
}

/* A person has answered, or nobody in time. */
static void step_approval(struct job *j)
{
	switch (approval_step(j->approval, &j->failed)) {
	case APPROVAL_WAITS:
	case APPROVAL_STATES:
		break;
	case APPROVAL_GIVEN:
		j->failed = (struct err){0};
		job_exec_go_on(j);
		break;
	case APPROVAL_DENIED:
	case APPROVAL_EXPIRED:
		job_fail(j, -EACCES);
		break;
	}
}

enum job_state job_step(struct job *j)
{
	if (j->cancelled && j->ends_ms && now_ms() >= j->ends_ms && j->stage == STAGE_WORKER) {
		err_set(&j->failed, ECANCELED, "cancelled");
		worker_end(&j->worker);
		job_finish(j);
	}
	switch (j->stage) {
	case STAGE_ASK:
		step_approval(j);
		break;
	case STAGE_CLIENT:
		job_exec_step(j);
		break;
	case STAGE_WORKER:
		step_worker(j);
		break;
	case STAGE_DONE:
		break;
	}
	return job_state(j);
}

enum job_state job_state(const struct job *j)
{
	return j->stage == STAGE_DONE ? JOB_DONE : j->stage == STAGE_ASK ? JOB_ASKS : JOB_WORKS;
}

struct approval *job_approval(struct job *j)
{
	return j->stage == STAGE_ASK ? j->approval : NULL;
}

void job_cancel(struct job *j)
{
	if (j->cancelled || j->stage == STAGE_DONE)
		return;
	j->cancelled = true;
	if (j->stage == STAGE_ASK) {
		err_set(&j->failed, ECANCELED, "cancelled before anybody had agreed");
		job_finish(j);
	} else if (j->stage == STAGE_CLIENT) {
		job_exec_cancel(j);
	} else {
		/* It passes the signal on; what is slow to end is killed with it. */
		worker_signal(&j->worker, SIGTERM);
		j->ends_ms = now_ms() + j->policy->session.run.plan.kill_grace + 1000;
	}
}

uint64_t job_output(const struct job *j)
{
	const struct relay_stream *s = j->client.relay.stream;

	return j->stage == STAGE_CLIENT ? s[RELAY_OUT].seen + s[RELAY_ERR].seen : 0;
}

size_t job_captured(const struct job *j, int stream, const char **ret)
{
	const struct buf *kept = &j->result.output[stream];

	if (j->tool->kind != TOOL_COMMAND || (j->stage != STAGE_CLIENT && j->stage != STAGE_DONE))
		return 0;
	*ret = buf_text(kept);
	return kept->len;
}

const struct job_answer *job_answer(struct job *j)
{
	return &j->out;
}

enum job_state job_wait(struct job *j)
{
	while (job_state(j) != JOB_DONE) {
		struct pollfd fds[JOB_POLL];
		size_t count = job_poll(j, fds, JOB_POLL);

		if (poll(fds, count, job_timeout(j)) < 0 && errno != EINTR)
			job_cancel(j);
		job_step(j);
	}
	return JOB_DONE;
}

void job_free(struct job **io)
{
	struct job *j = take_ptr(*io);
	struct arena arena;

	if (!j)
		return;
	if (j->stage != STAGE_DONE && (j->worker.pid > 0 || j->pass.begin || j->approval)) {
		err_set(&j->failed, ECANCELED, "cancelled");
		if (j->stage == STAGE_CLIENT)
			job_exec_cancel(j);
		job_finish(j);
	}
	worker_end(&j->worker);
	approval_free(&j->approval);
	client_line_close(&j->line);
	cleanup_fd(&j->input);
	cleanup_fd(&j->cwd);
	result_free(&j->result);
	buf_free(&j->text);
	buf_free(&j->json);
	door_release(&j->policy);
	arena = j->arena;
	arena_free(&arena);
}
