/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the library share: handle.c (open, close, errors), calls.c (calls without
 * waiting), messages.c (what ward says), tools.c (calls that wait, one function a tool). */

#include "lib/peer.h"
#include "lib/scan.h"
#include "lib/ward.h"

#define MESSAGE_MOST 600
#define COUNT(a) (sizeof(a) / sizeof *(a))

enum call_kind { CALL_TOOL, CALL_PLAIN }; /* PLAIN: the result as it is, as JSON */

struct call {
	struct call *next;
	uint64_t id;
	enum call_kind kind;
	struct ward_callbacks callbacks;
	/* Of one that is waited for, in place of on_done. */
	struct ward_answer *keep;
	int *ret_error; /* 1 until it is over */
	bool cancelled;
};

struct ward {
	struct peer peer;
	struct call *calls; /* the newest first */
	uint64_t last_id;
	unsigned inside; /* of callbacks */
	void *ctx;
	enum ward_consent (*on_approval)(void *ctx, const struct ward_approval *approval);
	void (*on_log)(void *ctx, const char *level, const char *text);
	char message[MESSAGE_MOST];
};

/* handle.c; returns the error. */
int handle_fail(struct ward *w, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* calls.c */
int calls_queue(struct ward *w, const struct put *message); /* and sends what can be sent */
/* Sends a request: params is the text of its object, without braces. */
int calls_send(struct ward *w, const char *method, const struct put *params,
	const struct call *like, uint64_t *ret_id);
/* Waits for one; deadline in ms of CLOCK_MONOTONIC, 0: none. */
int calls_wait(struct ward *w, const int *error, uint64_t deadline_ms);
struct call *calls_find(struct ward *w, uint64_t id);
/* It is over: takes it out, and tells whoever waits. The answer is freed unless it is kept. */
void calls_finish(struct ward *w, struct call *c, int error, struct ward_answer *answer);
void calls_finish_all(struct ward *w, int error);
uint64_t calls_clock_ms(void);
/* A request for a tool, with arguments that are known to be an object. */
int calls_tool(struct ward *w, const char *tool, struct span arguments, const struct call *like,
	uint64_t *ret_id);

/* messages.c */
void messages_take(struct ward *w, const char *text, size_t len);
