/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Processes that do not want to end. All of them do after ten minutes at the latest. */

#define LONGEST 600

static void nap(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void ignore_all(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

static int run_stubborn(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	(void)argc;
	(void)argv;
	ignore_all();
	alarm(0);
	for (int i = 0; i < LONGEST; i++)
		nap(1000);
	return 0;
}

static int run_stopped(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	(void)argc;
	(void)argv;
	return payload_result(raise(SIGSTOP));
}

static int run_vfork(const struct attempt *self, int argc, char **argv)
{
	pid_t child = vfork(); /* holds its parent */

	(void)self;
	(void)argc;
	(void)argv;
	if (child == 0) {
		sleep(LONGEST);
		_exit(0);
	}
	return payload_result(child);
}

/* A byte to FILE every 10 ms. */
static void beat(const char *file)
{
	int fd = open(file, O_CREAT | O_WRONLY | O_APPEND, 0644);

	for (int i = 0; fd >= 0 && i < LONGEST * 100; i++) {
		if (write(fd, ".", 1) != 1)
			break;
		nap(10);
	}
	_exit(0);
}

/* FILE [STAY]: a daemon of the old school that holds no descriptor of ours but standard output. */
static int run_daemon(const struct attempt *self, int argc, char **argv)
{
	const char *file = argc > 0 ? argv[0] : "heartbeat";
	pid_t child = fork();

	(void)self;
	if (child == 0) {
		setsid();
		ignore_all();
		if (fork() == 0)
			beat(file);
		_exit(0);
	}
	if (child < 0 || waitpid(child, NULL, 0) < 0)
		return -errno;
	while (access(file, F_OK) != 0)
		nap(5);
	if (payload_number(argc, argv, 1))
		sleep(LONGEST);
	return 0;
}

/* COUNT: a chain of processes, each the child of one that is gone already. */
static int run_chain(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0);

	(void)self;
	for (unsigned long i = 0; i < count; i++) {
		pid_t child = fork();

		if (child < 0)
			nap(1);
		if (child > 0 && i > 0)
			_exit(0);
		if (child > 0) { /* the first stays, as the one that was asked for */
			sleep(LONGEST);
			return 0;
		}
		setsid();
	}
	return 0;
}

/* COUNT: many at once that do nothing. */
static int run_crowd(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0);

	(void)self;
	for (unsigned long i = 0; i < count; i++)
		if (fork() == 0) {
			setsid();
			ignore_all();
			sleep(LONGEST);
			_exit(0);
		}
	sleep(LONGEST);
	return 0;
}

/* PID SIGNAL */
static int run_kill(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	return payload_result(kill(
		(pid_t)(long)payload_number(argc, argv, 0), (int)payload_number(argc, argv, 1)));
}

/* The descriptors that it was given, a line each. */
static int run_descriptors(const struct attempt *self, int argc, char **argv)
{
	int found = 0;

	(void)self;
	(void)argc;
	(void)argv;
	for (int fd = 3; fd < 4096; fd++)
		if (fcntl(fd, F_GETFD) >= 0) {
			printf("%d\n", fd);
			found++;
		}
	return found > 0 ? 0 : -EBADF;
}

const struct attempt payload_lives[] = {
	{"live", "stubborn", run_stubborn, 0, {0}},
	{"live", "stopped", run_stopped, 0, {0}},
	{"live", "vfork", run_vfork, 0, {0}},
	{"live", "daemon", run_daemon, 0, {0}},
	{"live", "chain", run_chain, 0, {0}},
	{"live", "crowd", run_crowd, 0, {0}},
	{"live", "kill", run_kill, 0, {0}},
	{"live", "descriptors", run_descriptors, 0, {0}},
	{0},
};
