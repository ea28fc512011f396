/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Too much of something; the arguments say how much, so that none of it is without end. Those that
 * count print how far they came before the answer.
 */

#define MIB (1UL << 20)
#define PAGE 4096UL

static int touch(char *p, unsigned long bytes)
{
	if (p == MAP_FAILED)
		return -errno;
	for (unsigned long i = 0; i < bytes; i += PAGE)
		p[i] = 1;
	return 0;
}

static int run_memory(const struct attempt *self, int argc, char **argv)
{
	unsigned long bytes = payload_number(argc, argv, 0) * MIB;

	(void)self;
	return touch(mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
		bytes);
}

static int run_memory_shared(const struct attempt *self, int argc, char **argv)
{
	unsigned long bytes = payload_number(argc, argv, 0) * MIB;
	int fd = memfd_create("hog", MFD_CLOEXEC);

	(void)self;
	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0)
		return -errno;
	return touch(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), bytes);
}

/* The children of this process, which is the first of a group of its own. */
static void end_group(void)
{
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);
}

/* MIB COUNT: that many children, each with its part, which they hold until all have it. */
static int run_memory_children(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 1), done = 0;
	unsigned long part = payload_number(argc, argv, 0) * MIB / (count ? count : 1);
	int ready[2];
	char byte = 'r';

	(void)self;
	setpgid(0, 0);
	if (pipe(ready) < 0)
		return -errno;
	for (unsigned long i = 0; i < count; i++) {
		if (fork() != 0)
			continue;
		close(ready[0]);
		if (touch(mmap(NULL, part, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
			    part) == 0 &&
			write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	while (done < count && waitpid(-1, NULL, WNOHANG) == 0)
		if (poll(&(struct pollfd){.fd = ready[0], .events = POLLIN}, 1, 20) > 0)
			done += read(ready[0], &byte, 1) == 1;
	end_group();
	printf("%lu\n", done);
	return done == count ? 0 : -ENOMEM;
}

static int run_processes(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0), i;
	int r = 0;

	(void)self;
	setpgid(0, 0);
	for (i = 0; i < count && r == 0; i++) {
		pid_t child = fork();

		if (child == 0) {
			pause();
			_exit(0);
		}
		if (child < 0)
			r = -errno;
	}
	printf("%lu\n", r < 0 ? i - 1 : i);
	end_group();
	return r;
}

static void *wait_for_ever(void *p)
{
	pause();
	return p;
}

static int run_threads(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0), i;
	pthread_attr_t small;
	pthread_t thread;
	int r = 0;

	(void)self;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16 * PAGE);
	for (i = 0; i < count && r == 0; i++)
		r = -pthread_create(&thread, &small, wait_for_ever, NULL);
	printf("%lu\n", r < 0 ? i - 1 : i);
	return r;
}

static int run_files(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0), i = 0;

	(void)self;
	while (i < count && open("/dev/null", O_RDONLY) >= 0)
		i++;
	printf("%lu\n", i);
	return i == count ? 0 : -errno;
}

/* FILE MIB */
static int run_fill(const struct attempt *self, int argc, char **argv)
{
	static char block[MIB];
	unsigned long count = payload_number(argc, argv, 1), i;
	int fd = argc > 0 ? open(argv[0], O_CREAT | O_WRONLY, 0600) : -1;

	(void)self;
	if (fd < 0)
		return -errno;
	memset(block, 'x', sizeof block);
	for (i = 0; i < count; i++)
		if (write(fd, block, sizeof block) != (ssize_t)sizeof block) {
			int r = errno ? -errno : -ENOSPC;

			printf("%lu\n", i);
			return r;
		}
	return 0;
}

/* FOLDER COUNT */
static int run_many(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 1);
	char path[256];

	(void)self;
	for (unsigned long i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%lu", argc > 0 ? argv[0] : ".", i);
		if (mknod(path, S_IFREG | 0600, 0) < 0) {
			int r = -errno;

			printf("%lu\n", i);
			return r;
		}
	}
	return 0;
}

/* COUNT: as much as a pipe takes in each. */
static int run_pipes(const struct attempt *self, int argc, char **argv)
{
	static char block[MIB];
	unsigned long count = payload_number(argc, argv, 0);
	int p[2];

	(void)self;
	for (unsigned long i = 0; i < count; i++) {
		if (pipe2(p, O_NONBLOCK) < 0) {
			int r = -errno;

			printf("%lu\n", i);
			return r;
		}
		(void)fcntl(p[1], F_SETPIPE_SZ, MIB);
		while (write(p[1], block, sizeof block) > 0)
			;
	}
	return 0;
}

static int run_inotify(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0), i = 0;

	(void)self;
	while (i < count && inotify_init1(IN_CLOEXEC) >= 0)
		i++;
	printf("%lu\n", i);
	return i == count ? 0 : -errno;
}

/* KIB [FD [LINE]]: that much text, in lines of so many bytes or in one. */
static int run_output(const struct attempt *self, int argc, char **argv)
{
	unsigned long left = payload_number(argc, argv, 0) * 1024,
		      line = payload_number(argc, argv, 2);
	int fd = argc > 1 ? (int)payload_number(argc, argv, 1) : 1;
	static char block[64 * 1024];

	(void)self;
	memset(block, 'y', sizeof block);
	for (unsigned long i = line; line && i <= sizeof block; i += line)
		block[i - 1] = '\n';
	while (left > 0) {
		ssize_t n = write(fd, block, left < sizeof block ? left : sizeof block);

		if (n < 0)
			return -errno;
		left -= (unsigned long)n;
	}
	return 0;
}

/* COUNT: folders in folders. */
static int run_deep(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0);

	(void)self;
	for (unsigned long i = 0; i < count; i++)
		if (mkdir("d", 0700) < 0 || chdir("d") < 0)
			return -errno;
	return 0;
}

const struct attempt payload_hogs[] = {
	{"hog", "memory", run_memory, 0, {0}},
	{"hog", "memory-shared", run_memory_shared, 0, {0}},
	{"hog", "memory-children", run_memory_children, 0, {0}},
	{"hog", "processes", run_processes, 0, {0}},
	{"hog", "threads", run_threads, 0, {0}},
	{"hog", "files", run_files, 0, {0}},
	{"hog", "fill", run_fill, 0, {0}},
	{"hog", "many", run_many, 0, {0}},
	{"hog", "pipes", run_pipes, 0, {0}},
	{"hog", "inotify", run_inotify, 0, {0}},
	{"hog", "output", run_output, 0, {0}},
	{"hog", "deep", run_deep, 0, {0}},
	{0},
};
