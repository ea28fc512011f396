/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Attempts to do what a sandboxed program must not be able to do, for tests/escape. Each is a row;
 * it either happens (0) or somebody refuses it (a negative errno). Where it can be arranged, the
 * arguments are such that the kernel itself would answer EFAULT, EBADF or EINVAL: EPERM or ENOSYS
 * then proves that a filter stood before it, and nothing happens where there is none. The tables
 * belong to the files that are named after them.
 */

struct attempt {
	const char *group, *name; /* no name: the end of a table */
	int (*run)(const struct attempt *self, int argc, char **argv);
	long nr;              /* for run = payload_raw: the system call */
	unsigned long arg[6]; /* and its arguments; other functions may use the first ones */
};

/* Makes the system call of the row. */
int payload_raw(const struct attempt *self, int argc, char **argv);
/* 0 stays 0, else -errno: for calls that answer -1. */
int payload_result(long r);
/* A number from the command line; absent is 0. */
unsigned long payload_number(int argc, char **argv, int i);

extern const struct attempt payload_calls[], payload_spaces[], payload_sockets[], payload_modes[],
	payload_writes[], payload_hogs[], payload_lives[], payload_races[];
