/* SPDX-License-Identifier: Apache-2.0 */

/* Lines and messages of JSON-RPC, from bytes; and what goes out. */

#include "mcp/rpc.h"

#include "base/cleanup.h"
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

static void feed(struct lines *l, const char *data, size_t len)
{
	while (len > 0) {
		size_t room;
		char *to = lines_room(l, &room);
		size_t n = len < room ? len : room;

		memcpy(to, data, n);
		lines_added(l, n);
		data += n;
		len -= n;
	}
}

/* All lines of what was fed, each in brackets; "!" is one that is too long. */
static void drain(struct lines *l, struct buf *out)
{
	const char *text = NULL;
	size_t len = 0;
	enum lines_kind kind;

	while ((kind = lines_next(l, &text, &len)) != LINES_NONE) {
		if (kind == LINES_TOO_LONG) {
			buf_puts(out, "!");
			continue;
		}
		buf_putc(out, '[');
		buf_add(out, text, len);
		buf_putc(out, ']');
	}
}

static void test_lines(void)
{
	static const char text[] = "a\n\nbc\r\n\r\n\rd\n e \nrest";
	static const char want[] = "[a][bc][\rd][ e ]";

	/* In pieces of every size. */
	for (size_t piece = 1; piece <= sizeof text; piece++) {
		auto_(lines_free) struct lines l = {0};
		auto_(buf_free) struct buf out = BUF(1000);

		test_row("pieces of %zu", piece);
		for (size_t at = 0; at < sizeof text - 1; at += piece) {
			size_t left = sizeof text - 1 - at;

			feed(&l, text + at, left < piece ? left : piece);
			drain(&l, &out);
		}
		check_str(buf_text(&out), want);
	}
}

static void test_long_lines(void)
{
	auto_(lines_free) struct lines l = {0};
	auto_(buf_free) struct buf out = BUF(1000);
	auto_free char *block = mem_alloc(1 << 20);
	const char *text;
	size_t len;

	memset(block, 'x', 1 << 20);
	for (int i = 0; i < 16; i++)
		feed(&l, block, 1 << 20);
	feed(&l, "\n", 1);
	check_int(lines_next(&l, &text, &len), LINES_WHOLE);
	check(len == LINES_MAX);
	/* Without an end: reported once, and never kept. */
	for (int i = 0; i < 100; i++) {
		feed(&l, block, 1 << 20);
		drain(&l, &out);
		check(l.cap <= 4 * LINES_MAX);
	}
	feed(&l, "end of it\nnext\n", 15);
	drain(&l, &out);
	check_str(buf_text(&out), "![next]");
	lines_room(&l, &len);
	check(l.cap <= 1 << 20);
}

static const char *read_one(struct arena *a, const char *text, struct message *m)
{
	static const char *const kinds[] = {"request", "note", "answer", "bad"};

	message_read(a, text, strlen(text), m);
	return kinds[m->kind];
}

static void test_messages(void)
{
	static const struct {
		const char *text, *kind, *id;
		int code;
	} rows[] = {
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}", "request", "1", 0},
		{"{\"jsonrpc\":\"2.0\",\"id\":1.50e1,\"method\":\"a\",\"params\":{}}", "request",
			"1.50e1", 0},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\\n\",\"method\":\"a\"}", "request",
			"\"ab\\n\"", 0},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\"}", "note", NULL, 0},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}", "answer", "3", 0},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{}}", "answer", "3", 0},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{},\"result\":{}}", "bad", "3", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":3}", "bad", "3", -32600},
		{"{\"jsonrpc\":\"2.0\",\"result\":{}}", "bad", "null", -32600},
		{"{\"id\":3,\"method\":\"a\"}", "bad", "3", -32600},
		{"{\"jsonrpc\":2.0,\"id\":3,\"method\":\"a\"}", "bad", "3", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", "bad", "null", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"}", "bad", "null", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":1}", "bad", "3", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\",\"params\":[]}", "bad", "3",
			-32602},
		{"[{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\"}]", "bad", "null", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\",\"Method\":\"b\"}", "bad", "3",
			-32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\",\"param\u017f\":{}}", "bad", "3",
			-32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{},\"RESULT\":{}}", "bad", "3", -32600},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\",\"methods\":1}", "request", "3",
			0},
		{"[]", "bad", "null", -32600},
		{"3", "bad", "null", -32600},
		{"", "bad", "null", -32700},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"a\"", "bad", "null", -32700},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"id\":4,\"method\":\"a\"}", "bad", "null", -32700},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct message m;

		test_row("%s", rows[i].text);
		check_str(read_one(&a, rows[i].text, &m), rows[i].kind);
		check_str(m.id ? m.id : "-", rows[i].id ? rows[i].id : "-");
		check_int(m.code, rows[i].code);
		check((m.kind == MESSAGE_BAD) == (m.why != NULL));
	}
}

static void test_what_goes_out(void)
{
	int fds[2] = {-1, -1};
	char got[1000] = "";
	struct rpc r;
	struct writer w;

	if (!check_int(pipe2(fds, O_CLOEXEC), 0))
		return;
	rpc_open(&r, fds[0], fds[1]);
	w = rpc_result(&r, "\"x\"");
	write_text(&w, "a", "line\nbreak");
	write_raw(&w, "b", "{\n  \"c\": 1\n}");
	rpc_end(&r, &w);
	w = rpc_note(&r, "n");
	rpc_end(&r, &w);
	w = rpc_request(&r, "q");
	rpc_end(&r, &w);
	rpc_error(&r, "null", MESSAGE_INVALID, "no \"x\"");
	rpc_pass(&r, "{}", 2);
	rpc_flush(&r);
	check(!rpc_has_more(&r));
	check(read(fds[0], got, sizeof got - 1) > 0);
	check_str(got,
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"a\":\"line\\nbreak\",\"b\":{   "
		"\"c\": 1 }}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"q\",\"params\":{}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"no "
		"\\\"x\\\"\"}}\n"
		"{}\n");
	rpc_close(&r);
	close(fds[0]);
	close(fds[1]);
}

/* Nobody reads: the queue grows, says that it is full, and is sent in order later. */
static void test_back_pressure(void)
{
	int fds[2] = {-1, -1};
	auto_free char *block = mem_alloc(1 << 20);
	size_t messages = 0, received = 0;
	struct rpc r;
	ssize_t n;

	if (!check_int(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0))
		return;
	memset(block, 'x', 1 << 20);
	rpc_open(&r, fds[0], fds[1]);
	for (; !rpc_is_full(&r) && messages < 100; messages++) {
		rpc_pass(&r, block, 1 << 20);
		rpc_flush(&r);
	}
	check(messages > 32 && messages < 36);
	while ((n = read(fds[0], block, 1 << 20)) > 0) {
		received += (size_t)n;
		rpc_flush(&r);
	}
	check(received == messages * ((1 << 20) + 1));
	check(!rpc_has_more(&r) && r.queue.cap == 0);
	rpc_close(&r);
	close(fds[0]);
	close(fds[1]);
}

static const struct test tests[] = {
	{"lines", test_lines},
	{"long lines", test_long_lines},
	{"messages", test_messages},
	{"what goes out", test_what_goes_out},
	{"back-pressure", test_back_pressure},
};

TEST_MAIN(tests)
