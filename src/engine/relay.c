/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/relay.h"

#include <errno.h>
#include <unistd.h>

#define CHUNK (64u << 10)

static void close_stream(struct relay *r, int stream)
{
	close(r->from[stream]);
	r->from[stream] = -1;
}

/* The caller may be slow, then the program waits too; it may be gone, then nobody does. */
static void write_out(struct relay *r, int fd, const char *data, size_t len)
{
	while (len > 0 && !r->caller_gone) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd p = {.fd = fd, .events = POLLOUT};

			poll(&p, 1, -1);
			continue;
		}
		if (n < 0 && errno != EINTR)
			r->caller_gone = true;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
}

static void take(struct relay *r, int stream, const char *data, size_t len)
{
	uint64_t left = r->limit > r->seen[stream] ? r->limit - r->seen[stream] : 0;
	size_t kept = len < left || r->mode == PLAN_TERMINAL ? len : (size_t)left;

	r->seen[stream] += len;
	r->dropped[stream] += len - kept;
	if (r->mode == PLAN_CAPTURE)
		buf_add(&r->keep[stream], data, kept);
	else
		write_out(r, stream == RELAY_ERR ? STDERR_FILENO : STDOUT_FILENO, data, kept);
}

bool relay_pump(struct relay *r, int stream)
{
	static char chunk[CHUNK];
	ssize_t n;

	if (r->from[stream] < 0)
		return false;
	n = read(r->from[stream], chunk, sizeof chunk);
	if (n > 0) {
		take(r, stream, chunk, (size_t)n);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_stream(r, stream);
	return false;
}

void relay_drain(struct relay *r)
{
	for (int stream = 0; stream < RELAY_STREAMS; stream++)
		while (relay_pump(r, stream))
			;
}
