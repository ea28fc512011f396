/* SPDX-License-Identifier: Apache-2.0 */

/*
 * spawn RUNS PROGRAM [ARGUMENT...] [-- PROGRAM [ARGUMENT...]]...
 *
 * Starts the programs in turn, RUNS times each, and prints the median time from the start of each
 * to its end, in microseconds, one line a program. In turn, so that a busy moment of the machine
 * meets all of them alike.
 */

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROGRAMS = 16, MAX_RUNS = 10000 };

extern char **environ;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Microseconds from start to end; negative when the program cannot be run or fails. */
static double time_once(char **argv, posix_spawn_file_actions_t *quiet)
{
	double start = now();
	int status;
	pid_t pid;

	if (posix_spawn(&pid, argv[0], quiet, NULL, argv, environ) != 0)
		return -1;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return -1;
	return now() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Cuts the arguments at "--" into programs; returns how many. */
static int split(char **argv, char **programs[MAX_PROGRAMS])
{
	int count = 0;

	programs[count++] = argv;
	for (; *argv; argv++) {
		if (strcmp(*argv, "--") == 0 && count < MAX_PROGRAMS) {
			*argv = NULL;
			programs[count++] = argv + 1;
		}
	}
	return count;
}

int main(int argc, char **argv)
{
	static double times[MAX_PROGRAMS][MAX_RUNS];
	char **programs[MAX_PROGRAMS];
	posix_spawn_file_actions_t quiet;
	long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	int count;

	if (runs < 1 || runs > MAX_RUNS) {
		fprintf(stderr, "usage: spawn RUNS PROGRAM [ARGUMENT...] [-- PROGRAM...]\n");
		return 2;
	}
	count = split(argv + 2, programs);
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	for (long run = 0; run < runs; run++) {
		for (int i = 0; i < count; i++) {
			times[i][run] = time_once(programs[i], &quiet);
			if (times[i][run] < 0) {
				fprintf(stderr, "spawn: %s failed\n", programs[i][0]);
				return 1;
			}
		}
	}
	posix_spawn_file_actions_destroy(&quiet);
	for (int i = 0; i < count; i++) {
		qsort(times[i], (size_t)runs, sizeof times[i][0], compare);
		printf("%.0f\n", times[i][runs / 2]);
	}
	return 0;
}
