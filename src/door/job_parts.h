/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the modules of a job share: door/job.c; door/job_exec.c for commands, with
 * door/job_answer.c; door/job_tool.c for all other tools. */

#include "door/job.h"
#include "door/pass.h"
#include "door/worker.h"
#include "door/workspace.h"

enum job_stage {
	STAGE_ASK,    /* a person */
	STAGE_CLIENT, /* the sandbox that lives */
	STAGE_WORKER, /* a process of its own */
	STAGE_DONE,
};

#define JOB_ANSWER (96u << 20) /* bytes of one, at most: two streams, in base64 */

struct job {
	struct door *door;
	struct door_policy *policy;
	struct arena arena;
	const struct tool_row *tool;
	struct tool_args args;
	const struct verdict *verdict;
	struct record_request record;
	struct pass pass;
	enum job_stage stage;
	bool cancelled;
	uint64_t ends_ms;  /* cancelled: when nothing more is waited for, by CLOCK_BOOTTIME */
	struct err failed; /* code 0: it has not */
	struct approval *approval;
	struct worker worker;
	/* Of a command. */
	struct exec_answer *answer;
	struct result result;
	struct client client;
	struct client_line line;
	int input; /* its standard input; -1: nothing to read */
	int cwd;   /* on the host; -1 */
	/* The answer. */
	struct buf text, json;
	uint64_t bytes;
	struct tool_part shown;
	struct job_answer out;
};

/* The job has failed, before or after it began: the answer says why. Returns r. */
int job_fail(struct job *j, int r);
/* The answer is complete. */
void job_finish(struct job *j);

/* door/job_tool.c */
int job_tool_begin(struct job *j);
/* The worker has said all. */
void job_tool_take(struct job *j, const struct buf *said);
/* The files that a tool works on. */
int job_open_files(struct job *j, struct workspace_root *ret, struct err *e);

/* door/job_exec.c */
int job_exec_begin(struct job *j);
/* After the person has agreed. */
int job_exec_go_on(struct job *j);
void job_exec_step(struct job *j);
/* The worker has said all. */
void job_exec_take(struct job *j, const struct buf *said);
void job_exec_cancel(struct job *j);
/* door/job_plan.c: what the call itself chooses, into the plan. */
int job_plan_complete(struct job *j, struct err *e);
int job_plan_timeout(struct job *j, uint64_t *io_timeout, struct err *e);
int job_plan_input(struct job *j, struct err *e);
/* door/job_answer.c: what the command's end means, as the answer. */
void job_exec_answer(struct job *j);
