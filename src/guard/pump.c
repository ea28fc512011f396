/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/pump.h"

#include "base/cleanup.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BUFFER (64u << 10)
#define BULK (256u << 10) /* moved, from which on a pipe is worth it */
#define PIPE (512u << 10) /* asked for */
#define PIPE_MIN \
	(128u << 10) /* a user has pages for so many pipes; smaller ones are slower than a copy */
#define PIPES 128    /* in use at the same time, in this process */
#define LITTLE (4u << 10) /* of one call: a copy is cheaper, and others need the pipe */
#define CALLS 8           /* with so little until it is given back */
#define TURN (2u << 20)   /* until others get theirs */

static char buffer[BUFFER]; /* between two calls nothing is in it */
static unsigned pipes;

void pump_init(struct pump *p, int from, int to, uint64_t allowed)
{
	*p = (struct pump){.from = from, .to = to, .pipe = {-1, -1}, .allowed = allowed};
}

static void drop_pipe(struct pump *p)
{
	if (p->pipe[0] < 0)
		return;
	close(p->pipe[0]);
	close(p->pipe[1]);
	p->pipe[0] = p->pipe[1] = -1;
	p->since = p->moved;
	pipes--;
}

void pump_free(struct pump *p)
{
	drop_pipe(p);
	free(p->rest);
	pump_init(p, -1, -1, 0);
	p->over = p->ended = true;
}

static void keep(struct pump *p, const char *data, size_t size)
{
	p->rest = mem_alloc(size);
	memcpy(p->rest, data, size);
	p->rest_size = size;
	p->rest_at = 0;
}

/* A pipe that is too small, or one too many, is none. */
static void take_pipe(struct pump *p)
{
	if (p->pipe[0] >= 0 || p->plain || p->moved - p->since < BULK || pipes >= PIPES ||
		pipe2(p->pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return;
	if (fcntl(p->pipe[1], F_SETPIPE_SZ, PIPE) >= (int)PIPE_MIN ||
		fcntl(p->pipe[1], F_GETPIPE_SZ) >= (int)PIPE_MIN) {
		pipes++;
		return;
	}
	close(p->pipe[0]);
	close(p->pipe[1]);
	p->pipe[0] = p->pipe[1] = -1;
	p->plain = true;
}

static size_t most(const struct pump *p, size_t size)
{
	return p->allowed < size ? (size_t)p->allowed : size;
}

static void count_in(struct pump *p, size_t size)
{
	if (p->allowed != PUMP_UNLIMITED)
		p->allowed -= size;
}

/* A conversation of small messages, which may have been a long one. */
static void judge_pipe(struct pump *p, uint64_t moved)
{
	if (p->pipe[0] < 0 || moved == 0)
		return;
	p->calls = moved < LITTLE ? p->calls + 1 : 0;
	if (p->calls < CALLS)
		return;
	p->calls = 0;
	drop_pipe(p);
}

/* 0: all of it is out. */
static int empty_rest(struct pump *p)
{
	while (p->rest) {
		ssize_t n = send(p->to, p->rest + p->rest_at, p->rest_size - p->rest_at,
			MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p->rest_at += (size_t)n;
		p->moved += (uint64_t)n;
		if (p->rest_at < p->rest_size)
			continue;
		free(p->rest);
		p->rest = NULL;
	}
	return 0;
}

static int empty_pipe(struct pump *p)
{
	while (p->piped > 0) {
		ssize_t n = splice(
			p->pipe[0], NULL, p->to, NULL, p->piped, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		p->piped -= (size_t)n;
		p->moved += (uint64_t)n;
	}
	return 0;
}

static ssize_t read_some(struct pump *p)
{
	ssize_t n;

	take_pipe(p);
	do
		n = p->pipe[0] >= 0 ? splice(p->from, NULL, p->pipe[1], NULL, most(p, PIPE),
					      SPLICE_F_MOVE | SPLICE_F_NONBLOCK)
				    : recv(p->from, buffer, most(p, BUFFER), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* Through memory: what the other side does not take at once is kept for it. */
static int hand_on(struct pump *p, const char *data, size_t size)
{
	ssize_t n = send(p->to, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return -errno;
	if (n < 0)
		n = 0;
	p->moved += (uint64_t)n;
	if ((size_t)n < size)
		keep(p, data + n, size - (size_t)n);
	return 0;
}

int pump_put(struct pump *p, const void *data, size_t size)
{
	if (p->rest || p->piped)
		return -EBUSY;
	if (size > p->allowed)
		return -EDQUOT;
	count_in(p, size);
	return size > 0 ? hand_on(p, data, size) : 0;
}

/* 0: go on; anything else: a state, which is then in *ret. */
static bool stops(int r, enum pump_state waits, enum pump_state *ret)
{
	if (r >= 0)
		return false;
	*ret = r == -EAGAIN ? waits : PUMP_BROKEN;
	return true;
}

/* All that was allowed has come: was it all that there is? */
static bool is_over(struct pump *p, enum pump_state *ret)
{
	char one;
	ssize_t n = recv(p->from, &one, 1, MSG_PEEK | MSG_DONTWAIT);

	p->over = n == 0;
	*ret = n > 0 ? PUMP_SPENT : errno == EAGAIN ? PUMP_READ : PUMP_BROKEN;
	return p->over;
}

enum pump_state pump_flush(struct pump *p)
{
	enum pump_state state;

	return stops(empty_rest(p), PUMP_WRITE, &state) || stops(empty_pipe(p), PUMP_WRITE, &state)
		       ? state
		       : PUMP_READ;
}

enum pump_state pump_run(struct pump *p)
{
	enum pump_state state;
	uint64_t turn = 0;

	for (;;) {
		ssize_t n;

		if (p->ended)
			return PUMP_ENDED;
		if (stops(empty_rest(p), PUMP_WRITE, &state) ||
			stops(empty_pipe(p), PUMP_WRITE, &state))
			return state;
		if (p->over) {
			p->ended = true;
			shutdown(p->to, SHUT_WR);
			continue;
		}
		if (p->allowed == 0) {
			if (!is_over(p, &state))
				return state;
			continue;
		}
		if (turn >= TURN)
			return PUMP_AGAIN;
		n = read_some(p);
		if (stops((int)n, PUMP_READ, &state)) {
			judge_pipe(p, turn);
			return state;
		}
		turn += (uint64_t)n;
		count_in(p, (size_t)n);
		if (n == 0)
			p->over = true;
		else if (p->pipe[0] >= 0)
			p->piped = (size_t)n;
		else if (hand_on(p, buffer, (size_t)n) < 0)
			return PUMP_BROKEN;
	}
}
