/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Process 1 of a sandbox: carries out the steps inside, starts the program, serves the system calls
 * that its filter hands over, reaps whatever is left to it, and says how the program ended. When
 * the program ends, everything else in the sandbox is killed and reaped before that is said: what
 * the caller sees as the end is the end.
 */

#include "engine/init.h"

#include "base/cleanup.h"
#include "engine/stage.h"
#include "engine/wire.h"
#include "sys/caps.h"
#include "sys/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

struct init {
	struct stage *stage;
	int signals; /* signalfd of SIGCHLD */
	bool ended;  /* the program has */
	int status;
};

_Noreturn void init_give_up(struct stage *s, const struct err *e)
{
	struct wire m = {.kind = WIRE_FAILED, .error = *e};

	wire_send(s->control, true, &m, NULL);
	_exit(1);
}

static void say(struct init *in, uint32_t kind, int number)
{
	struct wire m = {.kind = kind, .number = number};

	wire_send(in->stage->control, true, &m, NULL);
}

static uint64_t in_us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

/* Kills and reaps all that the program left behind. */
static void clear_stragglers(void)
{
	bool some = false;
	int status;

	for (;;) {
		pid_t pid = waitpid(-1, &status, some ? 0 : WNOHANG);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return;
		if (pid == 0) {
			kill(-1, SIGKILL);
			some = true;
		}
	}
}

/* Names that are the same as far as they fit are one. */
static void add_refused(struct result_report *to, const char *path, uint32_t count)
{
	for (size_t i = 0; i < RESULT_REFUSED; i++) {
		struct result_refused *row = &to->refused[i];

		if (row->count == 0)
			snprintf(row->path, sizeof row->path, "%s", path);
		else if (strncmp(row->path, path, sizeof row->path - 1) != 0)
			continue;
		row->count += count;
		return;
	}
}

void init_take_report(const struct broker_report *from, struct result_report *to)
{
	to->denied_more = (uint32_t)from->denied_total;
	for (size_t i = 0; i < from->denied_count && i < RESULT_DENIED; i++) {
		to->denied[i] =
			(struct result_denied){from->denied[i].nr, (uint32_t)from->denied[i].count};
		to->denied_more -= to->denied[i].count;
	}
	for (size_t i = 0; i < from->refused_count; i++)
		add_refused(to, from->refused[i].path, (uint32_t)from->refused[i].count);
	for (size_t i = 0; i < from->risk_count && i < RESULT_RISKS; i++)
		snprintf(to->risks[i].path, sizeof to->risks[i].path, "%s", from->risks[i]);
	to->risks_more = (uint32_t)from->risks_left_out;
	to->refused_more = (uint32_t)(from->refused_total);
	for (size_t i = 0; i < RESULT_REFUSED; i++)
		to->refused_more -= to->refused[i].count;
}

static _Noreturn void report_end(struct init *in)
{
	struct stage *s = in->stage;
	struct rusage u = {0};
	struct wire m = {.kind = WIRE_ENDED};

	clear_stragglers();
	getrusage(RUSAGE_CHILDREN, &u);
	m.end.status = in->status;
	m.end.start_error = s->start_error;
	m.end.user_us = in_us(&u.ru_utime);
	m.end.system_us = in_us(&u.ru_stime);
	m.end.largest = (uint64_t)u.ru_maxrss << 10;
	m.end.read_bytes = (uint64_t)u.ru_inblock << 9;
	m.end.written_bytes = (uint64_t)u.ru_oublock << 9;
	init_take_report(&s->broker.report, &m.end.report);
	wire_send(s->control, true, &m, NULL);
	_exit(0);
}

/* Everything that has ended or, on a terminal, was stopped. */
static void reap(struct init *in)
{
	int status, stopped = in->stage->terminal >= 0 ? WUNTRACED : 0;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | stopped)) > 0) {
		if (pid != in->stage->program)
			continue;
		if (WIFSTOPPED(status)) {
			say(in, WIRE_PAUSED, WSTOPSIG(status));
			continue;
		}
		in->ended = true;
		in->status = status;
	}
}

static void obey(struct init *in)
{
	struct wire m;
	int r = wire_receive(in->stage->control, false, &m, NULL);

	if (r == -EAGAIN)
		return;
	if (r < 0)
		_exit(1); /* no supervisor, no sandbox */
	if (m.kind == WIRE_SIGNAL && !in->ended)
		kill(-in->stage->program, m.number);
	else if (m.kind == WIRE_ALL)
		kill(-1, m.number);
}

static void clear_signals(int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) > 0)
		;
}

/* A negative descriptor is not looked at: the listener's, once nobody is left under the filter. */
static void serve(struct init *in)
{
	struct pollfd fds[] = {
		{.fd = in->signals, .events = POLLIN},
		{.fd = in->stage->control, .events = POLLIN},
		{.fd = in->stage->listener, .events = POLLIN},
	};
	bool settled = false;

	while (!in->ended) {
		int n = poll(fds, ARRAY_LEN(fds), settled ? -1 : MEMORY_SETTLE_MS);

		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n == 0) {
			memory_settle();
			settled = true;
		}
		if (fds[2].revents & POLLIN)
			broker_serve(&in->stage->broker, in->stage->listener);
		else if (fds[2].revents)
			fds[2].fd = -1;
		if (fds[1].revents)
			obey(in);
		if (fds[0].revents) {
			clear_signals(in->signals);
			reap(in);
		}
	}
}

void init_leave_streams(const struct stage *s)
{
	const int ends[] = {0, 1, 2, s->output[0], s->output[1], s->error[0], s->error[1]};

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

int init_broker(struct stage *s, struct err *e)
{
	const struct plan *p = s->plan;
	struct broker_spec spec = {
		.root = PLAN_WORKSPACE,
		.host_root = p->workspace_path,
		.protect = p->protect,
		.protect_count = p->workspace == WORKSPACE_COW ? 0 : p->protect_count,
		.hide = p->hide,
		.hide_count = p->hide_count,
		/* Hidden names may be executed but not opened, which Landlock cannot tell apart:
		 * there it does not hold the program back, and init opens everything itself. */
		.floor = p->landlock && p->hide_count == 0,
		.floor_truncates = p->landlock_abi >= 3,
	};
	int r;

	if (p->living)
		init_live_spec(&spec);
	r = broker_init(&s->broker, &spec);

	return r < 0 ? err_sys(e, r, "listen to the filter on system calls") : 0;
}

_Noreturn void init_main(struct stage *s)
{
	struct init in = {.stage = s, .signals = -1};
	struct err e = {0};
	sigset_t child, all;

	/* Nothing that is sent to init matters, and taking a terminal must not stop it. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	close(s->control);
	for (size_t i = 0; i < ARRAY_LEN(s->host_only); i++)
		cleanup_fd(&s->host_only[i]);
	s->control = s->peer;
	s->peer = -1;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (steps_run(s, STEP_INIT, &e) < 0)
		init_give_up(s, &e);
	if (!s->blank && init_broker(s, &e) < 0)
		init_give_up(s, &e);
	if (s->plan->living)
		init_live(s);
	in.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (in.signals < 0) {
		err_sys(&e, -errno, "watch for the end of processes");
		init_give_up(s, &e);
	}
	if (program_start(s, &e) < 0)
		init_give_up(s, &e);
	/* All that init still needs: to look into the memory of programs that do not show it. */
	if (caps_keep(1ull << CAP_SYS_PTRACE) < 0)
		_exit(1);
	init_leave_streams(s);
	reap(&in);
	serve(&in);
	report_end(&in);
}
