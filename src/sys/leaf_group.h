/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One control group's folder, of either version: made, owned, removed, and swept away when its
 * owner was killed. Whose it is, is told by a lock on the folder: the kernel lets go of it when the
 * last process that has the folder open is gone, so that no number of a process is ever trusted.
 * Owns its descriptors. Called by sys/leaf.h.
 */

#include <stddef.h>

#define LEAF_GROUP_NAME 40

struct leaf_group {
	int version;
	int base;  /* the folder that it is in */
	int dir;   /* itself; holds the lock */
	int tasks; /* version 1: where a thread writes itself in; else -1 */
	char name[LEAF_GROUP_NAME];
};

/* A group without limits in the folder at `base`. Returns 0 or a negative errno. */
int leaf_group_make(const char *base, int version, struct leaf_group *ret);

/* Opens a file of the group, writes the text, closes it. Returns 0 or a negative errno. */
int leaf_group_write(int dir, const char *file, const char *text);

/*
 * Removes the group and closes what was open. Waits for processes that are about to end, not for
 * others: then -EBUSY, and the folder is left for a sweep.
 */
int leaf_group_remove(struct leaf_group *g);

/*
 * Removes the groups in the folder that were made here by a process of the same user that no longer
 * lives. Where not more than `known` groups are in it, that is all it finds out. Returns how many
 * went.
 */
int leaf_group_sweep(const char *base, size_t known);
