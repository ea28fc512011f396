/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Checks of something that only holds in a namespace of its own: made in a child, which names those
 * that fail. */

#include "test.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many do not hold. */
static int apart_failed(const bool *holds, size_t count)
{
	int failed = 0;

	for (size_t i = 0; i < count; i++)
		if (!holds[i]) {
			printf("# check %zu does not hold\n", i);
			failed++;
		}
	return failed;
}

/* enter: a negative errno, or 0; look: how many fail. */
static void apart(int (*enter)(void), int (*look)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int r = enter();

		if (r < 0)
			printf("# %s\n", strerror(-r));
		r = r < 0 ? 100 : look();
		fflush(stdout);
		_exit(r);
	}
	check(waitpid(pid, &status, 0) == pid);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
