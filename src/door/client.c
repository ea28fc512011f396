/* SPDX-License-Identifier: Apache-2.0 */
#include "door/client.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "door/parcel.h"
#include "engine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>

static struct post message; /* large */

void client_line_close(struct client_line *l)
{
	cleanup_fd(&l->sandbox);
	cleanup_fd(&l->waiting);
	*l = (struct client_line){-1, -1};
}

static int32_t window(void)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};

	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	return (int32_t)((uint32_t)size.ws_row << 16 | size.ws_col);
}

static bool has_caps(const struct client *c)
{
	return c->caps.memory || c->caps.pids || c->caps.cpu_ms;
}

/* The supervisor only needs to know what the command is called: folder and program. */
static int32_t head_size(const struct post_exec *x)
{
	size_t folder = strlen(x->text) + 1;

	return x->command.flags & SLOT_LONG ? 0 : (int32_t)(folder + strlen(x->text + folder) + 1);
}

/*
 * By the process that waits for it. Whatever was sent to that one begins, and the supervisor has
 * been told before; what could not be sent was not begun: 1.
 */
static int begin_at_once(struct client *c, const struct packet_fds *fds, struct err *e)
{
	auto_fd int waiting = take_fd(&c->line->waiting);
	const struct post_exec *x = &message.exec;
	size_t text = x->command.flags & SLOT_LONG ? 0 : x->command.size;
	int r = 0;

	for (int i = 0; i < 3 && r == 0; i++)
		r = confine_check_stream(fds->fd[i], i, e);
	if (r < 0)
		return r;
	message.kind = POST_BEGUN;
	message.number = head_size(x);
	r = post_send(c->sandbox, true, &message, NULL);
	if (r == 0)
		r = packet_send(waiting, true, &x->command, sizeof x->command + text, fds);
	if (r == -ECONNRESET || r == -EPIPE)
		return 1;
	return r < 0 ? err_sys(e, r, "speak to the sandbox") : 0;
}

static int request(struct client *c, const int streams[3], struct err *e)
{
	bool terminal = c->plan->output == PLAN_TERMINAL;
	struct packet_fds fds = {
		.fd = {streams[0], streams[1], streams[2]}, .count = terminal ? 0 : 3};
	auto_fd int file = -1;
	struct post_exec *x = &message.exec;
	int r;

	memset(&message, 0, offsetof(struct post, exec.text));
	message.version = POST_VERSION;
	message.kind = POST_EXEC;
	memcpy(x->config, c->config, sizeof x->config);
	x->timeout = c->plan->timeout;
	x->kill_grace = c->plan->kill_grace;
	x->keep = c->line != NULL;
	x->caps = c->caps;
	x->begin = c->begin;
	if (c->who && strlen(c->who) < sizeof x->who)
		memcpy(x->who, c->who, strlen(c->who));
	x->ring = c->background ? c->plan->output_limit : 0;
	if (terminal) {
		x->command.flags = SLOT_TERMINAL;
		x->command.window = window();
	}
	r = parcel_put(c->plan, x, &fds, &file, e);
	if (r < 0)
		return r;
	/* What runs in the background writes to the supervisor, and gets its number from it. */
	if (c->line && c->line->waiting >= 0 && !terminal && !c->background && !has_caps(c))
		return begin_at_once(c, &fds, e);
	r = post_send(c->sandbox, true, &message, &fds);
	/* It was killed, or has ended since the last command: this one did not reach it. */
	if (r == -ECONNRESET || (r == -EPIPE && c->line))
		return 1;
	/* It may have said why it does not listen. */
	return r < 0 && r != -EPIPE ? err_sys(e, r, "speak to the sandbox") : 0;
}

static void take_end(struct client *c, const struct post_end *end, struct arena *a)
{
	struct result *r = c->result;

	r->exit_code = end->exit_code;
	r->signal = end->signal;
	r->reason = end->reason >= 0 && end->reason < END_COUNT ? (enum end_reason)end->reason
								: END_INTERNAL;
	r->start_error = end->start_error;
	memcpy(r->hits, end->hits, sizeof r->hits);
	r->hits[HIT_BUDGET] += c->spent;
	r->usage = end->usage;
	r->report = end->report;
	result_report_close(&r->report);
	for (int i = 0; i < LAYER_COUNT; i++)
		r->enforced[i] =
			arena_text(a, end->enforced[i], strnlen(end->enforced[i], POST_WORD));
	c->lost = end->lost;
	c->ended = true;
}

static void tell(struct client *c, enum post_kind kind, int number)
{
	post_send(c->sandbox, true, post_new(kind, number), NULL);
}

/* 1: not by this sandbox, which is being stopped or has to be; the next one is asked. */
static int take_message(struct client *c, struct arena *a, struct err *e)
{
	auto_(packet_close) struct packet_fds fds = {.count = 0};
	int r = post_receive(c->sandbox, true, &message, &fds);

	if (r == -ECONNRESET)
		return err_set(e, ESHUTDOWN,
			"the sandbox's supervisor died: what became of the command is not known");
	if (r == -EPROTONOSUPPORT) { /* and does not understand us either: nothing was run */
		c->older = true;
		return 1;
	}
	if (r < 0)
		return err_sys(e, r, "listen to the sandbox");
	switch (message.kind) {
	case POST_ENDED:
		take_end(c, &message.end, a);
		if (c->line && fds.count == 1) {
			fds.count = 0;
			cleanup_fd(&c->line->waiting);
			c->line->waiting = fds.fd[0];
		}
		return 0;
	case POST_NETWORK:
		c->result->network = message.network;
		result_network_close(&c->result->network);
		c->spent = message.network.spent;
		return 0;
	case POST_STARTED:
		c->process = message.number;
		c->ended = true;
		return 0;
	case POST_TERMINAL:
		if (fds.count == 1 && c->terminal.master < 0) {
			fds.count = 0;
			terminal_attach(&c->terminal, fds.fd[0]);
			c->relay.stream[RELAY_OUT].from =
				fcntl(c->terminal.master, F_DUPFD_CLOEXEC, 0);
		}
		return 0;
	case POST_PAUSED:
		if (c->terminal.master < 0)
			return 0;
		terminal_suspend(&c->terminal);
		tell(c, POST_SIGNAL, SIGCONT);
		return 0;
	case POST_CHANGED:
		c->changed = true;
		return 1;
	case POST_FAILED:
		*e = message.error;
		e->text[sizeof e->text - 1] = '\0';
		return e->code == ESHUTDOWN ? 1 : -(e->code ? e->code : EIO);
	default:
		return err_set(e, EPROTO, "the sandbox answers something else");
	}
}

/* With a terminal it is enough to stop the program: the sandbox says so, and the rest follows. */
static void pass_signal(struct client *c, int number)
{
	switch (number) {
	case SIGCHLD:
		break;
	case SIGWINCH:
		terminal_resize(&c->terminal);
		break;
	case SIGTSTP:
		tell(c, POST_SIGNAL, SIGSTOP);
		if (c->terminal.master >= 0)
			break;
		terminal_stop();
		tell(c, POST_SIGNAL, SIGCONT);
		break;
	default:
		tell(c, POST_SIGNAL, number);
		c->signalled = true;
	}
}

static void pass_signals(struct client *c)
{
	struct signalfd_siginfo info;

	while (read(c->signals, &info, sizeof info) == sizeof info)
		pass_signal(c, (int)info.ssi_signo);
}

void client_poll(const struct client *c, struct pollfd fds[CLIENT_POLL])
{
	const struct pollfd now[CLIENT_POLL] = {
		{.fd = c->ended ? -1 : c->sandbox, .events = POLLIN},
		{.fd = c->signals, .events = POLLIN},
		relay_wait(&c->relay, RELAY_OUT),
		relay_wait(&c->relay, RELAY_ERR),
		terminal_wait(&c->terminal),
	};

	memcpy(fds, now, sizeof now);
}

int client_step(
	struct client *c, const struct pollfd fds[CLIENT_POLL], struct arena *a, struct err *e)
{
	for (int i = 0; i < RELAY_STREAMS; i++)
		if (fds[2 + i].revents)
			relay_pump(&c->relay, i);
	if (fds[4].revents)
		terminal_input(&c->terminal);
	if (fds[1].revents)
		pass_signals(c);
	return fds[0].revents ? take_message(c, a, e) : 0;
}

bool client_is_done(const struct client *c)
{
	return c->ended && c->relay.stream[RELAY_OUT].from < 0 &&
	       c->relay.stream[RELAY_ERR].from < 0;
}

static int wait_for_end(struct client *c, struct arena *a, struct err *e)
{
	int r = 0;

	while (r == 0 && !client_is_done(c)) {
		struct pollfd fds[CLIENT_POLL];

		client_poll(c, fds);
		if (poll(fds, CLIENT_POLL, -1) < 0 && errno != EINTR)
			return err_sys(e, -errno, "wait for the command");
		r = client_step(c, fds, a, e);
	}
	return r;
}

static int open_pipes(struct client *c, int streams[3], struct err *e)
{
	for (int i = 0; i < RELAY_STREAMS; i++) {
		int pipe[2];

		if (pipe2(pipe, O_CLOEXEC) < 0)
			return err_sys(e, -errno, "make pipes");
		c->relay.stream[i].from = pipe[0];
		streams[i + 1] = pipe[1];
		fcntl(pipe[0], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

int client_begin(struct client *c, struct err *e)
{
	int streams[3] = {c->input, 1, 2}, r = 0;
	bool piped = !c->background &&
		     (c->plan->output == PLAN_RELAY || c->plan->output == PLAN_CAPTURE);

	for (int i = 0; i < RELAY_STREAMS; i++) {
		buf_free(&c->result->output[i]);
		c->result->output[i] = BUF(c->plan->output_limit);
	}
	relay_init(&c->relay, c->plan->output, c->plan->output_limit, c->result->output);
	if (piped)
		r = open_pipes(c, streams, e);
	if (r == 0)
		r = request(c, streams, e);
	for (int i = 1; i < 3; i++)
		if (streams[i] > STDERR_FILENO)
			close(streams[i]);
	return r;
}

void client_close(struct client *c)
{
	for (int i = 0; i < RELAY_STREAMS; i++) {
		c->result->usage.output_bytes[i] = c->relay.stream[i].seen;
		c->result->dropped[i] = c->relay.stream[i].dropped;
		c->result->hits[HIT_OUTPUT] += c->result->dropped[i] > 0;
	}
	relay_close(&c->relay);
	terminal_restore(&c->terminal);
	terminal_hang_up(&c->terminal);
}

int client_carry_out(struct client *c, struct arena *a, struct err *e)
{
	int r = client_begin(c, e);

	if (r == 0)
		r = wait_for_end(c, a, e);
	client_close(c);
	return r;
}
