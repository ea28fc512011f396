/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the MCP server share: server.c (the loop), methods.c (what a client may ask),
 * calls.c (tools that run), output.c (what they write), elicit.c (a person is asked), resources.c
 * (files of the workspace). */

#include "door/job.h"
#include "door/tool.h"
#include "mcp/rpc.h"

#define SERVER_CALLS 64               /* that run at once */
#define SERVER_QUEUE 256              /* that wait for a place */
#define SERVER_TOOLS 64               /* in a list */
#define CALL_BYTES ((size_t)64 << 20) /* messages of all calls, as they came */
#define PROGRESS_MS 250

/* In order: who understands one understands those before. */
enum revision { REVISION_2024_11, REVISION_2025_03, REVISION_2025_06, REVISION_2025_11, REVISIONS };

enum log_level {
	LOG_DEBUG,
	LOG_INFO,
	LOG_NOTICE,
	LOG_WARNING,
	LOG_ERROR,
	LOG_CRITICAL,
	LOG_ALERT,
	LOG_EMERGENCY,
	LOG_LEVELS
};

/* What the answer of a call is made into. */
enum call_kind { CALL_TOOL, CALL_READ, CALL_LIST };

/* What a request that becomes a call asks for; everything lives in the message's arena. */
struct call_wish {
	enum call_kind kind;
	const char *tool, *uri;
	const struct node *args;
	size_t skip; /* of a list: entries before the page */
};

struct call_running {
	struct call_running *next;
	struct arena arena; /* of the message; taken from it */
	size_t bytes;       /* of the message */
	const char *id;
	const char *token; /* for progress; NULL: none is wanted */
	struct call_wish wish;
	struct job *job;          /* NULL: it waits for a place */
	bool silent;              /* cancelled: nobody waits for an answer */
	bool asking;              /* a person is asked, one way or another */
	uint64_t question;        /* the id of our request to the client; 0: none */
	uint64_t told, told_ms;   /* progress: the last one, and when */
	size_t sent[2];           /* of what each stream has written */
	uint64_t due_ms;          /* when it wants a step, whatever happens; UINT64_MAX: never */
	size_t fds_at, fds_count; /* its part of the descriptors that are waited for */
};

struct server {
	struct rpc rpc;
	struct door *door;
	bool initialised, closing, stopped;
	bool held; /* lines have come that wait for room in the queue */
	enum revision revision;
	bool elicits; /* the client can ask a person, by a form */
	bool streams; /* the client wants what commands write, as it comes */
	enum log_level level;
	bool broken;                           /* the configuration cannot be read; it was said */
	struct call_running *first, **last_at; /* in the order of arrival */
	size_t running, waiting, bytes;
	uint64_t now_ms;
	unsigned serial; /* of the policy that the client knows */
};

/* methods.c */
void methods_take(struct server *s, struct arena *a, size_t bytes, const struct message *m);
void methods_log(struct server *s, enum log_level level, const char *fmt, ...) printf_like(3, 4);
/* Has the policy changed? Says so to the client. A negative errno: nothing may be called. */
int methods_refresh(struct server *s, struct err *e);
/* The same after somebody else has looked, with what came of it. */
void methods_noticed(struct server *s, int r, const struct err *e);

/* calls.c; the call takes the arena. */
void calls_add(struct server *s, struct arena *a, size_t bytes, const struct message *m,
	const struct call_wish *wish);
void calls_cancel(struct server *s, const char *id); /* NULL: all of them */
size_t calls_poll(struct server *s, struct pollfd *fds);
int calls_timeout(const struct server *s); /* ms; -1: none */
void calls_step(struct server *s, const struct pollfd *fds);
/* Those that wait, as far as there is room. */
void calls_start(struct server *s);
void calls_drop(struct server *s); /* all of them, whatever they do */

/* output.c */
/* What the command has written since it was last told of, to a client that wants to know. */
void output_tell(struct server *s, struct call_running *c);

/* elicit.c */
void elicit_ask(struct server *s, struct call_running *c);
void elicit_drop(struct server *s, struct call_running *c); /* the question is no longer open */
void elicit_answer(struct server *s, const struct message *m);

/* resources.c */
void resources_list(struct server *s, struct arena *a, size_t bytes, const struct message *m);
void resources_read(struct server *s, struct arena *a, size_t bytes, const struct message *m);
void resources_templates(struct server *s, const struct message *m);
void resources_write(
	struct server *s, const struct call_running *c, const struct job_answer *answer);
