/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/server.h"

#include "base/cleanup.h"
#include "mcp/parts.h"
#include "mcp/wake.h"

#include <poll.h>

#define LOOK_MS 2000 /* how often an idle server looks at the configuration */
#define END_MS 10000 /* calls have so long to end with the server */

enum { AT_IN, AT_OUT, AT_SIGNAL, AT_CALLS };

static void take_line(struct server *s, const char *text, size_t len)
{
	struct arena a = {0};
	struct message m;

	message_read(&a, text, len, &m);
	methods_take(s, &a, len, &m);
	arena_free(&a); /* empty where a call has taken it */
}

/* All that has come; beyond a full queue it stays where it is. */
static void take_lines(struct server *s)
{
	const char *text = NULL;
	size_t len = 0;
	enum lines_kind line;

	while (!(s->held = rpc_is_full(&s->rpc)) &&
		(line = rpc_next(&s->rpc, &text, &len)) != LINES_NONE)
		if (line == LINES_WHOLE)
			take_line(s, text, len);
		else
			rpc_error(&s->rpc, "null", MESSAGE_INVALID,
				"the message is longer than 16 MiB");
}

static int poll_timeout(const struct server *s)
{
	int timeout = calls_timeout(s);

	if (s->closing)
		return timeout < 0 || timeout > 100 ? 100 : timeout;
	if (s->held && !rpc_is_full(&s->rpc))
		return 0;
	if (!s->initialised)
		return timeout;
	return timeout < 0 || timeout > LOOK_MS ? LOOK_MS : timeout;
}

/* Nothing is read, and no output of calls taken, while the client does not take ours. */
static size_t gather(struct server *s, int wake, struct pollfd *fds)
{
	bool full = rpc_is_full(&s->rpc);

	fds[AT_IN] = (struct pollfd){s->closing || full ? -1 : s->rpc.in, POLLIN, 0};
	fds[AT_OUT] = (struct pollfd){rpc_has_more(&s->rpc) ? s->rpc.out : -1, POLLOUT, 0};
	fds[AT_SIGNAL] = (struct pollfd){s->stopped ? -1 : wake, POLLIN, 0};
	return AT_CALLS + calls_poll(s, fds + AT_CALLS);
}

static void begin_end(struct server *s)
{
	if (s->closing)
		return;
	s->closing = true;
	calls_cancel(s, NULL);
}

static void look_at_policy(struct server *s, uint64_t *io_looked)
{
	struct err e = {0};

	if (!s->initialised || s->now_ms - *io_looked < LOOK_MS)
		return;
	*io_looked = s->now_ms;
	methods_refresh(s, &e);
}

/* One turn: waits, then does what there is to do. */
static void turn(struct server *s, int wake, uint64_t *io_looked)
{
	struct pollfd fds[AT_CALLS + SERVER_CALLS * JOB_POLL];
	size_t count = gather(s, wake, fds);
	int ready = poll(fds, count, poll_timeout(s));

	s->now_ms = wake_clock_ms();
	if (ready < 0)
		for (size_t i = 0; i < count; i++)
			fds[i].revents = 0;
	if (fds[AT_SIGNAL].revents)
		s->stopped = true;
	if (fds[AT_IN].revents)
		rpc_read(&s->rpc);
	if (!s->closing)
		take_lines(s);
	calls_step(s, fds + AT_CALLS);
	if (s->stopped || s->rpc.ended || s->rpc.deaf)
		begin_end(s);
	else
		look_at_policy(s, io_looked);
	calls_start(s);
	rpc_flush(&s->rpc);
}

int server_run(struct door *d, int in, int out, struct err *e)
{
	auto_(wake_close) int wake = wake_open(e);
	struct server s = {.door = d,
		.level = LOG_INFO,
		.now_ms = wake_clock_ms(),
		.serial = d->policy->serial};
	uint64_t looked = s.now_ms, ends = 0;

	if (wake < 0)
		return wake;
	s.last_at = &s.first;
	rpc_open(&s.rpc, in, out);
	while (!s.closing || (s.first && s.now_ms < ends)) {
		turn(&s, wake, &looked);
		if (s.closing && !ends)
			ends = s.now_ms + END_MS;
	}
	calls_drop(&s);
	rpc_close(&s.rpc);
	return 0;
}
