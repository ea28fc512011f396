/* SPDX-License-Identifier: Apache-2.0 */

/*
 * payload GROUP/NAME [ARGUMENT...]   makes one attempt
 * payload --group GROUP [ARGUMENT...]  all of a group, each in a process of its own
 * payload --list                     their names
 *
 * Prints a line an attempt: the name, and OK, the name of the errno, or the signal that ended it.
 * The exit status is 0 when (any of) it happened, 1 when all was refused, 2 for a wrong call.
 */

#include "payload.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct attempt *const tables[] = {payload_calls, payload_spaces, payload_sockets,
	payload_modes, payload_writes, payload_hogs, payload_lives, payload_races};

#define NAME(x) [x] = #x
static const char *const errno_names[] = {NAME(EPERM), NAME(ENOENT), NAME(ESRCH), NAME(EINTR),
	NAME(EIO), NAME(ENXIO), NAME(E2BIG), NAME(ENOEXEC), NAME(EBADF), NAME(ECHILD), NAME(EAGAIN),
	NAME(ENOMEM), NAME(EACCES), NAME(EFAULT), NAME(EBUSY), NAME(EEXIST), NAME(EXDEV),
	NAME(ENODEV), NAME(ENOTDIR), NAME(EISDIR), NAME(EINVAL), NAME(ENFILE), NAME(EMFILE),
	NAME(ENOTTY), NAME(ETXTBSY), NAME(EFBIG), NAME(ENOSPC), NAME(EROFS), NAME(EMLINK),
	NAME(ENOSYS), NAME(ELOOP), NAME(EOPNOTSUPP), NAME(EAFNOSUPPORT), NAME(EPROTONOSUPPORT),
	NAME(ESOCKTNOSUPPORT), NAME(ENOTEMPTY), NAME(EUSERS), NAME(ENOKEY), NAME(EDQUOT)};

int payload_result(long r)
{
	return r < 0 ? -errno : 0;
}

int payload_raw(const struct attempt *self, int argc, char **argv)
{
	const unsigned long *a = self->arg;

	(void)argc;
	(void)argv;
	return payload_result(syscall(self->nr, a[0], a[1], a[2], a[3], a[4], a[5]));
}

unsigned long payload_number(int argc, char **argv, int i)
{
	return i < argc ? strtoul(argv[i], NULL, 0) : 0;
}

static void say(const char *name, int r)
{
	size_t n = (size_t)-r;

	if (r == 0)
		printf("%s: OK\n", name);
	else if (n < sizeof(errno_names) / sizeof(errno_names[0]) && errno_names[n])
		printf("%s: %s\n", name, errno_names[n]);
	else
		printf("%s: errno %d\n", name, -r);
	fflush(stdout);
}

/* In a child: an attempt may change the process, or end it. Answers whether it happened. */
static bool try_apart(const struct attempt *row, int argc, char **argv)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int r = row->run(row, argc, argv);

		say(row->name, r);
		_exit(r == 0 ? 0 : 1);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		printf("%s: could not be tried\n", row->name);
		return false;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		printf("%s: SIGSYS\n", row->name);
	else if (WIFSIGNALED(status))
		printf("%s: signal %d\n", row->name, WTERMSIG(status));
	fflush(stdout);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int try_group(const char *group, int argc, char **argv)
{
	int tried = 0, happened = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct attempt *row = tables[i]; row->name; row++)
			if (strcmp(row->group, group) == 0) {
				tried++;
				happened += try_apart(row, argc, argv);
			}
	return tried == 0 ? 2 : happened == 0;
}

static int try_one(const char *name, int argc, char **argv)
{
	char full[64];
	int r;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct attempt *row = tables[i]; row->name; row++) {
			snprintf(full, sizeof full, "%s/%s", row->group, row->name);
			if (strcmp(full, name) != 0)
				continue;
			r = row->run(row, argc, argv);
			say(row->name, r);
			return r != 0;
		}
	fprintf(stderr, "payload: there is no attempt '%s'\n", name);
	return 2;
}

static int list(void)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct attempt *row = tables[i]; row->name; row++)
			printf("%s/%s\n", row->group, row->name);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list();
	if (argc >= 3 && strcmp(argv[1], "--group") == 0)
		return try_group(argv[2], argc - 3, argv + 3);
	if (argc >= 2 && argv[1][0] != '-')
		return try_one(argv[1], argc - 2, argv + 2);
	fprintf(stderr, "usage: payload GROUP/NAME [ARGUMENT...] | --group GROUP [ARGUMENT...] | "
			"--list\n");
	return 2;
}
