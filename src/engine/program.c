/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The program's own process, from its birth to exec. It shares memory and descriptors with init,
 * which waits meanwhile, so it must not allocate, and what it opens stays open in init until exec
 * gives it a table of its own. Each step takes something away; the order is that of engine/steps.c.
 */

#include "engine/slot.h"
#include "engine/stage.h"
#include "sys/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_SIZE (64u << 10)

struct birth {
	struct stage *stage;
	struct err error;
	int failed; /* of a step: negative errno */
	_Atomic uint32_t done;
};

/* Looks for the program as execvp does, but in the sandbox's PATH. Returns only on failure. */
static int execute(const struct plan *p)
{
	char path[4096];
	const char *list = "/usr/bin:/bin", *name = p->argv[0];
	int found = -ENOENT;

	if (!name[0])
		return -ENOENT;
	if (strchr(name, '/')) {
		execve(name, (char *const *)p->argv, (char *const *)p->env);
		return -errno;
	}
	for (size_t i = 0; p->env[i]; i++)
		if (strncmp(p->env[i], "PATH=", 5) == 0)
			list = p->env[i] + 5;
	while (*list) {
		size_t len = strcspn(list, ":");
		int n = snprintf(
			path, sizeof path, "%.*s%s%s", (int)len, list, len ? "/" : "./", name);

		if (n > 0 && (size_t)n < sizeof path) {
			execve(path, (char *const *)p->argv, (char *const *)p->env);
			if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
				return -errno;
			if (errno == EACCES)
				found = -EACCES;
		}
		list += len + (list[len] == ':');
	}
	return found;
}

static int be_born(void *arg)
{
	struct birth *b = arg;

	b->failed = steps_run(b->stage, STEP_PROGRAM, &b->error);
	if (b->failed == 0)
		b->stage->start_error = -execute(b->stage->plan);
	return 127; /* becomes the status */
}

int program_start(struct stage *s, struct err *e)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	struct birth b = {.stage = s};
	pid_t pid = clone(
		be_born, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &b);

	if (pid < 0)
		return err_sys(e, -errno, "start a process");
	if (b.failed < 0) {
		*e = b.error;
		return b.failed;
	}
	s->program = pid;
	return 0;
}

#define CHANNEL 3 /* descriptors 0 to 2 are the programs' own, one day */

/* Only the channel is left; the listener stays with init. */
static long keep_channel(int channel)
{
	long r = RAW_3(SYS_close_range, ~0u, ~0u, 2u /* a table of its own */);

	if (r == 0 && channel != CHANNEL)
		r = RAW_3(SYS_dup3, channel, CHANNEL, O_CLOEXEC);
	return r < 0 ? r : RAW_3(SYS_close_range, CHANNEL + 1, ~0u, 0);
}

/* Init sleeps until `done`, so that one of them uses the C library at a time; see engine/slot.h. */
static int be_starter(void *arg)
{
	struct birth *b = arg;
	long r = steps_run(b->stage, STEP_PROGRAM, &b->error);

	if (r == 0) {
		r = keep_channel(b->stage->channel[1]);
		if (r < 0)
			err_sys(&b->error, (int)r, "keep the channel");
	}
	b->failed = (int)r;
	atomic_store(&b->done, 1);
	RAW_3(SYS_futex, &b->done, FUTEX_WAKE, 1);
	if (r < 0)
		return 1;
	starter_main(CHANNEL);
}

/* A filter may kill it without a word. */
static int await_starter(struct birth *b, pid_t pid)
{
	struct timespec soon = {.tv_nsec = 100000000};

	while (!atomic_load(&b->done)) {
		RAW_4(SYS_futex, &b->done, FUTEX_WAIT, 0, &soon);
		if (!atomic_load(&b->done) && RAW_4(SYS_wait4, pid, NULL, WNOHANG, NULL) == pid)
			return -ECHILD;
	}
	return 0;
}

int program_starter(struct stage *s, struct err *e)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	static struct birth b;
	long pid;

	b.stage = s;
	pid = raw_clone(CLONE_VM | CLONE_FILES | SIGCHLD, stack + sizeof stack, be_starter, &b);
	if (pid < 0)
		return err_sys(e, (int)pid, "start a process");
	if (await_starter(&b, (pid_t)pid) < 0)
		return err_set(e, ECHILD,
			"what starts programs was killed: the system call filter does not let it "
			"work");
	if (b.failed < 0) {
		*e = b.error;
		return b.failed;
	}
	s->program = (pid_t)pid;
	return 0;
}
