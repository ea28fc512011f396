/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "engine/post.h"
#include "test.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

static struct post out, in;

static void test_there_and_back(void)
{
	int pair[2];
	struct packet_fds fds = {.fd = {0, 1, 2}, .count = 3}, came = {.count = 0};

	check_int(packet_pair(pair), 0);
	out = (struct post){.version = POST_VERSION, .kind = POST_EXEC};
	out.exec.command.argc = 1;
	out.exec.command.size = 6;
	memcpy(out.exec.text, "/\0true", 7);
	check_int(post_send(pair[0], true, &out, &fds), 0);
	check_int(post_receive(pair[1], true, &in, &came), 0);
	check_u64(came.count, 3);
	check_u64(in.exec.command.size, 6);
	check(memcmp(in.exec.text, "/\0true", 6) == 0);
	packet_close(&came);
	check_int(post_receive(pair[1], false, &in, NULL), -EAGAIN);
	close(pair[0]);
	check_int(post_receive(pair[1], true, &in, NULL), -ECONNRESET);
	close(pair[1]);
}

/* What the head says must be what came. */
static void test_lies(void)
{
	static const struct {
		uint32_t kind, field;
		size_t size;
		int want;
	} rows[] = {
		{POST_SIGNAL, 0, offsetof(struct post, exec), 0},
		{POST_SIGNAL, 0, offsetof(struct post, exec) - 1, -EPROTO},
		{POST_SIGNAL, 0, offsetof(struct post, exec) + 1, -EPROTO},
		{POST_SIGNAL, 0, 1, -EPROTO},
		{POST_EXEC, 0, offsetof(struct post, exec), -EPROTO},
		{POST_EXEC, 0, offsetof(struct post, exec.text), 0},
		{POST_EXEC, 1, offsetof(struct post, exec.text), -EPROTO},
		{POST_EXEC, UINT32_MAX, offsetof(struct post, exec.text), -EPROTO},
		{POST_EXEC, SLOT_TEXT + 1, sizeof(struct post), -EPROTO},
		{POST_PROCESS_WRITE, 0, offsetof(struct post, data.bytes), 0},
		{POST_PROCESS_WRITE, 9, offsetof(struct post, data.bytes), -EPROTO},
		{POST_PROCESS_WRITE, UINT32_MAX, offsetof(struct post, data.bytes), -EPROTO},
		{POST_PROCESS_WRITE, 0, offsetof(struct post, exec), -EPROTO},
		{POST_PROCESS_OUTPUT, 0, offsetof(struct post, data.bytes) + 1, -EPROTO},
		{POST_KINDS, 0, offsetof(struct post, exec), -EPROTO},
		{UINT32_MAX, 0, offsetof(struct post, exec), -EPROTO},
	};
	int pair[2];

	check_int(packet_pair(pair), 0);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		test_row("row %zu", i);
		memset(&out, 0, sizeof out);
		out.version = POST_VERSION;
		out.kind = rows[i].kind;
		if (rows[i].kind == POST_EXEC)
			out.exec.command.size = rows[i].field;
		else
			out.data.size = rows[i].field;
		check_int(send(pair[0], &out, rows[i].size, 0), (long long)rows[i].size);
		check_int(post_receive(pair[1], true, &in, NULL), rows[i].want);
	}
	{
		static char large[sizeof(struct post) + 40000];

		memset(&out, 0, sizeof out);
		out.version = POST_VERSION;
		out.kind = POST_PROCESS_WRITE;
		out.data.size = (uint32_t)(sizeof large - offsetof(struct post, data.bytes));
		memcpy(large, &out, sizeof out);
		check(send(pair[0], large, sizeof large, 0) > 0);
		check_int(post_receive(pair[1], true, &in, NULL), -EPROTO);
	}
	out.version++;
	out.kind = POST_SIGNAL;
	check(send(pair[0], &out, offsetof(struct post, exec), 0) > 0);
	check_int(post_receive(pair[1], true, &in, NULL), -EPROTONOSUPPORT);
	close(pair[0]);
	close(pair[1]);
}

static const struct test tests[] = {
	{"there and back, with descriptors", test_there_and_back},
	{"sizes that are not so", test_lies},
};
TEST_MAIN(tests)
