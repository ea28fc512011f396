/* SPDX-License-Identifier: Apache-2.0 */

/*
 * warm ROUNDS [MILLISECONDS [claim]]
 *
 * Starts /bin/true on the host and in the running sandbox of the current folder, by turns, the
 * latter without a process of ward's own, and prints the medians in microseconds: HOST SANDBOX.
 * With "claim", each time in a new session, whose sandbox is one of a pool that the configuration
 * asks for.
 */

#include "unit.h"
#include "door/exec.h"
#include "door/living.h"
#include "door/load.h"
#include "state/place.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_ROUNDS 100000

static double in_sandbox(const struct run_request *q, struct exec_answer *answer, struct err *e)
{
	static struct client_line line = {-1, -1};
	struct arena a = {0};
	struct result result = {0};
	double start = now(), took;
	int r = exec_again(q, &a, answer, &line, &result, e);

	took = now() - start;
	arena_free(&a);
	return r < 0 || result.exit_code != 0 ? -1 : took;
}

/* In a session that nobody has used; the pool has to be full again for the next one. */
static double in_claimed(const struct run_request *q, long i, struct err *e)
{
	static struct exec_answer answer;
	struct run_request own = *q;
	struct arena a = {0};
	struct result result = {0};
	char session[32];
	double start, took;
	int place, r;

	snprintf(session, sizeof session, "claim%ld", i);
	own.session = session;
	memset(&answer, 0, sizeof answer);
	start = now();
	r = exec_whole(&own, &a, &answer, &result, e);
	took = now() - start;
	place = place_open(&a, e);
	if (r == 0 && place >= 0)
		living_stop(place, answer.name, true, e);
	close(place);
	arena_free(&a);
	return r < 0 || result.exit_code != 0 ? -1 : took;
}

int main(int argc, char **argv)
{
	static const char *const command[] = {"/bin/true", NULL};
	static double host[MAX_ROUNDS], sandbox[MAX_ROUNDS];
	static struct arena a;
	static struct config config;
	static struct exec_answer answer;
	static struct record record;
	struct load_request load = {.wish.agent = "main"};
	struct run_request q = {.config = &config,
		.argv = command,
		.argc = 1,
		.env = (const char *const *)environ,
		.agent_entrance = true};
	struct timespec pause = {.tv_nsec = argc > 2 ? strtol(argv[2], NULL, 10) * 1000000 : 0};
	bool claim = argc > 3;
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 500;
	struct result first = {0};
	struct err e = {0};

	if (rounds < 1 || rounds > MAX_ROUNDS)
		return 2;
	/* As entrances do that stay: the audit log is opened once. */
	q.record = &record;
	if (load_config(&load, &config, &e) < 0 || record_open(&record, &config, &a, &e) < 0 ||
		exec_whole(&q, &a, &answer, &first, &e) < 0) {
		fprintf(stderr, "warm: %s\n", e.text);
		return 1;
	}
	for (long i = 0; i < rounds; i++) {
		host[i] = on_host();
		if (pause.tv_nsec)
			nanosleep(&pause, NULL);
		sandbox[i] = claim ? in_claimed(&q, i, &e) : in_sandbox(&q, &answer, &e);
		if (pause.tv_nsec)
			nanosleep(&pause, NULL);
		if (host[i] < 0 || sandbox[i] < 0) {
			fprintf(stderr, "warm: it failed: %s\n", e.text);
			return 1;
		}
	}
	printf("%.1f %.1f\n", median(host, rounds), median(sandbox, rounds));
	return 0;
}
