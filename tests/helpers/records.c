/* SPDX-License-Identifier: Apache-2.0 */

/*
 * records FOLDER PROCESSES RECORDS: so many processes at once write begins and ends, and refusals
 * between them, as entrances do; so many lines in all, or a few more. Every line that was
 * acknowledged is counted; the number is printed.
 */

#include "door/record.h"
#include "json/config_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct config config;

/* Exits with 0 when all of them were acknowledged. */
static int write_lines(long lines, long who)
{
	char word[64];
	const char *const argv[] = {"true", word, NULL};
	struct verdict v = {.permission = PERMISSION_ALLOW,
		.session = {.key = "agent:main:main", .agent = "main"},
		.choice.chosen = RUNTIME_NONE};
	struct record_request q = {.verdict = &v, .tool = "exec", .argv = argv, .argc = 2};
	static struct result result;
	static struct arena a;
	struct record r;
	struct err e = {0};
	uint64_t seq;
	int failed = record_open(&r, &config, &a, &e);

	for (long i = 0; i < lines && failed == 0; i++) {
		snprintf(word, sizeof word, "%ld-%ld", who, i);
		if (i % 3 == 0)
			failed = record_deny(&r, &q, "a test", &e);
		else if (i % 3 == 1)
			failed = record_begin(&r, &q, &seq, &e);
		else
			failed = record_end(&r, seq, &result, &e);
	}
	if (failed)
		fprintf(stderr, "records: %s\n", e.text);
	return failed != 0;
}

int main(int argc, char **argv)
{
	struct config_wish wish = {0};
	struct err e = {0};
	long count = argc > 3 ? strtol(argv[2], NULL, 10) : 0, lines;
	char path[4096];
	int status, bad = 0;

	if (count < 1)
		return 2;
	lines = (strtol(argv[3], NULL, 10) / count + 2) / 3 * 3; /* each begin has its end */
	snprintf(path, sizeof path, "audit.path=%s", argv[1]);
	if (config_set(&config, path, &wish, &e) < 0 ||
		config_set(&config, "audit.fsync=never", &wish, &e) < 0 ||
		config_set(&config, "audit.rotateSize=4M", &wish, &e) < 0)
		return 2;
	for (long i = 0; i < count; i++)
		if (fork() == 0)
			_exit(write_lines(lines, i));
	while (wait(&status) > 0)
		bad += status != 0;
	printf("%ld\n", count * lines);
	return bad != 0;
}
