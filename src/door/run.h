/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The way of one command: decided, planned, carried out, its result handed back. Every entrance
 * that runs something comes through here, and policy is checked here at call time.
 */

#include "door/pass.h"
#include "model/decide.h"
#include "model/plan.h"
#include "model/result.h"

struct approval;
struct consent;

struct run_request {
	const struct config *config;
	const char *user_file; /* --config; NULL: the user's own */
	const char *session, *agent;
	const char *const *argv; /* NULL at the end */
	size_t argc;
	const char *command;    /* a shell's text that argv hands to a shell; NULL: none */
	const char *const *env; /* of the caller */
	bool terminal, capture, agent_entrance, background, living;
	bool no_tool;          /* see struct request: nothing is to run */
	struct plan_caps caps; /* of the command, in a sandbox that lives */
	enum entrance entrance;
	const char *operation; /* of the entrance: run, exec, shell ...; NULL: run */
	struct record *record; /* the caller's, which is kept open; NULL: the door's own */
	char *arguments;       /* of this process; see engine/native.h */
	size_t arguments_len;
	/* Tells that a person is asked now; NULL: only other terminals can answer. */
	void (*waits)(const struct approval *p);
	/* Tells that the command runs without a sandbox now; NULL: nobody wants to hear it. */
	void (*unconfined)(const struct verdict *v);
	struct consent
		*consent; /* run_whole() and exec_whole() fill it in; NULL: nobody is asked */
};

struct run_answer {
	const char *cwd; /* of the caller; NULL: it cannot be named */
	struct verdict verdict;
	struct machine machine;
	struct plan plan;
	struct plan_caps caps; /* what was asked for besides */
	bool planned;          /* false: the verdict is no */
	char approval[33];     /* its id; "": none was needed */
	bool host; /* without a sandbox: of the plan only argv, env, times and output hold */
};

/* The same, with what the machine offers taken for granted where `hopeful`; see probe_hopeful(). */
int run_make_plan(const struct run_request *q, bool hopeful, struct arena *a,
	struct run_answer *ret, struct err *e);
/* What the audit log says of it; sandbox: its name. */
void run_record_request(const struct run_request *q, const struct run_answer *answer,
	const char *sandbox, struct record_request *ret);
/* Decides and plans; runs nothing. A refusal by policy is an answer, not a failure. */
int run_plan(const struct run_request *q, struct arena *a, struct run_answer *ret, struct err *e);
/* Carries out what was planned, on the host or in a sandbox of its own. On failure nothing was run.
 */
int run_carry_out(const struct run_request *q, struct arena *a, const struct run_answer *answer,
	struct result *ret, struct err *e);
/* Decides, plans, records and carries it out, unless the verdict is no. On failure nothing was run.
 */
int run_whole(const struct run_request *q, struct arena *a, struct run_answer *ret_answer,
	struct result *ret, struct err *e);
