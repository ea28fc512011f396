/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The program's own process, from its birth to exec. It shares memory and descriptors with init,
 * which waits meanwhile, so it must not allocate, and what it opens stays open in init until exec
 * gives it a table of its own. Each step takes something away; the order is that of engine/steps.c.
 */

#include "engine/stage.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STACK_SIZE (64u << 10)

struct birth {
	struct stage *stage;
	struct err error;
	int failed; /* of a step: negative errno */
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
