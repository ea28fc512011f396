/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/*
 * Changing what a name means while somebody looks at it. Each prints how often it tried, how often
 * that worked and how often it was refused: a race in which both did not happen was none.
 */

static atomic_bool stop;

struct flip {
	_Atomic uint32_t *word;
	uint32_t a, b;
};

static void *flip_word(void *p)
{
	struct flip *f = p;

	while (!stop) {
		atomic_store_explicit(f->word, f->a, memory_order_relaxed);
		atomic_store_explicit(f->word, f->b, memory_order_relaxed);
	}
	return NULL;
}

struct exchange {
	const char *a, *b;
	unsigned long count;
};

static void *exchange_names(void *p)
{
	struct exchange *x = p;

	while (!stop)
		if (syscall(SYS_renameat2, AT_FDCWD, x->a, AT_FDCWD, x->b, RENAME_EXCHANGE) == 0)
			x->count++;
	return NULL;
}

struct tally {
	unsigned long tried, worked, refused;
};

/* One byte through the name. */
static void poke(struct tally *t, const char *path, int flags)
{
	int fd = open(path, flags, 0644);

	t->tried++;
	if (fd >= 0 && write(fd, "X", 1) == 1)
		t->worked++;
	else
		t->refused++;
	if (fd >= 0)
		close(fd);
}

/* Other changes than writing, each by name. */
static int change(const char *path, const char *how)
{
	if (strcmp(how, "chmod") == 0)
		return chmod(path, 0777);
	if (strcmp(how, "truncate") == 0)
		return truncate(path, 1);
	if (strcmp(how, "xattr") == 0)
		return setxattr(path, "user.race", "X", 1, 0);
	if (strcmp(how, "chown") == 0)
		return chown(path, (uid_t)-1, getgid());
	if (strcmp(how, "link") == 0)
		return link(path, "way-link") < 0 ? -1 : unlink("way-link");
	if (strcmp(how, "unlink") == 0) /* what is free is there again for the next time */
		return unlink(path) < 0 || access("/tmp/config", F_OK) == 0 ||
				       mknod("/tmp/config", S_IFREG | 0644, 0) < 0
			       ? -1
			       : 0;
	errno = EINVAL;
	return -1;
}

static int report(const struct tally *t)
{
	printf("tried %lu worked %lu refused %lu\n", t->tried, t->worked, t->refused);
	return t->worked > 0 ? 0 : -EACCES;
}

/* COUNT A B: two names of which only the first four bytes differ; another thread changes them in
 * place. */
static int run_memory(const struct attempt *self, int argc, char **argv)
{
	static _Alignas(8) char path[256];
	unsigned long count = payload_number(argc, argv, 0);
	struct tally t = {0};
	struct flip f = {(_Atomic uint32_t *)(void *)path, 0, 0};
	pthread_t thread;

	(void)self;
	if (argc < 3 || strlen(argv[1]) < 4 || strcmp(argv[1] + 4, argv[2] + 4) != 0)
		return -EINVAL;
	memcpy(&f.a, argv[1], 4);
	memcpy(&f.b, argv[2], 4);
	snprintf(path, sizeof path, "%s", argv[1]);
	if (pthread_create(&thread, NULL, flip_word, &f) != 0)
		return -EAGAIN;
	while (t.tried < count && argc < 4)
		poke(&t, path, O_WRONLY | O_APPEND | O_CREAT);
	for (; t.tried < count; t.tried++)
		if (change(path, argv[3]) == 0)
			t.worked++;
		else
			t.refused++;
	stop = true;
	pthread_join(thread, NULL);
	return report(&t);
}

/* COUNT A B REST: A and B change places all the time; writes to A/REST. */
static int run_folders(const struct attempt *self, int argc, char **argv)
{
	unsigned long count = payload_number(argc, argv, 0);
	struct exchange x = {argc > 1 ? argv[1] : "a", argc > 2 ? argv[2] : "b", 0};
	struct tally t = {0};
	pthread_t thread;
	char path[256];

	(void)self;
	snprintf(path, sizeof path, "%s/%s", x.a, argc > 3 ? argv[3] : "file");
	if (pthread_create(&thread, NULL, exchange_names, &x) != 0)
		return -EAGAIN;
	while (t.tried < count)
		poke(&t, path, O_WRONLY | O_APPEND | O_CREAT);
	stop = true;
	pthread_join(thread, NULL);
	printf("exchanged %lu\n", x.count);
	return report(&t);
}

/* A B [SECONDS]: they change places until this process is ended. */
static int run_exchange(const struct attempt *self, int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 2 ? (time_t)payload_number(argc, argv, 2) : 60);

	(void)self;
	if (argc < 2)
		return -EINVAL;
	while (time(NULL) < end)
		for (int i = 0; i < 100; i++)
			if (syscall(SYS_renameat2, AT_FDCWD, argv[0], AT_FDCWD, argv[1],
				    RENAME_EXCHANGE) < 0)
				return -errno;
	return 0;
}

const struct attempt payload_races[] = {
	{"race", "memory", run_memory, 0, {0}},
	{"race", "folders", run_folders, 0, {0}},
	{"race", "exchange", run_exchange, 0, {0}},
	{0},
};
