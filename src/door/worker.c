/* SPDX-License-Identifier: Apache-2.0 */
#include "door/worker.h"

#include "base/cleanup.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Nothing of the caller's own conversation reaches it; without that, nothing is done. */
static bool take_streams(const struct worker_call *call)
{
	auto_fd int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	return dup2(call->input >= 0 ? call->input : nothing, STDIN_FILENO) >= 0 &&
	       dup2(nothing, STDOUT_FILENO) >= 0;
}

static void say(int pipe, const struct buf *out)
{
	size_t done = 0;

	while (done < out->len) {
		ssize_t n = write(pipe, out->data + done, out->len - done);

		if (n < 0 && errno != EINTR)
			return;
		done += n > 0 ? (size_t)n : 0;
	}
}

static _Noreturn void become(const struct worker_call *call, int pipe, pid_t caller)
{
	struct buf out = BUF(call->most);
	int kept[WORKER_KEEP + 1] = {pipe};
	sigset_t none;

	/* Nobody is there to see to its end then: whoever keeps a command hears it, and ends it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != caller)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	memcpy(kept + 1, call->keep, call->keep_count * sizeof *kept);
	if (!take_streams(call) || process_close_but(kept, call->keep_count + 1) < 0)
		_exit(1);
	call->work(call->ctx, &out);
	say(pipe, &out);
	_exit(0);
}

int worker_start(struct worker *w, const struct worker_call *call, struct err *e)
{
	pid_t caller = getpid();
	int pipe[2];

	*w = (struct worker){.from = -1, .said = BUF(call->most)};
	if (pipe2(pipe, O_CLOEXEC) < 0)
		return err_sys(e, -errno, "make a pipe");
	w->pid = fork();
	if (w->pid == 0)
		become(call, pipe[1], caller);
	close(pipe[1]);
	w->from = pipe[0];
	if (w->pid < 0) {
		int r = err_sys(e, -errno, "start a process");

		w->pid = 0;
		close(take_fd(&w->from));
		return r;
	}
	fcntl(w->from, F_SETFL, O_NONBLOCK);
	return 0;
}

bool worker_step(struct worker *w)
{
	char chunk[16384];

	for (;;) {
		ssize_t n = read(w->from, chunk, sizeof chunk);

		if (n > 0) {
			buf_add(&w->said, chunk, (size_t)n);
			continue;
		}
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		return true;
	}
}

void worker_signal(const struct worker *w, int number)
{
	if (w->pid > 0)
		kill(w->pid, number);
}

void worker_end(struct worker *w)
{
	if (w->pid > 0) {
		/* Whoever has said all ends by itself. */
		if (w->from >= 0 && !worker_step(w))
			kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	w->pid = 0;
	cleanup_fd(&w->from);
	w->from = -1;
	buf_free(&w->said);
}
