/* SPDX-License-Identifier: Apache-2.0 */
#include "door/job.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "door/approval.h"
#include "door/failure.h"
#include "door/approval_parts.h"
#include "door/job_parts.h"
#include "json/node_write.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define SPARE_MOST (64u << 10)
#define LOOK_MS 1000

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
		j->pass.handed_over |= j->args.background && !j->failed.code;
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
	if (j->shown.len && !j->failed.code) {
		j->out.shown = j->json.data + j->shown.at;
		j->out.shown_len = j->shown.len;
	}
}

int job_fail(struct job *j, int r)
{
	if (!j->failed.code)
		j->failed.code = r < 0 ? -r : EIO;
	job_finish(j);
	return r;
}

/* What of the arguments the log tells by itself; the rest of them follows as it came. */
static void fill_record(struct job *j, const struct node *args)
{
	const struct tool_args *g = &j->args;
	const struct {
		const char *name;
		bool told;
	} rows[] = {
		{"command", g->command}, {"argv", g->argv.v}, {"cwd", g->cwd}, {"path", g->path}};
	const char *told[ARRAY_LEN(rows) + 1] = {NULL};
	auto_(buf_free) struct buf rest = BUF(JOB_ANSWER);
	struct writer w = WRITER_COMPACT(&rest);
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].told)
			told[count++] = rows[i].name;
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

/* Whether it is denied or unknown is for the log only: somebody tries names for a reason. */
static int refuse_tool(struct door *d, const struct record_request *q, const char *name,
	const char *why, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(160);

	record_deny(&d->policy->record, q, why, NULL);
	escape_text(&shown, name);
	return err_set(e, ENOENT, "there is no tool '%s'", buf_text(&shown));
}

static int refuse_unknown(struct door *d, const char *name, struct err *e)
{
	struct record_request q = {.entrance = d->call.entrance, .operation = "call", .tool = name};

	return refuse_tool(d, &q, name, "there is no such tool", e);
}

/* Memory of an answer before, so that it need not be had anew. */
static struct buf take_spare(struct buf *spare)
{
	struct buf b = *spare;

	*spare = (struct buf){0};
	buf_reset(&b);
	b.max = JOB_ANSWER;
	return b;
}

static void keep_spare(struct buf *spare, struct buf *b)
{
	if (spare->data || b->cap > SPARE_MOST)
		buf_free(b);
	else
		*spare = *b;
	*b = (struct buf){0};
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
	j->text = take_spare(&d->spare[0]);
	j->json = take_spare(&d->spare[1]);
	return j;
}

/* The last policy that its agent had says who it was. */
static struct job *refuse_revoked(struct job *j, const struct node *args, const struct err *why)
{
	struct err ignored;

	j->verdict = &j->policy->session.run.verdict;
	args_read(j->tool->arguments, args, &j->arena, &j->args, &ignored);
	fill_record(j, args);
	j->failed = *why;
	job_fail(j, -EACCES);
	return j;
}

int job_begin(
	struct door *d, const char *tool, const struct node *args, struct job **ret, struct err *e)
{
	auto_(job_free) struct job *j = NULL;
	size_t which = tool_find(tool);
	int r = door_refresh(d, e);

	if (r < 0 && !d->revoked)
		return r;
	if (which == tool_count())
		return refuse_unknown(d, tool, e);
	j = new_job(d, which);
	if (d->revoked) {
		*ret = refuse_revoked(take_ptr(j), args, e);
		return 0;
	}
	r = door_verdict(d, which, &j->verdict, e);
	if (r < 0)
		return r;
	r = args_read(j->tool->arguments, args, &j->arena, &j->args, &j->failed);
	fill_record(j, args);
	if (j->verdict->permission == PERMISSION_DENY) {
		j->stage = STAGE_DONE;
		return refuse_tool(d, &j->record, tool, decide_why(j->verdict), e);
	}
	if (r < 0)
		job_fail(j, r);
	else if (j->tool->kind == TOOL_COMMAND)
		job_exec_begin(j);
	else
		job_tool_begin(j);
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

/* While it waits, whether its agent is still one is looked at now and then. */
static int asks_until(const struct job *j)
{
	int ms = approval_timeout(j->approval);

	return j->door->listed && ms > LOOK_MS ? LOOK_MS : ms;
}

int job_timeout(const struct job *j)
{
	uint64_t now = now_ms();

	if (j->stage == STAGE_DONE)
		return 0;
	if (j->stage == STAGE_ASK)
		return asks_until(j);
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
		job_tool_take(j, &j->worker.said);
	worker_end(&j->worker);
	if (j->stage == STAGE_WORKER)
		job_finish(j);
}

/* A person has answered, or nobody in time. */
/* Whoever answers would give something to an agent that may have nothing any more. */
static void step_approval(struct job *j)
{
	struct err e = {0};

	if (door_revoked(j->door, &e) < 0) {
		approval_note(j->approval, "refused", NULL, e.text, NULL);
		j->failed = e;
		job_fail(j, -EACCES);
		return;
	}
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
	keep_spare(&j->door->spare[0], &j->text);
	keep_spare(&j->door->spare[1], &j->json);
	door_release(&j->policy);
	arena = j->arena;
	arena_free(&arena);
}
