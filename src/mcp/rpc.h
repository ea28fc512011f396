/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A connection of JSON-RPC over two descriptors, one message a line. Messages that go out are
 * written into a queue, which is sent as far as the other side takes it; rpc_is_full() says when
 * its owner should stop taking more work in. Nothing here waits.
 *
 * A message is begun by one of the functions that hand back a writer, filled, and ended:
 *
 *     struct writer w = rpc_result(r, id);
 *     write_text(&w, "key", "value");
 *     rpc_end(r, &w);
 */

#include "base/err.h"
#include "json/write.h"
#include "mcp/lines.h"
#include "mcp/message.h"

#define RPC_FULL ((size_t)32 << 20)

struct rpc {
	int in, out;
	int out_flags; /* of `out`, as they were */
	struct lines lines;
	struct buf queue;
	size_t sent, mark; /* of the queue; where the message that is written now begins */
	uint64_t requests; /* of ours, so far: the last one's id */
	bool ended;        /* nothing more comes */
	bool deaf;         /* nobody listens any more */
};

void rpc_open(struct rpc *r, int in, int out);
void rpc_close(struct rpc *r);

/* What there is to read, once; `ended` where that is nothing more. */
void rpc_read(struct rpc *r);
enum lines_kind rpc_next(struct rpc *r, const char **ret, size_t *ret_len);

bool rpc_is_full(const struct rpc *r);
bool rpc_has_more(const struct rpc *r); /* something is left to send */
void rpc_flush(struct rpc *r);

struct writer rpc_result(struct rpc *r, const char *id);   /* in the result's object */
struct writer rpc_note(struct rpc *r, const char *method); /* in its params */
struct writer rpc_request(struct rpc *r, const char *method);
void rpc_end(struct rpc *r, struct writer *w);
void rpc_error(struct rpc *r, const char *id, enum message_code code, const char *why);
/* A whole message, as it is. */
void rpc_pass(struct rpc *r, const char *text, size_t len);
