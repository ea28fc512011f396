/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One call of a tool on its way through the door: its arguments are read, the policy is asked, a
 * person where the policy says so; it is written down, carried out in its place, and how it ended
 * is written down too. Nothing here waits: the caller polls what job_poll() names and calls
 * job_step(), for as many jobs at a time as it likes. Called by every entrance that offers tools.
 *
 * Should: end with an answer whatever happens, and leave one request in the log, or one refusal.
 */

#include "door/tool.h"

struct approval;
struct job;

enum job_state { JOB_WORKS, JOB_ASKS, JOB_DONE };

struct job_answer {
	bool failed;      /* it did not do what it was asked for, or the command did not succeed */
	const char *text; /* for whoever reads */
	size_t text_len;
	const char *json; /* one object, on one line */
	size_t json_len;
	const char *shown; /* the text as a JSON string, where it is known; else NULL */
	size_t shown_len;
};

#define JOB_POLL 10

/*
 * -ENOENT: there is no such tool at this entrance, known or not; other failures: the configuration
 * cannot be read. Whatever else goes wrong is the job's answer. args may be NULL, and is not used
 * any more when this returns.
 */
int job_begin(
	struct door *d, const char *tool, const struct node *args, struct job **ret, struct err *e);
/* How many descriptors; there must be room for JOB_POLL. */
size_t job_poll(struct job *j, struct pollfd *fds, size_t max);
int job_timeout(const struct job *j); /* ms; -1: none */
/* Does what can be done without waiting. */
enum job_state job_step(struct job *j);
enum job_state job_state(const struct job *j);
/* While it asks: what a person has to decide. */
struct approval *job_approval(struct job *j);
/* Ends what it runs; the answer follows soon. */
void job_cancel(struct job *j);
uint64_t job_output(const struct job *j); /* bytes that the command has written so far */
/* What it has written so far, as far as it is kept: of one stream, 0 or 1. Beyond its life in a
 * process of its own only once it is done. Valid until the next step. */
size_t job_captured(const struct job *j, int stream, const char **ret);
const struct job_answer *job_answer(struct job *j); /* once it is done */
/* Until it is done. */
enum job_state job_wait(struct job *j);
/* A job that is not done is ended first. */
void job_free(struct job **io);
