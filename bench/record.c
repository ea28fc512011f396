/* SPDX-License-Identifier: Apache-2.0 */

/*
 * record ROUNDS FOLDER
 *
 * What the audit log costs a command: the line of its begin and that of its end, without fsync, in
 * a log that is kept open and in one that is opened for each line, as ward run does. Prints the
 * medians in microseconds: KEPT OPENED.
 */

#include "unit.h"
#include "door/record.h"
#include "json/config_read.h"

#include <stdio.h>

#define MAX_ROUNDS 100000

/* As a command of an agent looks. */
static double both_lines(struct record *r, bool opened, struct err *e)
{
	static const char *const argv[] = {
		"/bin/sh", "-c", "cd /workspace/src && make -j4 test 2>&1 | tail -40", NULL};
	static struct verdict v = {.permission = PERMISSION_ALLOW,
		.session = {.key = "agent:main:main", .agent = "main"},
		.choice.chosen = RUNTIME_NONE,
		.reasons = {{.code = BECAUSE_MODE, .text = "mode all sandboxes every session"},
			{.code = BECAUSE_TOOL_ALLOWED,
				.text = "tool 'exec' is in tool profile 'coding'"},
			{.code = BECAUSE_RUNTIME, .text = "runtime native, chosen by 'auto'"}},
		.reason_count = 3};
	struct record_request q = {.operation = "exec",
		.verdict = &v,
		.tool = "exec",
		.argv = argv,
		.argc = 3,
		.cwd = "/home/me/projects/service",
		.sandbox = "s-main-jku4hotjd6q2qwzlf2xorpxcijbwt7xp-0123456789ab"};
	static struct result result;
	double start = now();
	uint64_t seq;

	if (record_begin(r, &q, &seq, e) < 0)
		return -1;
	if (opened)
		record_rest(r);
	if (record_end(r, seq, &result, e) < 0)
		return -1;
	if (opened)
		record_rest(r);
	return now() - start;
}

static double measure(struct record *r, bool opened, long rounds, struct err *e)
{
	static double took[MAX_ROUNDS];

	for (long i = 0; i < rounds; i++) {
		took[i] = both_lines(r, opened, e);
		if (took[i] < 0)
			return -1;
	}
	return median(took, rounds);
}

int main(int argc, char **argv)
{
	static struct config config;
	struct arena a = {0};
	struct config_wish wish = {0};
	struct record record;
	struct err e = {0};
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	double kept = -1, opened = -1;
	char path[4096];

	if (rounds < 1 || rounds > MAX_ROUNDS || argc < 3)
		return 2;
	snprintf(path, sizeof path, "audit.path=%s", argv[2]);
	if (config_set(&config, path, &wish, &e) == 0 &&
		config_set(&config, "audit.fsync=never", &wish, &e) == 0 &&
		record_open(&record, &config, &a, &e) == 0) {
		kept = measure(&record, false, rounds, &e);
		opened = measure(&record, true, rounds, &e);
		record_close(&record);
	}
	if (kept < 0 || opened < 0) {
		fprintf(stderr, "record: %s\n", e.text);
		return 1;
	}
	printf("%.1f %.1f\n", kept, opened);
	return 0;
}
