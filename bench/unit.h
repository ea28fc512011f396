/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* For the tools of the benchmark: microseconds, their median, and the unit of all ratios. */

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline double median(double *values, long count)
{
	qsort(values, (size_t)count, sizeof *values, compare_doubles);
	return values[count / 2];
}

/* /bin/true, started and waited for; -1: it failed. */
static inline double on_host(void)
{
	static char path[] = "/bin/true";
	char *argv[] = {path, NULL};
	double start = now();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
		waitpid(pid, &status, 0) != pid || status != 0)
		return -1;
	return now() - start;
}
