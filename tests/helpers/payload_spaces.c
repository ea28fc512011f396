/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* New namespaces by each call that makes them, and the counterparts that must go on working. */

#define NEWTIME 0x00000080UL
#define HIGH(n) (1UL << (n))

static int reap(long child)
{
	int status;

	if (child < 0)
		return -errno;
	if (child == 0)
		_exit(0);
	return waitpid((pid_t)child, &status, __WALL) < 0 ? -errno : 0;
}

static int run_clone(const struct attempt *self, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return reap(syscall(SYS_clone, self->arg[0] | SIGCHLD, 0, 0, 0, 0));
}

static int run_clone3(const struct attempt *self, int argc, char **argv)
{
	struct clone_args args = {.flags = self->arg[0], .exit_signal = SIGCHLD};

	(void)argc;
	(void)argv;
	return reap(syscall(SYS_clone3, &args, sizeof args));
}

static void *set_flag(void *p)
{
	*(int *)p = 1;
	return NULL;
}

static int run_thread(const struct attempt *self, int argc, char **argv)
{
	pthread_t thread;
	int flag = 0, r;

	(void)self;
	(void)argc;
	(void)argv;
	r = pthread_create(&thread, NULL, set_flag, &flag);
	if (r != 0)
		return -r;
	r = pthread_join(thread, NULL);
	return r != 0 ? -r : flag ? 0 : -EIO;
}

static int run_fork(const struct attempt *self, int argc, char **argv)
{
	(void)self;
	(void)argc;
	(void)argv;
	return reap(fork());
}

static int run_spawn(const struct attempt *self, int argc, char **argv)
{
	char name[] = "true";
	char *args[] = {name, NULL};
	pid_t child;
	int status, r = posix_spawn(&child, "/bin/true", NULL, NULL, args, NULL);

	(void)self;
	(void)argc;
	(void)argv;
	if (r != 0)
		return -r;
	return waitpid(child, &status, 0) < 0 ? -errno : status == 0 ? 0 : -EIO;
}

#define UNSHARE(name, flags)                               \
	{                                                  \
		"unshare", name, payload_raw, SYS_unshare, \
		{                                          \
			flags                              \
		}                                          \
	}
#define CLONE(name, flags)                   \
	{                                    \
		"clone", name, run_clone, 0, \
		{                            \
			flags                \
		}                            \
	}
#define CLONE3(name, flags)                    \
	{                                      \
		"clone3", name, run_clone3, 0, \
		{                              \
			flags                  \
		}                              \
	}

const struct attempt payload_spaces[] = {
	UNSHARE("user", CLONE_NEWUSER),
	UNSHARE("mount", CLONE_NEWNS),
	UNSHARE("pid", CLONE_NEWPID),
	UNSHARE("net", CLONE_NEWNET),
	UNSHARE("ipc", CLONE_NEWIPC),
	UNSHARE("uts", CLONE_NEWUTS),
	UNSHARE("cgroup", CLONE_NEWCGROUP),
	UNSHARE("time", NEWTIME),
	UNSHARE("user-and-mount", CLONE_NEWUSER | CLONE_NEWNS),
	UNSHARE("files-and-user", CLONE_FILES | CLONE_FS | CLONE_NEWUSER),
	/* The kernel looks at all 64 bits here and says EINVAL. */
	UNSHARE("user-high-40", CLONE_NEWUSER | HIGH(40)),
	UNSHARE("user-high-63", CLONE_NEWUSER | HIGH(63)),

	CLONE("user", CLONE_NEWUSER),
	CLONE("mount", CLONE_NEWNS),
	CLONE("pid", CLONE_NEWPID),
	CLONE("net", CLONE_NEWNET),
	CLONE("ipc", CLONE_NEWIPC),
	CLONE("uts", CLONE_NEWUTS),
	CLONE("cgroup", CLONE_NEWCGROUP),
	CLONE("user-and-net", CLONE_NEWUSER | CLONE_NEWNET),
	CLONE("user-high-32", CLONE_NEWUSER | HIGH(32)), /* high bits mean nothing to the kernel */
	CLONE("user-high-40", CLONE_NEWUSER | HIGH(40)),
	CLONE("user-high-63", CLONE_NEWUSER | HIGH(63)),

	CLONE3("none", 0),
	CLONE3("user", CLONE_NEWUSER),
	CLONE3("mount", CLONE_NEWNS),
	CLONE3("pid", CLONE_NEWPID),
	CLONE3("net", CLONE_NEWNET),
	CLONE3("ipc", CLONE_NEWIPC),
	CLONE3("uts", CLONE_NEWUTS),
	CLONE3("cgroup", CLONE_NEWCGROUP),
	CLONE3("time", NEWTIME),
	CLONE3("user-into-cgroup", CLONE_NEWUSER | CLONE_CLEAR_SIGHAND),

	{"children", "fork", run_fork, 0, {0}},
	{"children", "pthread_create", run_thread, 0, {0}},
	{"children", "posix_spawn", run_spawn, 0, {0}},
	{0},
};
