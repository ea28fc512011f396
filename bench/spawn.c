/* SPDX-License-Identifier: Apache-2.0 */

/*
 * spawn [OPTION VALUE]... PROGRAM [ARGUMENT...] [::: PROGRAM [ARGUMENT...]]...
 *
 * Starts the programs in turn, waits for each, and prints one line a program, times in
 * microseconds from start to end:
 *
 *     P50 P90 RUNS PER-SECOND P50-OF-THE-FIRST-SIXTH P50-OF-THE-LAST-SIXTH
 *
 * In turn, so that a busy moment of the machine meets all of them alike; every other round in
 * reverse, because what one leaves for the kernel to clear away slows the next. The programs'
 * standard output is thrown away.
 *
 *     --rounds N    ends after so many rounds (500)
 *     --for N       ends after so many seconds, not after rounds
 *     --every N     starts a program every N milliseconds, not at once after the one before
 *     --workers N   so many processes do all this at the same time
 */

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROGRAMS = 16, MAX_WORKERS = 64, MAX_RUNS = 500000 };

struct options {
	long rounds, seconds, every, workers;
};

struct sample { /* microseconds since the beginning, and from start to end */
	double at, took;
};

struct series { /* the runs of one program by one worker */
	long count;
	struct sample samples[MAX_RUNS];
};

struct bench {
	struct options options;
	char **programs[MAX_PROGRAMS];
	int count;
	posix_spawn_file_actions_t quiet;
	double began;
	/* Of all workers, program by program; memory of it is had only where runs are. */
	struct series *series;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void sleep_until(double when)
{
	struct timespec t = {.tv_sec = (time_t)(when / 1e6)};

	t.tv_nsec = (long)((when - (double)t.tv_sec * 1e6) * 1e3);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
	}
}

/* Microseconds from start to end; negative, and says why, when the program cannot be run or fails.
 */
static double time_once(char **argv, posix_spawn_file_actions_t *quiet)
{
	double start = now();
	int status, error;
	pid_t pid;

	error = posix_spawn(&pid, argv[0], quiet, NULL, argv, environ);
	if (error) {
		fprintf(stderr, "spawn: %s: %s\n", argv[0], strerror(error));
		return -1;
	}
	if (waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "spawn: %s ended with status %#x\n", argv[0], (unsigned)status);
		return -1;
	}
	return now() - start;
}

static bool run_once(struct bench *b, long worker, int program)
{
	struct series *s = b->series + worker * b->count + program;
	double at = now() - b->began;
	double took = time_once(b->programs[program], &b->quiet);

	if (took < 0)
		return false;
	s->samples[s->count++] = (struct sample){at, took};
	return true;
}

/* After a program that took longer than the pace, the next start is at the next beat. */
static void keep_pace(const struct bench *b, double *beat)
{
	double pace = (double)b->options.every * 1e3;

	if (pace == 0)
		return;
	do {
		*beat += pace;
	} while (*beat < now());
	sleep_until(*beat);
}

static bool work(struct bench *b, long worker)
{
	const struct options *o = &b->options;
	double beat = b->began;

	for (long round = 0; round < (o->seconds ? MAX_RUNS : o->rounds); round++) {
		if (o->seconds && now() - b->began >= (double)o->seconds * 1e6)
			break;
		for (int i = 0; i < b->count; i++) {
			keep_pace(b, &beat);
			if (!run_once(b, worker, round % 2 ? b->count - 1 - i : i))
				return false;
		}
	}
	return true;
}

static bool work_together(struct bench *b)
{
	bool good = true;
	int status;

	for (long i = 0; i < b->options.workers; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(work(b, i) ? 0 : 1);
		good = good && pid > 0;
	}
	while (wait(&status) > 0)
		good = good && status == 0;
	return good;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(const double *sorted, long count, long percent)
{
	return count > 0 ? sorted[(count - 1) * percent / 100] : 0;
}

/* The sorted times of a program's runs that started between two moments; returns how many. */
static long times_between(const struct bench *b, int program, double from, double to, double *times)
{
	long count = 0;

	for (long worker = 0; worker < b->options.workers; worker++) {
		const struct series *s = b->series + worker * b->count + program;

		for (long i = 0; i < s->count; i++) {
			if (s->samples[i].at >= from && s->samples[i].at < to)
				times[count++] = s->samples[i].took;
		}
	}
	qsort(times, (size_t)count, sizeof times[0], compare);
	return count;
}

static void print(const struct bench *b, double elapsed, double *times)
{
	for (int i = 0; i < b->count; i++) {
		double first, last;
		long count;

		count = times_between(b, i, 0, elapsed / 6, times);
		first = percentile(times, count, 50);
		count = times_between(b, i, elapsed * 5 / 6, elapsed, times);
		last = percentile(times, count, 50);
		count = times_between(b, i, 0, elapsed, times);
		printf("%.1f %.1f %ld %.1f %.1f %.1f\n", percentile(times, count, 50),
			percentile(times, count, 90), count, (double)count / elapsed * 1e6, first,
			last);
	}
}

/* Takes the options off the front; returns what follows, or NULL. */
static char **parse(char **argv, struct options *o)
{
	const struct {
		const char *name;
		long *value, max;
	} known[] = {{"--rounds", &o->rounds, MAX_RUNS}, {"--for", &o->seconds, 3600},
		{"--every", &o->every, 60000}, {"--workers", &o->workers, MAX_WORKERS}};

	while (argv[0] && strncmp(argv[0], "--", 2) == 0) {
		size_t i = 0, count = sizeof known / sizeof known[0];
		char *end;

		while (i < count && strcmp(known[i].name, argv[0]) != 0)
			i++;
		if (i == count || !argv[1])
			return NULL;
		*known[i].value = strtol(argv[1], &end, 10);
		if (*end || *known[i].value < 1 || *known[i].value > known[i].max)
			return NULL;
		argv += 2;
	}
	return argv[0] ? argv : NULL;
}

/* Cuts the arguments at ":::" into programs. */
static void split(char **argv, struct bench *b)
{
	b->programs[b->count++] = argv;
	for (; *argv; argv++) {
		if (strcmp(*argv, ":::") == 0 && b->count < MAX_PROGRAMS) {
			*argv = NULL;
			b->programs[b->count++] = argv + 1;
		}
	}
}

static void *reserve(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p != MAP_FAILED)
		return p;
	perror("spawn: mmap");
	exit(1);
}

int main(int argc, char **argv)
{
	static struct bench b = {.options = {.rounds = 500, .workers = 1}};
	bool good;

	(void)argc;
	argv = parse(argv + 1, &b.options);
	if (!argv) {
		fprintf(stderr, "usage: spawn [--rounds N | --for SECONDS] [--every MILLISECONDS] "
				"[--workers N] PROGRAM [ARGUMENT...] [::: PROGRAM...]\n");
		return 2;
	}
	split(argv, &b);
	b.series = reserve(sizeof *b.series * (size_t)b.options.workers * (size_t)b.count);
	posix_spawn_file_actions_init(&b.quiet);
	posix_spawn_file_actions_addopen(&b.quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	b.began = now();
	/* The one process of a single worker is this one, which stays small. */
	good = b.options.workers == 1 ? work(&b, 0) : work_together(&b);
	if (good)
		print(&b, now() - b.began,
			reserve(sizeof(double) * MAX_RUNS * (size_t)b.options.workers));
	posix_spawn_file_actions_destroy(&b.quiet);
	return good ? 0 : 1;
}
