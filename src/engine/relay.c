/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/*
 * A terminal says that there is room when one byte fits, and then waits for the rest: it is opened
 * once more, so as not to wait. The caller's own descriptor is shared and stays as it is.
 */
static int caller(int stream)
{
	int fd = stream == RELAY_ERR ? STDERR_FILENO : STDOUT_FILENO, own;
	char path[32];

	if (!isatty(fd))
		return fd;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	own = openat(AT_FDCWD, path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return own < 0 ? fd : own;
}

void relay_init(struct relay *r, enum plan_output mode, uint64_t limit, struct buf *keep)
{
	static char chunks[RELAY_STREAMS][RELAY_CHUNK];
	bool passes = mode == PLAN_RELAY || mode == PLAN_TERMINAL;

	*r = (struct relay){.mode = mode, .limit = limit, .keep = keep};
	for (int i = 0; i < RELAY_STREAMS; i++)
		r->stream[i] = (struct relay_stream){
			.from = -1, .to = passes ? caller(i) : -1, .chunk = chunks[i]};
}

struct pollfd relay_wait(const struct relay *r, int stream)
{
	if (r->stream[stream].len > 0)
		return (struct pollfd){.fd = r->stream[stream].to, .events = POLLOUT};
	return (struct pollfd){.fd = r->stream[stream].from, .events = POLLIN};
}

static void close_stream(struct relay_stream *s)
{
	close(s->from);
	s->from = -1;
}

void relay_close(struct relay *r)
{
	for (int i = 0; i < RELAY_STREAMS; i++) {
		if (r->stream[i].from >= 0)
			close_stream(&r->stream[i]);
		if (r->stream[i].to > STDERR_FILENO)
			close(r->stream[i].to);
	}
}

bool relay_drop(struct relay *r)
{
	bool some = false;

	for (int i = 0; i < RELAY_STREAMS; i++) {
		struct relay_stream *s = &r->stream[i];
		uint64_t before = s->dropped;
		ssize_t n;

		s->dropped += s->len;
		s->len = 0;
		while (s->from >= 0 && (n = read(s->from, s->chunk, RELAY_CHUNK)) > 0)
			s->dropped += (uint64_t)n;
		some |= s->dropped > before;
	}
	return some;
}

/* Nobody reads any more. The program learns it as it would from a pipe. */
static void caller_gone(struct relay_stream *s)
{
	s->len = 0;
	if (s->from >= 0)
		close_stream(s);
}

/* In portions that a pipe which has room at all takes at once. */
static void write_out(struct relay_stream *s)
{
	while (s->len > 0) {
		struct pollfd p = {.fd = s->to, .events = POLLOUT};
		ssize_t n;

		if (poll(&p, 1, 0) <= 0)
			return;
		n = write(s->to, s->chunk + s->start, s->len < PIPE_BUF ? s->len : PIPE_BUF);
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
	write_out(s);
}

bool relay_pump(struct relay *r, int stream)
{
	struct relay_stream *s = &r->stream[stream];
	ssize_t n;

	if (s->len > 0) {
		write_out(s);
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
