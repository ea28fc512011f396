/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/wake.h"

#include "base/macro.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* A handler has no other way to know them. */
static volatile sig_atomic_t wake_fd = -1, wake_pid;

/* Only of this process: one that was forked from it inherits the handler. */
static void on_signal(int signal)
{
	uint64_t one = 1;
	int saved = errno;

	(void)signal;
	if (getpid() == wake_pid && write(wake_fd, &one, sizeof one) < 0) {
		/* It is awake already. */
	}
	errno = saved;
}

static void on_pipe(int signal)
{
	(void)signal; /* not ignored: what is started would inherit that */
}

/* Ends politely on these. Handlers, not a blocked mask, which children would inherit. */
int wake_open(struct err *e)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
	struct sigaction end = {.sa_handler = on_signal}, pipe = {.sa_handler = on_pipe};
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return err_sys(e, -errno, "make an event descriptor");
	wake_fd = fd;
	wake_pid = getpid();
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		sigaction(ends[i], &end, NULL);
	sigaction(SIGPIPE, &pipe, NULL);
	return fd;
}

void wake_close(const int *fd)
{
	static const int all[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};
	struct sigaction usual = {.sa_handler = SIG_DFL};

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		sigaction(all[i], &usual, NULL);
	wake_fd = -1;
	if (*fd >= 0)
		close(*fd);
}

uint64_t wake_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
