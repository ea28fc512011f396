/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/native.h"

#include "base/cleanup.h"
#include "engine/enforced.h"
#include "engine/stage.h"
#include "engine/supervise.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_pair(const int fds[2])
{
	cleanup_fd(&fds[0]);
	cleanup_fd(&fds[1]);
}

static void stage_init(struct stage *s, const struct native_call *call)
{
	if (s->plan) /* used before */
		memset(s, 0, sizeof *s);
	s->plan = call->plan;
	s->host_uid = call->plan->host_uid;
	s->host_gid = call->plan->host_gid;
	s->arguments = call->arguments;
	s->arguments_len = call->arguments_len;
	sigprocmask(SIG_BLOCK, NULL, &s->caller_mask);
	sigaction(SIGPIPE, NULL, &s->caller_pipe);
	s->control = s->peer = s->listener = s->terminal = s->landlock.fd = -1;
	memset(s->output, -1, sizeof s->output);
	memset(s->error, -1, sizeof s->error);
	memset(s->trees, -1, sizeof s->trees);
	leaf_init(&s->leaf);
}

static void stage_free(struct stage *s)
{
	cleanup_fd(&s->control);
	cleanup_fd(&s->peer);
	close_pair(s->output);
	close_pair(s->error);
	for (size_t i = 0; i < s->plan->row_count; i++)
		cleanup_fd(&s->trees[i]);
}

/* Descriptors 0 to 2 exist, and no other is inherited: what is opened from here on is our own. */
static int own_descriptors(struct err *e)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			openat(AT_FDCWD, "/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
			return err_sys(e, -errno, "open /dev/null as descriptor %d", fd);
	if (syscall(SYS_close_range, 3u, ~0u, 0u) < 0)
		return err_sys(e, -errno, "close inherited descriptors");
	return 0;
}

static int open_streams(struct stage *s, struct err *e)
{
	int kind = SOCK_SEQPACKET | SOCK_CLOEXEC, pair[2];

	if (socketpair(AF_UNIX, kind, 0, pair) < 0)
		return err_sys(e, -errno, "make a socket pair");
	s->control = pair[0];
	s->peer = pair[1];
	if (s->plan->output != PLAN_RELAY && s->plan->output != PLAN_CAPTURE)
		return 0;
	if (pipe2(s->output, O_CLOEXEC) < 0 || pipe2(s->error, O_CLOEXEC) < 0)
		return err_sys(e, -errno, "make pipes");
	return 0;
}

/*
 * Signals that matter wait for the supervisor's loop; the program gets them as ever. A caller that
 * reads no more is told by the failed write.
 */
static int block_signals(int *ret_fd, struct err *e)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	static const int kept[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGWINCH, SIGCHLD};
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		sigaddset(&set, kept[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || sigaction(SIGPIPE, &ignore, NULL) < 0)
		return err_sys(e, -errno, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return err_sys(e, -errno, "watch signals");
	*ret_fd = fd;
	return 0;
}

/* What the sandbox has now and the supervisor does not need. */
static void leave_to_init(struct stage *s, struct supervise *v)
{
	cleanup_fd(&s->peer);
	s->peer = -1;
	for (size_t i = 0; i < s->plan->row_count; i++) {
		cleanup_fd(&s->trees[i]);
		s->trees[i] = -1;
	}
	if (s->output[1] >= 0) {
		close(take_fd(&s->output[1]));
		close(take_fd(&s->error[1]));
		v->relay.stream[RELAY_OUT].from = take_fd(&s->output[0]);
		v->relay.stream[RELAY_ERR].from = take_fd(&s->error[0]);
		for (int i = 0; i < RELAY_STREAMS; i++)
			fcntl(v->relay.stream[i].from, F_SETFL, O_NONBLOCK);
	}
}

static void take_usage(struct stage *s, const struct wire_end *end, struct result *r)
{
	bool failed = end->status != 0;
	struct leaf_usage u;

	leaf_usage(&s->leaf, failed, &u);
	r->usage.user_us = end->user_us;
	r->usage.system_us = end->system_us;
	r->usage.read_bytes = end->read_bytes;
	r->usage.written_bytes = end->written_bytes;
	if (u.memory_peak > r->usage.memory_peak)
		r->usage.memory_peak = u.memory_peak;
	if (end->largest > r->usage.memory_peak)
		r->usage.memory_peak = end->largest;
	r->hits[HIT_MEMORY] += (uint32_t)u.oom_kills;
	r->hits[HIT_PIDS] += (uint32_t)u.pids_hits;
}

static void judge_end(const struct supervise *v, struct result *r)
{
	int status = v->end.status;

	r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->start_error = v->end.start_error;
	r->reason = v->reason != END_EXITED ? v->reason : r->signal ? END_SIGNALLED : END_EXITED;
	/* It failed, and some process of it was killed because memory was used up: not by chance.
	 */
	if (v->reason == END_EXITED && r->exit_code != 0 && r->hits[HIT_MEMORY] > 0)
		r->reason = END_OOM;
}

static void finish(struct supervise *v, struct result *r)
{
	struct stage *s = v->stage;

	supervise_drain(v);
	terminal_restore(&v->terminal);
	take_usage(s, &v->end, r);
	r->usage.wall_us = v->ended_at - v->started;
	enforced_fill(s, r);
	judge_end(v, r);
	r->report = v->end.report;
	for (int i = 0; i < RELAY_STREAMS; i++) {
		r->usage.output_bytes[i] = v->relay.stream[i].seen;
		r->dropped[i] = v->relay.stream[i].dropped;
		if (r->dropped[i])
			r->hits[HIT_OUTPUT]++;
	}
}

/* A process that waits in the kernel for a disk or a server dies when that answers, not before. */
static void wait_for_init(struct stage *s, struct result *r)
{
	if (s->init <= 0)
		return;
	kill(s->init, SIGKILL);
	if (process_wait(s->init, s->given_up ? 0 : SUPERVISE_PATIENCE_MS) == -ETIMEDOUT)
		r->stuck = true;
}

/*
 * Nothing of the sandbox is left when this returns, unless it is stuck. When init has said that all
 * its processes are gone, groups of version 1, which it was never in, are removed while the kernel
 * takes init's namespaces apart.
 */
static void clear(struct stage *s, bool orderly, struct result *r)
{
	if (orderly && leaf_clone_fd(&s->leaf) < 0) {
		leaf_remove(&s->leaf);
		wait_for_init(s, r);
		return;
	}
	wait_for_init(s, r);
	leaf_remove(&s->leaf);
}

/* Where init failed too, what it says comes before what that led to here. */
static int ask_init(const struct stage *s, int failed, struct err *e)
{
	struct wire m;

	while (s->init > 0 && wire_receive(s->control, false, &m, NULL) == 0)
		if (m.kind == WIRE_FAILED) {
			*e = m.error;
			e->text[sizeof e->text - 1] = '\0';
			return -(e->code ? e->code : EIO);
		}
	return failed;
}

static int run(struct stage *s, struct result *ret, struct err *e)
{
	auto_fd int signals = -1;
	struct supervise v = {.stage = s, .result = ret};
	int r = own_descriptors(e);

	if (r == 0)
		r = open_streams(s, e);
	if (r == 0)
		r = block_signals(&signals, e);
	if (r == 0)
		r = steps_run(s, STEP_SUPERVISOR, e);
	if (r < 0)
		return ask_init(s, r, e);
	v.signals = signals;
	v.terminal.master = -1;
	relay_init(&v.relay, s->plan->output, s->plan->output_limit, ret->output);
	leave_to_init(s, &v);
	/* What killed supervisors left: now, while the sandbox is being built anyway. */
	leaf_sweep(cgroup_here(), &s->leaf);
	r = supervise_loop(&v, e);
	s->orderly = v.orderly;
	s->given_up = v.given_up;
	if (r == 0)
		finish(&v, ret);
	terminal_restore(&v.terminal);
	terminal_hang_up(&v.terminal);
	relay_close(&v.relay);
	return r;
}

/* The kernel's own word for a refusal says nothing of who refuses. */
static void explain_refusal(int r, struct err *e)
{
	const char *word = strerror(-r);
	size_t len = strlen(e->text), tail = strlen(word);

	if ((r != -EPERM && r != -ENOSYS) || len < tail || strcmp(e->text + len - tail, word) != 0)
		return;
	snprintf(e->text + len, sizeof e->text - len,
		" (the kernel does not have it, or a container, service or other sandbox around "
		"ward forbids it; start ward outside of that)");
}

int native_run(const struct native_call *call, struct result *ret, struct err *e)
{
	static struct stage s; /* large, and mostly never touched */
	int r;

	if (call->plan->row_count > STAGE_ROWS)
		return err_set(
			e, E2BIG, "the plan has more than %d rows; use fewer binds", STAGE_ROWS);
	stage_init(&s, call);
	ret->output[0] = ret->output[1] = BUF(call->plan->output_limit);
	r = run(&s, ret, e);
	clear(&s, r == 0 && s.orderly, ret);
	stage_free(&s);
	sigaction(SIGPIPE, &s.caller_pipe, NULL);
	sigprocmask(SIG_SETMASK, &s.caller_mask, NULL);
	if (r < 0)
		explain_refusal(r, e);
	return r;
}
