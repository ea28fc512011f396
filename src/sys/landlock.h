/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Landlock: rules about files that a process lays on itself. */

#include <stdbool.h>
#include <stdint.h>

/*
 * The version of the interface, from 1 on. -ENOSYS: the kernel does not know Landlock; -EOPNOTSUPP:
 * it does, but it is not among the security modules that were chosen at boot.
 */
int landlock_abi(void);
/* Lays a rule set on the calling process for good that forbids to make device nodes; for a child
 * that tries. */
int landlock_try(void);

/*
 * A rule set under construction: the descriptor to which rules are added, and what the kernel can
 * control. Everything that can be controlled is forbidden until a rule allows it.
 */
struct landlock {
	int fd;
	uint64_t handled;
};

enum landlock_right {
	LANDLOCK_READ = 1 << 0,   /* open for reading, list folders, execute */
	LANDLOCK_WRITE = 1 << 1,  /* change files, make and remove names */
	LANDLOCK_DEVICE = 1 << 2, /* write to and control device nodes */
};

/* Also cuts off sockets and signals to outside, where the kernel can. The caller owns fd. */
int landlock_make(unsigned abi, struct landlock *ret);
/* Allows rights (a set of enum landlock_right) on the open file or folder and all below it. */
int landlock_allow(const struct landlock *l, int fd, bool folder, unsigned rights);
/* Lays the rules on the calling process, which must have given up new privileges. */
int landlock_enforce(const struct landlock *l);
