/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whose calls come through the door: a session at one entrance. Holds the policy that is in force
 * (the configuration, what it makes of the session's sandbox, the log) and connections to the
 * sandbox that are kept between calls. The policy is looked at before every call: when a file of
 * the configuration has changed, it is read anew, and one that cannot be read stops every call.
 * Calls that run already keep the policy that they began with. An agent that stood in
 * agents.entries and is taken out of it has lost what it was given: the door stays shut, whatever
 * is written there later. Called by the entrances, through door/job.h.
 */

#include "door/exec.h"
#include "door/record.h"
#include "door/workspace.h"

#include <sys/stat.h>

#define DOOR_LINES 8 /* connections that wait for another command */
#define DOOR_FILES 3 /* of a configuration */

struct door_call {
	enum entrance entrance;
	const char *session, *agent, *user_file; /* as the caller named them; NULL */
	const char *const *env;                  /* of the caller */
	char *arguments;                         /* of this process; see engine/native.h */
	size_t arguments_len;
	/* The configuration; asked again whenever a file has changed. */
	int (*load)(void *ctx, struct config *ret, struct err *e);
	void *ctx;
};

struct door_policy {
	unsigned users; /* calls, and the door itself */
	unsigned serial;
	struct arena arena;
	struct config config;
	struct record record;
	struct stat files[DOOR_FILES];
	struct exec_answer session;  /* of the session's sandbox, for no particular command */
	struct verdict *verdicts;    /* by tool, see door/tool.h; tool NULL: not asked yet */
	struct workspace_root space; /* kept open, where it is a folder of the host */
};

struct door {
	struct door_call call;
	struct door_policy *policy;
	struct client_line lines[DOOR_LINES];
	size_t line_count;
	unsigned serial;
	bool listed;         /* the agent has stood in agents.entries since the door was opened */
	bool revoked;        /* ... and does not any more */
	struct buf spare[2]; /* memory of the last answer, for the next one */
};

/* Nothing can be called before the policy could be read once. */
int door_open(struct door *d, const struct door_call *call, struct err *e);
void door_close(struct door *d);
/* Takes notice of files that have changed. 1: the policy is another one now; -EACCES: the agent's
 * authority was taken away, for good. */
int door_refresh(struct door *d, struct err *e);
/* That, and the reason; 0: it was not. Looks at the files. */
int door_revoked(struct door *d, struct err *e);
struct door_policy *door_hold(struct door *d);
void door_release(struct door_policy **p);

/* What the policy says of a tool, by its place in tool_rows. */
int door_verdict(struct door *d, size_t tool, const struct verdict **ret, struct err *e);
/* A request of this session, for no particular command. */
struct run_request door_request(const struct door *d, const struct door_policy *p);
/* The workspace as it was opened before, if it is still that; else NULL. */
const struct files *door_files(const struct door_policy *p);
/* Keeps it for the next call, where that may be; else it stays the caller's. */
void door_keep_files(struct door_policy *p, struct workspace_root *io);
/* A connection to the session's sandbox that nobody uses; both -1: there is none. */
struct client_line door_line(struct door *d);
/* Keeps it for the next, or closes it. */
void door_keep_line(struct door *d, struct client_line line);
