/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/wrap.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "mcp/filter.h"
#include "mcp/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 5000 /* for a server to end: by itself, then after SIGTERM */
#define LOOK_MS 2000     /* how often an idle one looks at the configuration */

enum { AT_CLIENT_IN, AT_CLIENT_OUT, AT_SERVER_IN, AT_SERVER_OUT, AT_CHILD, AT_SIGNAL, AT_COUNT };

struct wrap {
	struct filter filter;
	struct rpc client, server;
	pid_t pid;
	int child; /* descriptor of that process */
	bool asked, gone;
	int urged;         /* how often it was told to end */
	uint64_t asked_ms; /* since when it has to end */
	uint64_t due_ms;   /* when it is told the next time */
};

bool wrap_is_name(const char *name)
{
	return str_is_name(name) && !strstr(name, "__") && name[strlen(name) - 1] != '_' &&
	       name[0] != '_';
}

/* The child; never returns. It must not outlive this process, whatever becomes of that. */
static _Noreturn void become_server(const struct wrap_request *q, const int fds[4], pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent || dup2(fds[0], 0) < 0 ||
		dup2(fds[3], 1) < 0)
		_exit(125);
	for (int i = 0; i < 4; i++)
		if (fds[i] > 2)
			close(fds[i]);
	_exit(q->run(q->ctx));
}

/* fds: what the server reads, our end of it, our end of what it writes, its own. */
static int start(const struct wrap_request *q, struct wrap *w, struct err *e)
{
	int fds[4], r = 0;
	pid_t parent = getpid();

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, -errno, "make a pipe");
	if (pipe2(fds + 2, O_CLOEXEC) < 0) {
		r = err_sys(e, -errno, "make a pipe");
		close(fds[0]);
		close(fds[1]);
		return r;
	}
	w->pid = fork();
	if (w->pid == 0)
		become_server(q, fds, parent);
	if (w->pid < 0)
		r = err_sys(e, -errno, "start a process");
	close(fds[0]);
	close(fds[3]);
	rpc_open(&w->server, fds[2], fds[1]);
	if (r < 0)
		return r;
	w->child = (int)syscall(SYS_pidfd_open, w->pid, 0);
	return w->child < 0 ? err_sys(e, -errno, "watch a process") : 0;
}

/* All lines of one side through the filter, as far as the other side takes them. */
static void carry(struct wrap *w, struct rpc *from, struct rpc *to,
	void (*take)(struct filter *f, const char *text, size_t len))
{
	const char *text = NULL;
	size_t len = 0;
	enum lines_kind kind;

	/* What is refused is answered to the client, which may not read. */
	while (!rpc_is_full(to) && !rpc_is_full(&w->client) &&
		(kind = rpc_next(from, &text, &len)) != LINES_NONE)
		if (kind == LINES_WHOLE)
			take(&w->filter, text, len);
		else if (from == &w->client)
			rpc_error(&w->client, "null", MESSAGE_INVALID,
				"the message is longer than 16 MiB");
}

/* The client has gone, or we are to end: its input ends first, then it is told, then killed. What
 * is still to be read by it does not keep us for ever. */
static void urge(struct wrap *w, uint64_t now)
{
	if (!w->asked || now < w->due_ms ||
		(w->urged == 0 && rpc_has_more(&w->server) && now < w->asked_ms + PATIENCE_MS))
		return;
	if (w->urged == 0)
		close(take_fd(&w->server.out));
	else
		syscall(SYS_pidfd_send_signal, w->child, w->urged == 1 ? SIGTERM : SIGKILL, NULL,
			0);
	w->urged++;
	w->due_ms = now + PATIENCE_MS;
}

static struct pollfd wait_for(int fd, short events, bool wanted)
{
	return (struct pollfd){wanted ? fd : -1, events, 0};
}

static void turn(struct wrap *w, int wake)
{
	struct pollfd fds[AT_COUNT] = {
		[AT_CLIENT_IN] = wait_for(w->client.in, POLLIN,
			!w->asked && !rpc_is_full(&w->server) && !rpc_is_full(&w->client)),
		[AT_CLIENT_OUT] = wait_for(w->client.out, POLLOUT, rpc_has_more(&w->client)),
		[AT_SERVER_IN] = wait_for(w->server.out, POLLOUT, rpc_has_more(&w->server)),
		[AT_SERVER_OUT] = wait_for(
			w->server.in, POLLIN, !w->server.ended && !rpc_is_full(&w->client)),
		/* Not before its last words are read: it stays ready, and we would spin. */
		[AT_CHILD] = wait_for(w->child, POLLIN, w->server.ended || w->asked),
		[AT_SIGNAL] = wait_for(wake, POLLIN, !w->asked),
	};
	struct err e = {0};
	int ready = poll(fds, AT_COUNT, w->asked ? 100 : LOOK_MS);

	if (ready < 0)
		return;
	if (ready == 0 && !w->asked)
		filter_refresh(&w->filter, &e);
	if (fds[AT_CLIENT_IN].revents)
		rpc_read(&w->client);
	if (fds[AT_SERVER_OUT].revents)
		rpc_read(&w->server);
	carry(w, &w->client, &w->server, filter_from_client);
	carry(w, &w->server, &w->client, filter_from_server);
	if (w->server.out >= 0)
		rpc_flush(&w->server);
	rpc_flush(&w->client);
	/* A server that says nothing more is of no use. */
	if (!w->asked &&
		(w->client.ended || w->client.deaf || w->server.ended || fds[AT_SIGNAL].revents)) {
		w->asked = true;
		w->asked_ms = wake_clock_ms();
	}
	urge(w, wake_clock_ms());
	/* What it has written before it ended still counts. */
	w->gone = fds[AT_CHILD].revents && !fds[AT_SERVER_OUT].revents &&
		  (w->server.ended || w->asked);
}

static int reap(struct wrap *w, struct err *e)
{
	int status = 0;

	while (waitpid(w->pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, -errno, "wait for the server");
	filter_end(&w->filter, "the server has ended");
	rpc_flush(&w->client);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Not by rpc_close(): nobody reads there any more. */
static void release(struct wrap *w)
{
	cleanup_fd(&w->child);
	cleanup_fd(&w->server.in);
	cleanup_fd(&w->server.out);
	lines_free(&w->server.lines);
	buf_free(&w->server.queue);
}

int wrap_run(const struct wrap_request *q, struct err *e)
{
	auto_(release) struct wrap w = {.child = -1, .server = {.in = -1, .out = -1}};
	auto_(wake_close) int wake = -1;
	int r = start(q, &w, e);

	if (r < 0)
		return r;
	wake = wake_open(e);
	if (wake < 0)
		return wake;
	rpc_open(&w.client, q->client_in, q->client_out);
	w.filter = (struct filter){
		.door = q->door, .server = q->name, .client = &w.client, .inner = &w.server};
	while (!w.gone)
		turn(&w, wake);
	r = reap(&w, e);
	rpc_close(&w.client);
	return r;
}
