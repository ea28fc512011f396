/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The card of a sandbox that lives: what others may know of it without asking it. It is the content
 * of the file whose lock its supervisor holds: locked, the sandbox lives; not locked, it is what is
 * left of one. Written by the supervisor only; whoever reads it must not believe that a text ends.
 */

#include <stdint.h>

#define CARD_VERSION 0x57430002u
#define CARD_FILES 3

/* CARD_WAITING: nobody's yet. */
enum card_state { CARD_STARTING, CARD_RUNNING, CARD_STOPPING, CARD_WAITING, CARD_STATE_COUNT };

/* A configuration file as it was read; inode 0: there was none. */
struct card_file {
	uint64_t device, inode, size;
	int64_t changed_ns;
};

struct card {
	uint32_t version, size;
	int32_t pid;        /* of the supervisor */
	int32_t state;      /* enum card_state */
	int64_t created_ms; /* by the calendar */
	uint64_t began_ms;  /* by the clock that counts from the machine's start, as all below */
	char session[1088], agent[72], scope[16], runtime[16], network[16], workspace[1024];
	uint8_t config[32];
	/* The configuration files: the administrator's, the user's, the workspace's. */
	char paths[CARD_FILES][1024];
	struct card_file files[CARD_FILES];
	uint64_t device, inode; /* of the workspace inside; 0: not known yet */
	/* These change. */
	uint64_t used_ms; /* when the last command ended or began */
	uint64_t served, cpu_us, memory, memory_peak;
	uint32_t running, background;
};

extern const char *const card_state_names[];
/* Every text ends, every number is one that can be. False: it is no card of this version. */
int card_check(struct card *c, uint64_t size);
