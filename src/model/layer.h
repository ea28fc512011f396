/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Layers: what a sandbox can keep a program from, each named by one word, and the mechanisms that
 * can enforce them. A requirement is a layer, or a layer with the weakest mechanism that is good
 * enough
 * ("memory", "memory:cgroup"). Pure. Used by configuration checks, by the choice of a runtime, by
 * doctor.
 */

#include "base/err.h"

#include <stdbool.h>

enum layer_id {
	LAYER_FILESYSTEM,
	LAYER_NETWORK,
	LAYER_PROCESSES,
	LAYER_SYSCALLS,
	LAYER_MEMORY,
	LAYER_CPU,
	LAYER_PIDS,
	LAYER_DISK,
	LAYER_LANDLOCK,
	LAYER_COUNT
};

/* What enforces a layer; a set, because some layers have two walls. */
enum mechanism {
	MECHANISM_NAMESPACE = 1 << 0,
	MECHANISM_LANDLOCK = 1 << 1,
	MECHANISM_SECCOMP = 1 << 2,
	MECHANISM_CGROUP1 = 1 << 3,
	MECHANISM_CGROUP2 = 1 << 4,
	MECHANISM_RLIMIT = 1 << 5,
	MECHANISM_WATCHDOG = 1 << 6,
	MECHANISM_TMPFS = 1 << 7,
	MECHANISM_GVISOR = 1 << 8,
	MECHANISM_VM = 1 << 9,
	MECHANISM_QUOTA = 1 << 10,
	MECHANISM_CONTAINER = 1 << 11, /* made by somebody else, taken as it is */
};

/*
 * Whether a layer is enforced. All texts are constant. When it is, why and remedy are NULL, or say
 * what keeps a stronger mechanism away.
 */
struct layer_answer {
	bool enforced;
	unsigned mechanisms;   /* set of enum mechanism */
	const char *mechanism; /* in words: "cgroup2", "mount namespace and landlock", "none" */
	const char *why;
	const char *remedy;
};

struct layer_require {
	enum layer_id layer;
	unsigned accepted; /* set of enum mechanism, one of which must enforce the layer; 0 = any */
};

extern const char *const layer_names[LAYER_COUNT + 1]; /* in order of the enum, NULL at the end */

/* The layers that every sandbox must have unless somebody wrote otherwise: the first four. */
#define LAYER_DEFAULT_COUNT 4

int layer_require_parse(const char *text, struct layer_require *ret, struct err *e);
/* The same as a question, for tables of configuration keys. */
int layer_require_check(const char *text, struct err *e);
bool layer_require_met(const struct layer_require *require, const struct layer_answer *answer);
