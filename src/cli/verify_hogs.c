/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Payloads that use something up, or do not end. Every one is bounded by its arguments, so that
 * none does harm where nothing stops it. They print what they got, so that it can be counted from
 * outside.
 */

#include "base/cleanup.h"
#include "base/number.h"
#include "base/str.h"
#include "cli/verify.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define BLOCK 65536u

static const char *const places[] = {
	"/tmp", "/var/tmp", "/run", "/home/sandbox", "/dev/shm", "/workspace", "/", NULL};

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(2);
}

static void say_number(uint64_t n)
{
	char text[32];

	snprintf(text, sizeof text, "%llu\n", (unsigned long long)n);
	say(text);
}

static int touch(volatile char *p, uint64_t bytes)
{
	if (p == MAP_FAILED)
		return 1;
	for (uint64_t i = 0; i < bytes; i += PAGE)
		p[i] = 1;
	return 0;
}

static int hog_memory(const uint64_t *n)
{
	return touch(
		mmap(NULL, n[0], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), n[0]);
}

static int hog_shared(const uint64_t *n)
{
	return touch(
		mmap(NULL, n[0], PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), n[0]);
}

/* In four children, which hold their part until all have it, or one of them was ended. */
static int hog_children(const uint64_t *n)
{
	enum { CHILDREN = 4 };
	int ready[2], count = 0;
	char byte = 'r';
	bool ended;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return 2;
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() != 0)
			continue;
		if (hog_memory((uint64_t[]){n[0] / CHILDREN}) == 0 &&
			write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	fcntl(ready[0], F_SETFL, O_NONBLOCK);
	do {
		struct timespec moment = {0, 5000000};

		nanosleep(&moment, NULL);
		ended = waitpid(-1, NULL, WNOHANG) > 0;
		while (read(ready[0], &byte, 1) == 1)
			count++;
	} while (count < CHILDREN && !ended);
	return count == CHILDREN ? 0 : 1;
}

/* Each that lives writes a byte; they end with this one's sandbox, or group. */
static int hog_processes(const uint64_t *n)
{
	for (uint64_t i = 0; i < n[0]; i++) {
		pid_t child = fork();

		if (child == 0) {
			say("p");
			pause();
			_exit(0);
		}
		if (child < 0)
			return 1;
	}
	return 0;
}

static int hog_files(const uint64_t *n)
{
	uint64_t i = 0;

	while (i < n[0] && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		i++;
	say_number(i + 3); /* and the three that were there */
	return i == n[0] ? 0 : 1;
}

static uint64_t fill(const char *path, uint64_t bytes)
{
	static char block[BLOCK];
	auto_fd int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	uint64_t done = 0;

	while (fd >= 0 && done < bytes) {
		ssize_t n = write(fd, block, sizeof block);

		if (n <= 0)
			break;
		done += (uint64_t)n;
	}
	return done;
}

/* Everywhere but in a workspace of the host, which is not ward's to bound. */
static int hog_disk(const uint64_t *n)
{
	uint64_t total = 0;
	char path[64];

	for (size_t i = 0; places[i]; i++) {
		if (str_eq(places[i], "/workspace") && !n[1])
			continue;
		snprintf(path, sizeof path, "%s/fill", places[i]);
		total += fill(path, n[0]);
	}
	say_number(total);
	return total >= n[0] ? 0 : 1;
}

static int hog_inodes(const uint64_t *n)
{
	uint64_t total = 0;
	char path[64];

	for (size_t i = 0; places[i]; i++)
		for (uint64_t k = 0; k < n[0]; k++) {
			if (str_eq(places[i], "/workspace") && !n[1])
				break;
			snprintf(path, sizeof path, "%s/n%llu", places[i], (unsigned long long)k);
			if (mkdir(path, 0700) < 0)
				break;
			total++;
		}
	say_number(total);
	return total >= n[0] ? 0 : 1;
}

/* One file of that size, in the workspace for somebody to measure, else in /tmp. */
static int hog_file(const uint64_t *n)
{
	signal(SIGXFSZ, SIG_IGN);
	return fill(n[1] ? "/workspace/large" : "/tmp/large", n[0]) >= n[0] ? 0 : 1;
}

static int hog_output(const uint64_t *n)
{
	char block[1024];

	memset(block, 'o', sizeof block);
	for (uint64_t i = 0; i < n[0]; i += sizeof block)
		if (write(STDOUT_FILENO, block, sizeof block) != (ssize_t)sizeof block)
			return 1;
	return 0;
}

/* Milliseconds, in that many processes. */
static int hog_cpu(const uint64_t *n)
{
	struct timespec begin, now;

	for (uint64_t i = 1; i < n[1] && fork() > 0; i++)
		;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((uint64_t)(now.tv_sec - begin.tv_sec) * 1000 + (uint64_t)now.tv_nsec / 1000000 <
		n[0] + (uint64_t)begin.tv_nsec / 1000000);
	while (wait(NULL) > 0)
		;
	return 0;
}

/* A process of its own session, with no parent left, that ignores requests to end. */
static void be_daemon(const char *name, int ready)
{
	setsid();
	if (fork() != 0)
		_exit(0);
	prctl(PR_SET_NAME, name, 0, 0, 0);
	say("stays");
	if (write(ready, "r", 1) == 1)
		sleep(60);
	_exit(0);
}

/* The same; and returns when that one is there. */
static int leave_daemon(const char *name)
{
	int ready[2];
	char byte;

	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (pipe2(ready, O_CLOEXEC) < 0)
		return 2;
	if (fork() == 0)
		be_daemon(name, ready[1]);
	close(ready[1]);
	return read(ready[0], &byte, 1) == 1 ? 0 : 2;
}

static int never_end(const char *name)
{
	leave_daemon(name);
	sleep(60);
	return 0;
}

static const struct {
	const char *name;
	size_t args;
	int (*run)(const uint64_t *n);
} hogs[] = {
	{"hog-memory", 1, hog_memory},
	{"hog-shared", 1, hog_shared},
	{"hog-children", 1, hog_children},
	{"hog-processes", 1, hog_processes},
	{"hog-files", 1, hog_files},
	{"hog-disk", 2, hog_disk},
	{"hog-inodes", 2, hog_inodes},
	{"hog-file", 2, hog_file},
	{"hog-output", 1, hog_output},
	{"hog-cpu", 2, hog_cpu},
};

int verify_inside_hog(char **args, size_t count)
{
	uint64_t n[2] = {0, 0};

	if (count == 2 && str_eq(args[0], "daemon"))
		return leave_daemon(args[1]);
	if (count == 2 && str_eq(args[0], "never-end"))
		return never_end(args[1]);
	for (size_t i = 0; i < ARRAY_LEN(hogs); i++) {
		if (!str_eq(hogs[i].name, args[0]) || hogs[i].args != count - 1)
			continue;
		for (size_t k = 0; k < hogs[i].args; k++)
			if (number_count(args[k + 1], &n[k], NULL) < 0)
				return 2;
		return hogs[i].run(n);
	}
	return -1;
}
