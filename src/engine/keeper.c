/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/keeper.h"

#include "base/cleanup.h"
#include "engine/stage.h"
#include "engine/supervise.h"
#include "sys/process.h"
#include "sys/proctree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PROGRAM_MAX (1ull << 30) /* bytes that are hashed */
#define AGAIN_MS 20              /* between two attempts to end what is left */
#define ORPHANED_MS 5000         /* ... when there is nobody to tell any more */

struct keeper {
	const struct keeper_call *call;
	struct stage *stage;
	int signals;
	pid_t program;
	int status, start_error;
	bool ended;   /* the program has */
	bool killing; /* everything is to end at once */
	bool orphan;  /* the supervisor is gone */
};

int keeper_digest(int fd, uint8_t ret[SHA256_SIZE])
{
	static char block[64 << 10];
	struct sha256 s;
	off_t at = 0;
	ssize_t n;

	sha256_init(&s);
	while ((n = pread(fd, block, sizeof block, at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		sha256_add(&s, block, (size_t)n);
		at += n;
		if ((uint64_t)at > PROGRAM_MAX)
			return -EFBIG;
	}
	sha256_end(&s, ret);
	return 0;
}

/* As execvp does, with the PATH of the command's own environment. Returns only on failure. */
static int find_and_execute(const struct keeper_call *q)
{
	char path[4096];
	const char *list = "/usr/bin:/bin", *name = q->argv[0];
	int found = -ENOENT;

	if (strchr(name, '/')) {
		execve(name, (char *const *)q->argv, (char *const *)q->env);
		return -errno;
	}
	for (size_t i = 0; q->env[i]; i++)
		if (strncmp(q->env[i], "PATH=", 5) == 0)
			list = q->env[i] + 5;
	while (*name && *list) {
		size_t len = strcspn(list, ":");
		int n = snprintf(
			path, sizeof path, "%.*s%s%s", (int)len, list, len ? "/" : "./", name);

		if (n > 0 && (size_t)n < sizeof path) {
			execve(path, (char *const *)q->argv, (char *const *)q->env);
			if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
				return -errno;
			if (errno == EACCES)
				found = -EACCES;
		}
		list += len + (list[len] == ':');
	}
	return found;
}

static int execute(const struct keeper_call *q)
{
	if (q->program < 0)
		return find_and_execute(q);
	syscall(SYS_execveat, q->program, "", q->argv, q->env, AT_EMPTY_PATH);
	return -errno;
}

/* The caller's streams, or pipes; nothing else that was open. */
static int take_descriptors(const struct keeper *k)
{
	const struct keeper_call *q = k->call;

	if (k->stage->output[1] >= 0 && (dup2(k->stage->output[1], STDOUT_FILENO) < 0 ||
						dup2(k->stage->error[1], STDERR_FILENO) < 0))
		return -errno;
	if (syscall(SYS_close_range, 3u, ~0u, 4u /* on exec */) < 0)
		return -errno;
	if (q->script >= 0 && dup2(q->script, KEEPER_SCRIPT) < 0)
		return -errno;
	return 0;
}

/* The program's process until exec. */
static int be_program(const struct keeper *k)
{
	const struct keeper_call *q = k->call;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!k->stage->shared && setsid() < 0)
		return -errno;
	r = take_descriptors(k);
	if (r == 0 && q->cwd >= 0 && fchdir(q->cwd) < 0)
		r = -errno;
	if (r == 0 && q->digest && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		r = -errno;
	if (r < 0)
		return r;
	sigaction(SIGPIPE, &k->stage->caller_pipe, NULL);
	sigprocmask(SIG_SETMASK, &k->stage->caller_mask, NULL);
	return execute(q);
}

/*
 * It has the program in memory, which nobody can write any more, and has not begun. What was
 * written before is found now.
 */
static int check_bytes(struct keeper *k, struct err *e)
{
	uint8_t now[SHA256_SIZE];
	int r;

	if (waitpid(k->program, &k->status, 0) != k->program || !WIFSTOPPED(k->status))
		return err_set(e, ECHILD, "the program ended before it began");
	r = keeper_digest(k->call->program, now);
	if (r < 0)
		return err_sys(e, r, "read the program that was approved");
	if (memcmp(now, k->call->digest, sizeof now) != 0)
		return err_set(e, ESTALE,
			"the program was changed after it was approved: nothing was run");
	if (ptrace(PTRACE_DETACH, k->program, NULL, NULL) < 0)
		return err_sys(e, -errno, "let the program go on");
	return 0;
}

/* What exec says comes through a pipe that exec closes. */
static int start(struct keeper *k, struct err *e)
{
	int said[2], failed = 0;
	ssize_t n;

	if (pipe2(said, O_CLOEXEC) < 0)
		return err_sys(e, -errno, "make a pipe");
	k->program = fork();
	if (k->program == 0) {
		failed = be_program(k);
		(void)!write(said[1], &failed, sizeof failed);
		_exit(127);
	}
	close(said[1]);
	if (k->program < 0) {
		close(said[0]);
		return err_sys(e, -errno, "start a process");
	}
	do
		n = read(said[0], &failed, sizeof failed);
	while (n < 0 && errno == EINTR);
	close(said[0]);
	if (n == sizeof failed) {
		k->start_error = -failed;
		return 0;
	}
	return k->call->digest ? check_bytes(k, e) : 0;
}

static _Noreturn void say_failed(const struct keeper *k, const struct err *e)
{
	struct wire m = {.kind = WIRE_FAILED, .error = *e};

	if (k->program > 0)
		kill(k->program, SIGKILL);
	wire_send(k->stage->control, true, &m, NULL);
	_exit(1);
}

static uint64_t in_us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

static _Noreturn void say_ended(const struct keeper *k)
{
	struct wire m = {.kind = WIRE_ENDED};
	struct rusage u = {0};

	getrusage(RUSAGE_CHILDREN, &u);
	m.end.status = k->status;
	m.end.start_error = k->start_error;
	m.end.user_us = in_us(&u.ru_utime);
	m.end.system_us = in_us(&u.ru_stime);
	m.end.largest = (uint64_t)u.ru_maxrss << 10;
	m.end.read_bytes = (uint64_t)u.ru_inblock << 9;
	m.end.written_bytes = (uint64_t)u.ru_oublock << 9;
	wire_send(k->stage->control, true, &m, NULL);
	_exit(0);
}

/* False: nothing is left. */
static bool reap(struct keeper *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != k->program)
			continue;
		if (!WIFSTOPPED(status)) {
			k->ended = true;
			k->status = status;
		} else if (k->stage->shared && WSTOPSIG(status) != SIGSTOP) {
			struct wire m = {.kind = WIRE_PAUSED, .number = WSTOPSIG(status)};

			wire_send(k->stage->control, true, &m, NULL);
		}
	}
	return pid == 0;
}

static void obey(struct keeper *k)
{
	struct wire m;
	int r = wire_receive(k->stage->control, false, &m, NULL);

	if (r == -EAGAIN)
		return;
	if (r < 0) {
		k->killing = k->orphan = true;
		return;
	}
	if (m.kind == WIRE_ALL && m.number == SIGKILL)
		k->killing = true;
	else if (m.kind == WIRE_ALL)
		proctree_signal(getpid(), m.number);
	else if (m.kind == WIRE_SIGNAL && !k->ended)
		kill(k->stage->shared ? k->program : -k->program, m.number);
}

/* What is stopped starts nothing new, so that the next look finds the rest. */
static void kill_rest(void)
{
	for (int i = 0; i < 3; i++)
		if (proctree_signal(getpid(), SIGSTOP) <= 1)
			break;
	proctree_signal(getpid(), SIGKILL);
}

static void discard(int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof info) == sizeof info)
		;
}

static _Noreturn void keep(struct keeper *k)
{
	int patience = ORPHANED_MS / AGAIN_MS;

	while (reap(k)) {
		struct pollfd fds[] = {{.fd = k->orphan ? -1 : k->stage->control, .events = POLLIN},
			{.fd = k->signals, .events = POLLIN}};

		if (k->ended || k->killing)
			kill_rest();
		if (k->orphan && patience-- == 0)
			_exit(1);
		poll(fds, ARRAY_LEN(fds), k->ended || k->killing ? AGAIN_MS : -1);
		discard(k->signals);
		if (fds[0].revents)
			obey(k);
	}
	say_ended(k);
}

/* Holds nothing open that the caller may wait for. */
static int close_rest(const struct keeper *k, struct err *e)
{
	const int kept[] = {k->stage->control, k->stage->output[1], k->stage->error[1], k->signals,
		k->call->cwd, k->call->program, k->call->script};
	int r = process_close_but(kept, ARRAY_LEN(kept));

	return r < 0 ? err_sys(e, r, "close inherited descriptors") : 0;
}

static _Noreturn void keeper_main(struct keeper *k)
{
	struct err e = {0};

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "ward-keeper");
	k->stage->control = take_fd(&k->stage->peer);
	if (stage_signals(&k->signals, &e) < 0 || close_rest(k, &e) < 0 || start(k, &e) < 0)
		say_failed(k, &e);
	/* The streams are the program's now. */
	cleanup_fd(&k->stage->output[1]);
	cleanup_fd(&k->stage->error[1]);
	keep(k);
}

static int open_streams(struct stage *s, struct err *e)
{
	int r = stage_control(s, e);

	if (r < 0 || (s->plan->output != PLAN_RELAY && s->plan->output != PLAN_CAPTURE))
		return r;
	if (pipe2(s->output, O_CLOEXEC) < 0 || pipe2(s->error, O_CLOEXEC) < 0)
		return err_sys(e, -errno, "make pipes");
	return 0;
}

static void leave_to_keeper(struct stage *s, struct supervise *v)
{
	stage_left(s);
	if (s->output[1] < 0)
		return;
	close(take_fd(&s->output[1]));
	close(take_fd(&s->error[1]));
	v->relay.stream[RELAY_OUT].from = take_fd(&s->output[0]);
	v->relay.stream[RELAY_ERR].from = take_fd(&s->error[0]);
	for (int i = 0; i < RELAY_STREAMS; i++)
		fcntl(v->relay.stream[i].from, F_SETFL, O_NONBLOCK);
}

static void finish(struct supervise *v, struct result *r)
{
	const struct wire_end *end = &v->end;

	supervise_drain(v);
	r->usage.wall_us = v->ended_at - v->started;
	r->usage.user_us = end->user_us;
	r->usage.system_us = end->system_us;
	r->usage.memory_peak = end->largest;
	r->usage.read_bytes = end->read_bytes;
	r->usage.written_bytes = end->written_bytes;
	r->exit_code = WIFEXITED(end->status) ? WEXITSTATUS(end->status) : -1;
	r->signal = WIFSIGNALED(end->status) ? WTERMSIG(end->status) : 0;
	r->start_error = end->start_error;
	r->reason = v->reason != END_EXITED ? v->reason : r->signal ? END_SIGNALLED : END_EXITED;
	for (int i = 0; i < RELAY_STREAMS; i++) {
		r->usage.output_bytes[i] = v->relay.stream[i].seen;
		r->dropped[i] = v->relay.stream[i].dropped;
		if (r->dropped[i])
			r->hits[HIT_OUTPUT]++;
	}
}

static int run(struct stage *s, const struct keeper_call *call, struct result *ret, struct err *e)
{
	struct supervise v = {.stage = s, .result = ret, .terminal.master = -1};
	struct keeper k = {.call = call, .stage = s, .signals = -1};
	auto_fd int signals = -1;
	int r = open_streams(s, e);

	if (r == 0)
		r = stage_signals(&signals, e);
	if (r < 0)
		return r;
	s->init = fork();
	if (s->init < 0)
		return err_sys(e, -errno, "start a process");
	if (s->init == 0) {
		close(s->control);
		keeper_main(&k);
	}
	v.signals = signals;
	relay_init(&v.relay, s->plan->output, s->plan->output_limit, ret->output);
	leave_to_keeper(s, &v);
	r = supervise_loop(&v, e);
	s->given_up = v.given_up;
	if (r == 0)
		finish(&v, ret);
	relay_close(&v.relay);
	return r;
}

int keeper_run(const struct keeper_call *call, struct result *ret, struct err *e)
{
	static struct stage s; /* large, and mostly never touched */
	struct plan plan = {.output = call->output == PLAN_TERMINAL ? PLAN_PASS : call->output,
		.timeout = call->timeout,
		.idle_timeout = call->idle_timeout,
		.kill_grace = call->kill_grace,
		.output_limit = call->output_limit,
		.limits = {.memory = PLAN_NO_LIMIT}};
	int r;

	stage_init(&s, &plan, NULL, 0);
	s.kept = true;
	s.shared = call->output != PLAN_CAPTURE;
	ret->output[0] = ret->output[1] = BUF(call->output_limit);
	r = run(&s, call, ret, e);
	/* It has nobody left to keep, or cannot end them: closing its line says the rest. */
	cleanup_fd(&s.control);
	s.control = -1;
	if (s.init > 0)
		ret->stuck = process_wait(s.init, s.given_up ? 0 : STAGE_PATIENCE_MS) == -ETIMEDOUT;
	stage_free(&s);
	return r;
}
