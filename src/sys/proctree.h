/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who started whom, as /proc says it at this moment: a process's parent, session and terminal, and
 * what stands below it. Numbers of processes are used again; the time of the start tells two of
 * them apart. 0, a count or a negative errno.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proctree_row {
	pid_t pid, parent, session;
	int terminal;     /* device of the controlling one; 0: none */
	uint64_t started; /* ticks since the machine's start */
	uid_t uid;
};

/* -ESRCH: it is gone. */
int proctree_look(pid_t pid, struct proctree_row *ret);

/*
 * A process and those above it, up to the first one of this namespace; at most max. As they are at
 * one moment: -EAGAIN when they change all the time. Returns how many.
 */
int proctree_above(pid_t pid, struct proctree_row *ret, size_t max);

/* A signal for every process below that one; to how many it went. */
int proctree_signal(pid_t top, int number);
