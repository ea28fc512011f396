/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Version 2 limits groups only where the group above hands its controllers down, and a group that
 * does may hold no processes. This makes the base of sys/cgroup.h ready, and undoes what only
 * concerned this process. Called by sys/leaf.h.
 */

#include "sys/cgroup.h"
#include "sys/leaf_group.h"

/* ret_own: the group that this process had to move to; untouched where it needed none. */
int leaf_base_ready(const struct cgroup_view *v, struct leaf_group *ret_own);

/* Back from it, if there is one; every other group of this process in the base is gone by now. */
int leaf_base_restore(struct leaf_group *own);
