/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One message of JSON-RPC 2.0, as MCP uses it: no batches, parameters only as an object, an id is a
 * text or a number and comes back as it was spelled. What is wrong with a message is part of what
 * is read from it: its code and why. Everything lives in the arena.
 */

#include "base/mem.h"
#include "json/tree.h"

#include <stddef.h>

#define MESSAGE_ID_MAX 256
#define MESSAGE_VALUES 200000 /* in one message */

enum message_code {
	MESSAGE_NOT_JSON = -32700,
	MESSAGE_INVALID = -32600,
	MESSAGE_NO_METHOD = -32601,
	MESSAGE_BAD_PARAMS = -32602,
	MESSAGE_INTERNAL = -32603,
	MESSAGE_BUSY = -32000,
	MESSAGE_NO_RESOURCE = -32002,
};

enum message_kind {
	MESSAGE_REQUEST,
	MESSAGE_NOTE,   /* a notification: nobody waits for an answer */
	MESSAGE_ANSWER, /* to a request of ours */
	MESSAGE_BAD
};

struct message {
	enum message_kind kind;
	const char *id; /* as JSON; of one that is bad: "null" where it is unknown */
	const char *method;
	const struct node *params; /* an object; NULL: none */
	const struct node *result; /* of an answer; NULL: it is an error */
	enum message_code code;    /* of one that is bad */
	const char *why;
};

void message_read(struct arena *a, const char *text, size_t len, struct message *ret);
/* An id as JSON text; NULL: it cannot be one. */
const char *message_id(struct arena *a, const struct node *n);
/*
 * Whether a key is a name in other letters. Some readers of JSON take such a member for the one
 * that is meant, and the last of both counts: what they do is then not what was judged here.
 */
bool message_is_twin(const char *key, const char *name);
/* Whether an object has such a member for one of the names. */
bool message_has_twin(const struct node *object, const char *const *names);
