/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Control groups: which version is mounted, where each controller lives, and whether the calling
 * process may make groups there. Reads only. Owns nothing.
 */

#include <stdbool.h>

#define CGROUP_PATH 1024 /* longer ones count as not there */

enum cgroup_controller { CGROUP_MEMORY, CGROUP_CPU, CGROUP_PIDS, CGROUP_COUNT };
extern const char *const cgroup_names[CGROUP_COUNT];

/* What must be done before groups in the base of version 2 can be limited. */
enum cgroup_base {
	CGROUP_BASE_READY,  /* nothing */
	CGROUP_BASE_ENABLE, /* its controllers must be handed down; nobody is in it */
	CGROUP_BASE_OWN,    /* the same, after this process, alone in it, has moved into a group */
};

struct cgroup_view {
	bool v1; /* at least one of the controllers is mounted in version 1 */
	bool v2; /* version 2 is mounted, with or without controllers */
	struct {
		int version; /* 0: nowhere, 1, 2 */
		/*
		 * 0: groups can be made and limited. -ENOENT: not mounted; -EROFS: mounted
		 * read-only; -EACCES: may not be written; -ENOTSUP: not handed down to any group
		 * that may be written.
		 */
		int error;
		unsigned hierarchy;    /* version 1: its number; equal ones share their groups */
		char dir[CGROUP_PATH]; /* version 1: where groups can be made, absolute */
	} controller[CGROUP_COUNT];
	char base[CGROUP_PATH]; /* version 2: where groups can be made, absolute; empty: nowhere */
	enum cgroup_base base_state;
};

/*
 * The view from /proc/self/cgroup under the usual mount point. Both are arguments so that a made-up
 * tree can be looked at; root is normally /sys/fs/cgroup.
 */
void cgroup_look(const char *root, const char *membership, struct cgroup_view *ret);

/* The same of this process, looked at once: it is asked for twice on the way of a command. */
const struct cgroup_view *cgroup_here(void);
