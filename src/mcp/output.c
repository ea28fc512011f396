/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What commands write, as it comes: the notification ward/output, for a client that has asked for
 * it by the experimental capability of that name. It takes the place of progress, under the same
 * token. The answer has all of it again, so that who misses one loses nothing.
 */

#include "base/base64.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "mcp/parts.h"

#include <string.h>

#define PIECE ((size_t)256 << 10)

static const char *const stream_names[] = {"stdout", "stderr"};

/* A piece that ends within a character is no text: what is told are bytes. */
static void tell_piece(
	struct server *s, const struct call_running *c, int stream, const char *data, size_t len)
{
	struct writer w = rpc_note(&s->rpc, "ward/output");

	write_raw(&w, "token", c->token);
	write_text(&w, "stream", stream_names[stream]);
	if (utf8_valid(data, len) && !memchr(data, 0, len)) {
		write_bytes(&w, "data", data, len);
	} else {
		auto_(buf_free) struct buf coded = BUF(2 * PIECE);

		base64_encode(&coded, data, len);
		write_text(&w, "dataBase64", buf_text(&coded));
	}
	rpc_end(&s->rpc, &w);
}

void output_tell(struct server *s, struct call_running *c)
{
	if (!c->token || c->silent || c->wish.kind != CALL_TOOL)
		return;
	for (int stream = 0; stream < 2; stream++) {
		const char *data = NULL;
		size_t len = job_captured(c->job, stream, &data);

		while (c->sent[stream] < len) {
			size_t at = c->sent[stream], n = len - at < PIECE ? len - at : PIECE;

			tell_piece(s, c, stream, data + at, n);
			c->sent[stream] += n;
		}
	}
}
