/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/relay.h"

#include "base/macro.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

void relay_init(struct relay *r, enum plan_output mode, uint64_t limit, struct buf *keep)
{
	static char chunks[RELAY_STREAMS][RELAY_CHUNK];

	*r = (struct relay){.mode = mode, .limit = limit, .keep = keep};
	for (int i = 0; i < RELAY_STREAMS; i++)
		r->stream[i] = (struct relay_stream){.from = -1, .chunk = chunks[i]};
}

static int caller_fd(int stream)
{
	return stream == RELAY_ERR ? STDERR_FILENO : STDOUT_FILENO;
}

struct pollfd relay_wait(const struct relay *r, int stream)
{
	if (r->stream[stream].len > 0)
		return (struct pollfd){.fd = caller_fd(stream), .events = POLLOUT};
	return (struct pollfd){.fd = r->stream[stream].from, .events = POLLIN};
}

static void close_stream(struct relay_stream *s)
{
	close(s->from);
	s->from = -1;
}

/* Nobody reads any more. The program learns it as it would from a pipe. */
static void caller_gone(struct relay_stream *s)
{
	s->len = 0;
	if (s->from >= 0)
		close_stream(s);
}

/* In portions that a pipe which has room at all takes at once. */
static void write_out(struct relay_stream *s, int fd)
{
	while (s->len > 0) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		ssize_t n;

		if (poll(&p, 1, 0) <= 0)
			return;
		n = write(fd, s->chunk + s->start, s->len < PIPE_BUF ? s->len : PIPE_BUF);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0) {
			caller_gone(s);
			return;
		}
		s->start += (size_t)n;
		s->len -= (size_t)n;
	}
}

static void take(struct relay *r, int stream, size_t len)
{
	struct relay_stream *s = &r->stream[stream];
	uint64_t left = r->limit > s->seen ? r->limit - s->seen : 0;
	size_t kept = len < left || r->mode == PLAN_TERMINAL ? len : (size_t)left;

	s->seen += len;
	s->dropped += len - kept;
	if (r->mode == PLAN_CAPTURE) {
		buf_add(&r->keep[stream], s->chunk, kept);
		return;
	}
	s->start = 0;
	s->len = kept;
	write_out(s, caller_fd(stream));
}

bool relay_pump(struct relay *r, int stream)
{
	struct relay_stream *s = &r->stream[stream];
	ssize_t n;

	if (s->len > 0) {
		write_out(s, caller_fd(stream));
		return false;
	}
	if (s->from < 0)
		return false;
	n = read(s->from, s->chunk, RELAY_CHUNK);
	if (n > 0) {
		take(r, stream, (size_t)n);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_stream(s);
	return false;
}
