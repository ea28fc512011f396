/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Starting processes in new namespaces, their ids, and what they hold open. 0, a pid, or a negative
 * errno.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A copy of the calling process in new namespaces (a set of CLONE_NEW*) and, with a descriptor of a
 * version 2 group, in that group. Returns the pid, and 0 in the child.
 */
pid_t process_start(unsigned long namespaces, int cgroup);
/* The ids of a process in a new user namespace: one inside for one of the host. */
int process_map(pid_t pid, uid_t inside_uid, uid_t host_uid, gid_t inside_gid, gid_t host_gid,
	bool deny_setgroups);
/* The user namespace of a process, as a descriptor. */
int process_user_namespace(pid_t pid);
/* Waits for the end of a child; -ETIMEDOUT. SIGCHLD must be blocked. */
int process_wait(pid_t pid, unsigned ms);
/* Closes every descriptor above 2 but these, of which some may be -1. */
int process_close_but(const int *kept, size_t count);
/* Raises the loopback interface of the calling process's network namespace. */
int process_raise_lo(void);
