/* SPDX-License-Identifier: Apache-2.0 */

/*
 * again ROUNDS MILLISECONDS COMMAND...
 *
 * Runs the command that many times in the sandbox of the current folder over one connection, with
 * pauses in between; its standard input has one line, the number of the round. Prints for each how
 * it ended: ROUND REASON STATUS, or ROUND error TEXT.
 */

#include "door/exec.h"
#include "door/load.h"
#include "model/result.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int pipe_in;

/* Standard input is a pipe, so that a line that nobody has read can be taken out again. */
static int open_input(void)
{
	int ends[2];

	if (pipe(ends) < 0 || dup2(ends[0], 0) < 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	close(ends[0]);
	pipe_in = ends[1];
	return 0;
}

static void drain_input(void)
{
	char text[256];

	fcntl(0, F_SETFL, O_NONBLOCK);
	while (read(0, text, sizeof text) > 0)
		;
	fcntl(0, F_SETFL, 0);
}

static void round_of(
	const struct run_request *q, struct exec_answer *answer, struct client_line *line, long i)
{
	struct arena a = {0};
	struct result result = {0};
	struct err e = {0};
	int r;

	dprintf(pipe_in, "%ld\n", i);
	r = exec_again(q, &a, answer, line, &result, &e);
	drain_input();
	if (r < 0)
		printf("%ld error %s\n", i, e.text);
	else
		printf("%ld %s %d\n", i, end_reason_names[result.reason],
			result.signal ? 128 + result.signal : result.exit_code);
	fflush(stdout);
	result_free(&result);
	arena_free(&a);
}

int main(int argc, char **argv)
{
	static struct arena a;
	static struct config config;
	static struct exec_answer answer;
	struct load_request load = {.wish.agent = "main"};
	struct run_request q = {.config = &config,
		.argv = (const char *const *)argv + 3,
		.argc = (size_t)(argc - 3),
		.env = (const char *const *)environ,
		.agent_entrance = true};
	struct client_line line = {-1, -1};
	struct timespec pause = {0};
	struct err e = {0};
	long rounds, ms;

	if (argc < 4)
		return 2;
	rounds = strtol(argv[1], NULL, 10);
	ms = strtol(argv[2], NULL, 10);
	pause.tv_sec = ms / 1000;
	pause.tv_nsec = ms % 1000 * 1000000;
	if (load_config(&load, &config, &e) < 0 || exec_plan(&q, true, &a, &answer, &e) < 0 ||
		open_input() < 0) {
		fprintf(stderr, "again: %s\n", e.text);
		return 1;
	}
	for (long i = 1; i <= rounds; i++) {
		round_of(&q, &answer, &line, i);
		nanosleep(&pause, NULL);
	}
	client_line_close(&line);
	return 0;
}
