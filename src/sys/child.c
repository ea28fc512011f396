/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/child.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* In the child: it must not outlive the parent, whose number it checks in case that is gone
 * already. */
static void run_child(child_fn *fn, void *ctx, int out, pid_t parent)
{
	int answer;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(1);
	answer = fn(ctx);
	_exit(write(out, &answer, sizeof(answer)) == sizeof(answer) ? 0 : 1);
}

/* Waits for the answer on the pipe. */
static int read_answer(int fd, unsigned timeout_ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int answer, n;

	do
		n = poll(&pfd, 1, (int)timeout_ms);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -ETIMEDOUT;
	return read(fd, &answer, sizeof(answer)) == sizeof(answer) ? answer : -EOWNERDEAD;
}

int child_try(child_fn *fn, void *ctx, unsigned timeout_ms)
{
	auto_fd int in = -1, out = -1;
	pid_t parent = getpid(), pid;
	int ends[2], answer;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	in = ends[0];
	out = ends[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		run_child(fn, ctx, out, parent);
	close(take_fd(&out));
	answer = read_answer(in, timeout_ms);
	kill(pid, SIGKILL); /* it has answered, or never will */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return answer;
}
