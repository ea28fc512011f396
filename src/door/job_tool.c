/* SPDX-License-Identifier: Apache-2.0 */

/* Every tool but commands as a job: on the files of the session, here or by a worker. */

#include "base/cleanup.h"
#include "door/job_parts.h"

#include <errno.h>
#include <string.h>

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
	return r < 0 ? r : workspace_take_rules(ret, p, true, e);
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
	j->shown = work.shown;
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

void job_tool_take(struct job *j, const struct buf *all)
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

/* Here and now. */
static int run_here(struct job *j, struct err *e)
{
	auto_(workspace_close) struct workspace_root space = WORKSPACE_CLOSED;
	/* Kept for tools in the place of most: who acts there differs from one place to another. */
	bool usual = (j->verdict->place == PLACE_HOST) == j->policy->session.run.host;
	const struct files *files =
		j->tool->kind == TOOL_FILES && usual ? door_files(j->policy) : NULL;
	int r = 0;

	if (j->tool->kind == TOOL_FILES && !files) {
		r = job_open_files(j, &space, e);
		files = &space.files;
	}
	if (r == 0)
		r = run_tool(j, files, e);
	if (r == 0 && space.root >= 0 && usual)
		door_keep_files(j->policy, &space);
	return r;
}

int job_tool_begin(struct job *j)
{
	struct worker_call call = {.work = work, .ctx = j, .input = -1, .most = JOB_ANSWER};
	int r = pass_begin(&j->pass, &j->record, &j->failed);

	if (r == 0 && (j->tool->slow || opens_slowly(j))) {
		j->stage = STAGE_WORKER;
		r = worker_start(&j->worker, &call, &j->failed);
		return r < 0 ? job_fail(j, r) : 0;
	}
	if (r == 0)
		r = run_here(j, &j->failed);
	if (r < 0)
		return job_fail(j, r);
	j->failed = (struct err){0}; /* what was said on the way */
	job_finish(j);
	return 0;
}
