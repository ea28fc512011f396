/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is written down of every request: one line before anything runs, and one of how it ended; or
 * a single line where it was refused. Secrets are left out, foreign bytes escaped, long values cut;
 * the hash of the request is that of all of it. Every entrance comes through here.
 *
 * Should: say of each begin how it ended, also when that was badly. Mustn't: let anything run whose
 * begin is not in the log.
 */

#include "base/err.h"
#include "door/line.h"
#include "model/config.h"
#include "model/decide.h"
#include "model/redact.h"
#include "model/result.h"
#include "state/auditlog.h"

#include <sys/types.h>

enum entrance { ENTRANCE_CLI, ENTRANCE_MCP, ENTRANCE_LIBRARY, ENTRANCE_WRAP, ENTRANCE_COUNT };
extern const char *const entrance_names[];

struct record_open; /* a begin that waits for its end */

struct record {
	struct auditlog log; /* opened when the first line is written */
	bool open;
	struct redact redact;
	char policy[2 * SHA256_SIZE + 1]; /* which configuration holds */
	struct line line;                 /* that is being written */
	struct record_open *begun;
};

/* What a line says of a request; NULL members are left out. */
struct record_request {
	enum entrance entrance;
	const char *operation;         /* run, exec, call, shell, start, wrap ... */
	const struct verdict *verdict; /* session, agent, permission, place, reasons, runtime */
	const char *tool;              /* exec, read, write ... (after alias resolution) */
	const char *const *argv;
	size_t argc;
	const char *command; /* a shell's text, in place of argv */
	const char *path;    /* of a file tool, relative to the workspace */
	const char *cwd, *sandbox, *approval;
	const char *arguments; /* other arguments of a tool: text of a JSON object */
};

/* Where the log is, and how it is kept. */
int record_where(const struct config *c, struct arena *a, struct auditlog_call *ret, struct err *e);
/* The log alone, for ends of what others have begun; nothing of the operator's own is left out. */
void record_open_at(struct record *ret, const struct auditlog_call *call);
/* Texts stay the configuration's and the arena's. The folder is looked at with the first line. */
int record_open(struct record *ret, const struct config *c, struct arena *a, struct err *e);
void record_close(struct record *r);
/* Holds no descriptor until the next line: a sandbox is about to be made by this process. */
void record_rest(struct record *r);
/* Nothing may run unless this is 0. The number is what its end refers to. */
int record_begin(
	struct record *r, const struct record_request *q, uint64_t *ret_seq, struct err *e);
/* Complete in itself. */
int record_deny(struct record *r, const struct record_request *q, const char *why, struct err *e);
/* Of a command. */
int record_end(struct record *r, uint64_t begin, const struct result *result, struct err *e);
/* Of a tool. failed NULL: it did what was asked. */
int record_end_tool(
	struct record *r, uint64_t begin, const struct err *failed, uint64_t bytes, struct err *e);
/* Of a command of which nothing ran, or nobody knows what became. */
int record_end_failed(struct record *r, uint64_t begin, const struct err *why, struct err *e);
/*
 * Approvals, rules that were changed ... members: `"key":value,...` or NULL, of ward's own words
 * and numbers alone. Whatever others have written is a fact: a text as it is, from which secrets
 * are left out; those that are NULL are left out too.
 */
struct record_fact {
	const char *key, *text;
};
int record_event(struct record *r, const char *event, const char *members,
	const struct record_fact *facts, size_t count, struct err *e);

/* Somebody who came to a socket of ward's and was turned away, as the kernel named them. */
struct record_peer {
	const char *socket;               /* "sandbox", "approval" */
	const char *name, *session, *why; /* of that; NULL: it has none */
	uid_t uid;
	pid_t pid;
	uint32_t count; /* model/refusals.h */
};
int record_peer(struct record *r, const struct record_peer *p, struct err *e);

/* Whose the begin is, as members of a line: what another process needs to write its end. "": no
 * such begin. It is that one's affair from then on, once record_hand_over() was called. */
const char *record_who(const struct record *r, uint64_t begin);
void record_hand_over(struct record *r, uint64_t begin);
void record_take_over(struct record *r, uint64_t begin, const char *who);
