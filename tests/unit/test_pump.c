/* SPDX-License-Identifier: Apache-2.0 */

/* Two connections over the loopback, and one direction between them. */

#include "guard/pump.h"

#include "base/macro.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* TCP, since pipes and sockets of the machine behave otherwise. */
static void connected(int ret[2])
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t len = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check(bind(listener, (struct sockaddr *)&at, sizeof at) == 0);
	check(listen(listener, 1) == 0);
	getsockname(listener, (struct sockaddr *)&at, &len);
	ret[0] = socket(AF_INET, SOCK_STREAM, 0);
	check(connect(ret[0], (struct sockaddr *)&at, sizeof at) == 0);
	ret[1] = accept(listener, NULL, NULL);
	close(listener);
	for (int i = 0; i < 2; i++)
		fcntl(ret[i], F_SETFL, O_NONBLOCK);
}

/* writer -> [0], [1] pump.from, pump.to [2], [3] -> reader */
struct line {
	int client[2], server[2];
	struct pump pump;
};

static void line_open(struct line *l, uint64_t allowed)
{
	connected(l->client);
	connected(l->server);
	pump_init(&l->pump, l->client[1], l->server[0], allowed);
}

static void line_close(struct line *l)
{
	pump_free(&l->pump);
	for (int i = 0; i < 2; i++) {
		close(l->client[i]);
		close(l->server[i]);
	}
}

static unsigned char pattern(uint64_t at)
{
	return (unsigned char)(at * 7 + (at >> 11));
}

/* As much as it takes of what is at that place. */
static size_t write_some(int fd, uint64_t at, uint64_t end)
{
	unsigned char data[40000];
	size_t size = end - at < sizeof data ? (size_t)(end - at) : sizeof data;
	ssize_t n;

	for (size_t i = 0; i < size; i++)
		data[i] = pattern(at + i);
	n = send(fd, data, size, MSG_NOSIGNAL);
	return n > 0 ? (size_t)n : 0;
}

/* How much came; *ret_over: the end did. */
static size_t read_some(int fd, uint64_t at, bool *ret_over)
{
	unsigned char data[50000];
	ssize_t n = recv(fd, data, sizeof data, 0);

	*ret_over = n == 0;
	for (ssize_t i = 0; i < n; i++)
		if (data[i] != pattern(at + (uint64_t)i))
			return check(false), 0;
	return n > 0 ? (size_t)n : 0;
}

/* Sends that many bytes and the end; what arrived, and the last state. */
static uint64_t carry(struct line *l, uint64_t size, enum pump_state *ret)
{
	uint64_t out = 0, in = 0;
	bool over = false;

	*ret = PUMP_READ;
	for (int idle = 0; idle < 2000 && !over;) {
		size_t wrote = out < size ? write_some(l->client[0], out, size) : 0, read;

		out += wrote;
		if (out == size)
			shutdown(l->client[0], SHUT_WR);
		if (*ret != PUMP_SPENT && *ret != PUMP_BROKEN)
			*ret = pump_run(&l->pump);
		read = read_some(l->server[1], in, &over);
		in += read;
		idle = wrote || read ? 0 : idle + 1;
		if (idle)
			poll(NULL, 0, 1);
	}
	return in;
}

static void test_sizes(void)
{
	static const uint64_t sizes[] = {0, 1, 1000, 65536, 65537, 300000, 5000000, 40000000};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		enum pump_state state;
		struct line l;

		test_row("%llu bytes", (unsigned long long)sizes[i]);
		line_open(&l, PUMP_UNLIMITED);
		check_u64(carry(&l, sizes[i], &state), sizes[i]);
		check_int(state, PUMP_ENDED);
		check_u64(l.pump.moved, sizes[i]);
		check(sizes[i] < 1000000 || l.pump.pipe[0] >= 0);
		line_close(&l);
	}
}

static void test_allowed(void)
{
	static const struct {
		uint64_t allowed, size;
	} rows[] = {{0, 10}, {1, 10}, {10, 10}, {65536, 65537}, {1000000, 3000000},
		{1000000, 1000000}, {0, 0}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool more = rows[i].size > rows[i].allowed;
		enum pump_state state;
		struct line l;

		test_row("%zu", i);
		line_open(&l, rows[i].allowed);
		check_u64(carry(&l, rows[i].size, &state), more ? rows[i].allowed : rows[i].size);
		check_int(state, more ? PUMP_SPENT : PUMP_ENDED);
		check_u64(l.pump.moved, more ? rows[i].allowed : rows[i].size);
		line_close(&l);
	}
}

/* Who reads nothing is waited for; little of what was written is ours meanwhile. */
static void test_no_reader(void)
{
	struct line l;
	uint64_t out = 0;
	enum pump_state state = PUMP_READ;

	line_open(&l, PUMP_UNLIMITED);
	for (int i = 0; i < 300; i++) {
		out += write_some(l.client[0], out, UINT64_MAX);
		state = pump_run(&l.pump);
		poll(NULL, 0, 1);
	}
	check_int(state, PUMP_WRITE);
	check(l.pump.rest_size - l.pump.rest_at + l.pump.piped <= 512 << 10);
	line_close(&l);
}

static void test_gone(void)
{
	enum pump_state state = PUMP_READ;
	struct linger now = {.l_onoff = 1};
	struct line l;

	test_row("who writes");
	line_open(&l, PUMP_UNLIMITED);
	check(write_some(l.client[0], 0, 100) == 100);
	check_int(pump_run(&l.pump), PUMP_READ);
	setsockopt(l.client[0], SOL_SOCKET, SO_LINGER, &now, sizeof now);
	close(l.client[0]);
	for (int i = 0; i < 100 && state == PUMP_READ; i++, poll(NULL, 0, 1))
		state = pump_run(&l.pump);
	check_int(state, PUMP_BROKEN);
	l.client[0] = -1;
	line_close(&l);
	test_row("who reads");
	line_open(&l, PUMP_UNLIMITED);
	setsockopt(l.server[1], SOL_SOCKET, SO_LINGER, &now, sizeof now);
	close(l.server[1]);
	l.server[1] = -1;
	state = PUMP_READ;
	for (int i = 0; i < 100 && state == PUMP_READ; i++, poll(NULL, 0, 1)) {
		write_some(l.client[0], 0, 100);
		state = pump_run(&l.pump);
	}
	check_int(state, PUMP_BROKEN);
	line_close(&l);
}

static void test_put(void)
{
	enum pump_state state;
	struct line l;
	char data[6];

	line_open(&l, 10);
	check_int(pump_put(&l.pump, "hello ", 6), 0);
	check(send(l.client[0], "you", 3, 0) == 3);
	shutdown(l.client[0], SHUT_WR);
	poll(NULL, 0, 10);
	state = pump_run(&l.pump);
	check_int(state, PUMP_ENDED);
	check_u64(l.pump.moved, 9);
	poll(NULL, 0, 10);
	check(recv(l.server[1], data, sizeof data, 0) == 6 && memcmp(data, "hello ", 6) == 0);
	check_int(pump_put(&l.pump, "xy", 2), -EDQUOT);
	line_close(&l);
}

/* Sends that many bytes in pieces, and reads each before the next. */
static void talk(struct line *l, uint64_t *at, uint64_t size, uint64_t piece)
{
	for (uint64_t end = *at + size; *at < end;) {
		uint64_t wrote = write_some(l->client[0], *at, *at + piece), in = 0;
		bool over = false;

		for (int i = 0; i < 2000 && in < wrote && !over; i++) {
			check_int(pump_run(&l->pump), PUMP_READ);
			in += read_some(l->server[1], *at + in, &over);
		}
		check_u64(in, wrote);
		*at += wrote;
		if (in == 0)
			return;
	}
}

static void test_pipe_back(void)
{
	uint64_t at = 0;
	struct line l;

	line_open(&l, PUMP_UNLIMITED);
	talk(&l, &at, 1000000, 40000);
	check(l.pump.pipe[0] >= 0);
	talk(&l, &at, 100 * 64, 64);
	check(l.pump.pipe[0] < 0);
	talk(&l, &at, 1000000, 40000);
	check(l.pump.pipe[0] >= 0);
	check_u64(l.pump.moved, at);
	line_close(&l);
}

static const struct test tests[] = {
	{"whatever the size, it arrives as it was, and its end", test_sizes},
	{"not a byte more than was allowed", test_allowed},
	{"a pipe is given back when there is little, and taken again", test_pipe_back},
	{"who does not read is waited for", test_no_reader},
	{"one of the two is gone", test_gone},
	{"what was read before comes first, and counts", test_put},
};

TEST_MAIN(tests)
