/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/run.h"

#include "base/cleanup.h"
#include "base/escape.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

#define PAUSE_MS 5

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int left_ms(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

/* Standard input from nowhere, output to the pipe, errors to nowhere. */
static int set_files(posix_spawn_file_actions_t *files, int out)
{
	int r = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);

	if (!r)
		r = posix_spawn_file_actions_adddup2(files, out, 1);
	if (!r)
		r = posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
	return r;
}

static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none;
	int r = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);

	sigemptyset(&none);
	if (!r)
		r = posix_spawnattr_setpgroup(attr, 0);
	if (!r)
		r = posix_spawnattr_setsigmask(attr, &none);
	return r;
}

static int start(const char *const *argv, const char *const *env, int out, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (!r) {
		r = set_files(&files, out);
		if (!r)
			r = set_attributes(&attr);
		if (!r)
			r = posix_spawn(ret_pid, argv[0], &files, &attr, (char *const *)argv,
				(char *const *)env);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return -r;
}

/* Drains the pipe to its end: also what does not fit is read, so that the program never blocks. */
static int drain(int fd, int64_t deadline, struct buf *out)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char chunk[1024];
	ssize_t n = 1;

	while (n != 0) {
		int ready = poll(&pfd, 1, left_ms(deadline));

		if (ready == 0)
			return -ETIMEDOUT;
		n = ready < 0 ? -1 : read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			buf_add(out, chunk, (size_t)n);
	}
	return 0;
}

/* A program may close its output long before it ends. It is left unreaped, so its number stays its
 * own. */
static int await_end(pid_t pid, int64_t deadline)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 &&
			errno != EINTR)
			return -errno;
		if (info.si_pid == pid)
			return 0;
		if (left_ms(deadline) == 0)
			return -ETIMEDOUT;
		poll(NULL, 0, PAUSE_MS);
	}
}

/* Whatever happened, the whole group ends here. */
static int end_group(pid_t pid)
{
	int status = 0;

	kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int carry_out(
	const char *const *argv, const char *const *env, unsigned timeout_ms, struct buf *out)
{
	auto_fd int in = -1, pipe_out = -1;
	int64_t deadline = now_ms() + timeout_ms;
	int ends[2], r, status;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	in = ends[0];
	pipe_out = ends[1];
	r = start(argv, env, pipe_out, &pid);
	if (r < 0)
		return r;
	close(take_fd(&pipe_out));
	r = drain(in, deadline, out);
	if (r >= 0)
		r = await_end(pid, deadline);
	status = end_group(pid);
	return r < 0 ? r : status;
}

int run_capture(const char *const *argv, const char *const *env, unsigned timeout_ms,
	struct buf *out, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(200);
	int r = carry_out(argv, env, timeout_ms, out);

	if (r >= 0)
		return r;
	escape_text(&shown, argv[0]);
	return err_sys(e, r, "run '%s'", buf_text(&shown));
}
