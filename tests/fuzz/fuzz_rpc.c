/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A stream of bytes as messages of JSON-RPC. Held to: the lines are the same however the stream is
 * cut; a message is taken whole or has a code, a reason and an id that are fit to be sent; what is
 * sent is one line of strict JSON that reads back.
 */

#include "mcp/rpc.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "json/json5.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_json(const char *text, size_t len)
{
	static const struct json5_limits limits = {LINES_MAX, MESSAGE_VALUES};
	auto_(arena_free) struct arena a = {0};
	struct node root;

	require(json5_parse_strict(&a, &limits, text, len, &root, NULL) == 0);
}

/* The answer that a server would give. */
static void check_error(const struct message *m)
{
	struct rpc r = {.in = -1, .out = -1, .queue = BUF(1 << 20)};

	require(m->code < 0 && m->why && utf8_valid(m->why, strlen(m->why)));
	rpc_error(&r, m->id, m->code, m->why);
	require(memchr(r.queue.data, '\n', r.queue.len) == r.queue.data + r.queue.len - 1);
	check_json(r.queue.data, r.queue.len - 1);
	buf_free(&r.queue);
}

static void check_message(const char *text, size_t len)
{
	auto_(arena_free) struct arena a = {0};
	struct message m;

	message_read(&a, text, len, &m);
	if (m.id)
		check_json(m.id, strlen(m.id));
	switch (m.kind) {
	case MESSAGE_REQUEST:
	case MESSAGE_NOTE:
		require(m.method && (m.kind == MESSAGE_REQUEST) == (m.id != NULL));
		require(!m.params || m.params->type == NODE_OBJECT);
		break;
	case MESSAGE_ANSWER:
		require(m.id && !m.method);
		break;
	case MESSAGE_BAD:
		check_error(&m);
		break;
	}
}

/* The lines of the stream, cut into pieces of this size, one after the other. */
static void split(const uint8_t *data, size_t size, size_t piece, struct buf *out)
{
	auto_(lines_free) struct lines l = {0};

	while (size > 0) {
		size_t room, len, n = size < piece ? size : piece;
		char *to = lines_room(&l, &room);
		const char *text;

		n = n < room ? n : room;
		memcpy(to, data, n);
		lines_added(&l, n);
		data += n;
		size -= n;
		while (lines_next(&l, &text, &len) == LINES_WHOLE) {
			require(len > 0 && !memchr(text, '\n', len));
			buf_add(out, text, len);
			buf_putc(out, '\n');
			if (piece > 1)
				check_message(text, len);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(buf_free) struct buf whole = BUF(SIZE_MAX), pieces = BUF(SIZE_MAX);

	split(data, size, SIZE_MAX, &whole);
	split(data, size, 1, &pieces);
	require(whole.len == pieces.len &&
		(whole.len == 0 || memcmp(whole.data, pieces.data, whole.len) == 0));
	return 0;
}
