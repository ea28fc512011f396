/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What is written to and read from the files of a control group, in either version: names, units
 * and forms, and nothing about folders. Owns nothing. Called by sys/leaf.h.
 */

#include "sys/leaf.h"

/* The controller that has a limit. */
enum cgroup_controller leaf_files_controller(enum leaf_limit what);

/* Sets one limit in the group at dir. Memory goes before swap. Returns 0 or a negative errno. */
int leaf_files_limit(int dir, int version, enum leaf_limit what, const struct leaf_limits *limits);

/* Each returns 0 or a negative errno. Of ret_kept: the kernel keeps a peak, and this is it. */
int leaf_files_peak(int dir, int version, uint64_t *ret, bool *ret_kept);
int leaf_files_oom_kills(int dir, int version, uint64_t *ret);
int leaf_files_pids_hits(int dir, uint64_t *ret);
