/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/process.h"

#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGHEST 200

/* In a child: a bit for each of the first descriptors that stays open. */
static int left_open(const int *kept, size_t count)
{
	static const int opened[] = {3, 4, 5, 6, 7, HIGHEST};
	int left = 0;

	for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
		if (dup2(STDERR_FILENO, opened[i]) < 0)
			return -1;
	if (process_close_but(kept, count) < 0)
		return -1;
	for (size_t i = 0; i < sizeof opened / sizeof *opened; i++)
		left |= (fcntl(opened[i], F_GETFD) >= 0) << i;
	return fcntl(STDERR_FILENO, F_GETFD) < 0 ? -1 : left;
}

static int in_child(const int *kept, size_t count)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(left_open(kept, count));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_close_but(void)
{
	check_int(in_child(NULL, 0), 0);
	check_int(in_child((const int[]){-1, 2}, 2), 0);
	check_int(in_child((const int[]){3}, 1), 1 << 0);
	check_int(in_child((const int[]){HIGHEST, -1, 6, 4, 6}, 5), 1 << 5 | 1 << 3 | 1 << 1);
	check_int(in_child((const int[]){3, 4, 5, 6, 7, HIGHEST}, 6), 63);
}

static const struct test tests[] = {
	{"every descriptor is closed but those that are named", test_close_but},
};

TEST_MAIN(tests)
