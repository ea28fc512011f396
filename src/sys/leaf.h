/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The control groups of one sandbox: a leaf in each hierarchy that a limit needs, and nowhere else.
 * What holds each limit is answered one by one; whether that is enough is for the caller to say.
 * Owns groups and descriptors until leaf_remove. No allocation.
 *
 * Version 1: the program writes itself into the groups (leaf_attach_self) and is alone in them with
 * its children. Version 2: the sandbox's first process is born in the group (leaf_clone_fd), and so
 * it is in the group as well; the limit of processes is one higher for its sake. Moving a process
 * from outside would cost ten milliseconds in either.
 */

#include "sys/cgroup.h"
#include "sys/leaf_group.h"

#include <stdint.h>

enum leaf_limit {
	LEAF_MEMORY, /* bytes */
	LEAF_SWAP,   /* bytes, on top of the memory */
	LEAF_CPUS,   /* thousandths */
	LEAF_PIDS,   /* processes and threads */
	LEAF_COUNT
};

#define LEAF_FREE UINT64_MAX /* no limit */

struct leaf_limits {
	uint64_t at[LEAF_COUNT];
};

enum leaf_by {
	LEAF_BY_NONE, /* not held; see error */
	LEAF_BY_CGROUP1,
	LEAF_BY_CGROUP2,
	LEAF_BY_MACHINE, /* no swap, or no more processors: nothing could go beyond */
	LEAF_UNASKED,    /* there is no limit */
};

struct leaf {
	struct {
		enum leaf_by by;
		int error; /* LEAF_BY_NONE: the negative errno that tells why */
	} held[LEAF_COUNT];
	struct leaf_group group[CGROUP_COUNT];
	unsigned hierarchy[CGROUP_COUNT]; /* of each group */
	int count;                        /* of groups */
	int of[CGROUP_COUNT];             /* which group has the controller; -1: none */
	struct leaf_group
		own; /* where this process had to move, version 2 only; base -1: nowhere */
	struct leaf_limits limits;
	uint64_t peak; /* the most that was seen */
};

/* A leaf without groups, for leaf_remove. */
void leaf_init(struct leaf *ret);
/*
 * Groups for the limits that can be exceeded here, as far as the controllers can be had. Does not
 * fail: leaf->held tells what came of it. Every leaf is given back by leaf_remove.
 */
void leaf_make(const struct cgroup_view *v, const struct leaf_limits *limits, struct leaf *ret);

/*
 * Puts the calling thread, which should be the only one of its process, into the groups of version
 * 1. Safe after vfork. Returns 0 or a negative errno; then the program must not be run.
 */
int leaf_attach_self(const struct leaf *l);

/* For clone3 with CLONE_INTO_CGROUP; -1: there is no group of version 2. */
int leaf_clone_fd(const struct leaf *l);

/* Kills everything in the group of version 2. Version 1 has no means: the namespace does it. */
void leaf_kill(const struct leaf *l);

struct leaf_usage {
	uint64_t memory_peak; /* bytes; 0: not known */
	uint64_t oom_kills;   /* processes killed because of the memory limit */
	uint64_t pids_hits;   /* forks refused because of the limit of processes */
};

/*
 * What was used and how often limits were met. Reads one small file; kills by the memory limit are
 * asked for only when the peak came near it, refused forks never, unless all is set: for a command
 * that failed. Where the kernel keeps no peak (version 2 before 5.19) it is the most that this call
 * ever saw.
 */
void leaf_usage(struct leaf *l, bool all, struct leaf_usage *ret);

/* Removes the groups, once everybody in them is gone or about to be. 0 or the first failure. */
int leaf_remove(struct leaf *l);

/*
 * Removes what killed supervisors left where this one makes its groups. Costs an open and an fstat
 * for each hierarchy when there is nothing but own, and can wait until the program runs. Returns
 * how many groups went.
 */
int leaf_sweep(const struct cgroup_view *v, const struct leaf *own);
