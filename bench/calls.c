/* SPDX-License-Identifier: Apache-2.0 */

/*
 * calls [--filter] COUNT
 *
 * Makes a system call that does next to nothing, COUNT times, and prints how long one takes, in
 * nanoseconds. With --filter it first loads a system call filter of one rule: what any filter
 * costs.
 */

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int load_filter(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_acct, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {.len = sizeof rules / sizeof rules[0], .filter = rules};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int filter = argc > 1 && strcmp(argv[1], "--filter") == 0;
	long count = argc == 2 + filter ? strtol(argv[1 + filter], NULL, 10) : 0;
	double start;

	if (count < 1) {
		fprintf(stderr, "usage: calls [--filter] COUNT\n");
		return 2;
	}
	if (filter && load_filter() != 0) {
		perror("calls: load a system call filter");
		return 1;
	}
	start = now();
	for (long i = 0; i < count; i++)
		syscall(SYS_getppid);
	printf("%.2f\n", (now() - start) / (double)count);
	return 0;
}
