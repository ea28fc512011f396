/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/broker_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The open of a FIFO waits for its other end, which the program may never open. A child of the
 * broker waits in its place, answers the caller itself, and ends; it also ends soon after the
 * caller has gone. The child is a copy of the broker: it cannot be looked into either.
 */
#define TICK_US 100000

/* Puts the descriptor into the caller's table and answers with its number, in one step. */
long broker_send_fd(struct broker_call *c, int fd, int flags)
{
	struct seccomp_notif_addfd add = {
		.id = c->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (uint32_t)fd,
		.newfd_flags = (uint32_t)(flags & O_CLOEXEC),
	};

	if (ioctl(c->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add) >= 0)
		return BROKER_DONE;
	return errno == ENOENT || errno == ESRCH ? BROKER_DONE : -errno;
}

static void tick(int signal)
{
	(void)signal; /* only ends the open, which looks after the caller then */
}

static void send_error(struct broker_call *c, int error)
{
	struct seccomp_notif_resp resp = {.id = c->id, .error = error};

	ioctl(c->listener, SECCOMP_IOCTL_NOTIF_SEND, &resp);
}

static void wait_and_answer(struct broker_call *c, int object, int flags)
{
	struct itimerval every = {{0, TICK_US}, {0, TICK_US}};
	struct sigaction act = {.sa_handler = tick};
	char self[32];
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	sigaction(SIGALRM, &act, NULL);

	sigset_t set;

	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", object);
	do {
		if (broker_caller_alive(c) < 0)
			return;
		fd = open(self, (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);

	long r = fd < 0 ? -errno : broker_send_fd(c, fd, flags);

	if (r < 0)
		send_error(c, (int)r);
}

/* A place for one more child; init may have reaped the ones that are gone. */
static pid_t *free_place(struct broker *b)
{
	pid_t *found = NULL;

	for (size_t i = 0; i < BROKER_WAITING_MAX; i++) {
		pid_t *pid = &b->waiting[i];

		if (*pid && waitpid(*pid, NULL, WNOHANG) != 0)
			*pid = 0;
		if (!*pid)
			found = pid;
	}
	return found;
}

long broker_open_waiting(struct broker_call *c, int object, int flags)
{
	pid_t *place = free_place(c->b);
	pid_t pid = place ? fork() : -1;

	if (!place)
		return -EAGAIN;
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		wait_and_answer(c, object, flags);
		_exit(0);
	}
	*place = pid;
	return BROKER_DONE;
}
