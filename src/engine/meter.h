/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How much a sandbox stores in folders of ward's own: the layer of its workspace, its private
 * workspace, its caches. They lie on a file system of the host, which knows no limit for them. The
 * supervisor counts them again and again while commands run, a little at a time, the more often the
 * less room is left. Nothing in them is believed or followed.
 */

#include "model/plan.h"
#include "model/result.h"

#include <dirent.h>

#define METER_DEPTH 256
#define METER_FOLDERS 8

struct meter {
	int folders[METER_FOLDERS];
	int count; /* 0: nothing to count */
	int next;  /* of them in this count */
	uint64_t size_limit, file_limit;
	uint64_t due; /* us; 0: not now */
	DIR *at[METER_DEPTH];
	int modes[METER_DEPTH]; /* of those, that were changed to get in; -1 */
	int depth;              /* folders that are open */
	bool counting;
	uint64_t began;
	uint64_t size, files;            /* of this count so far */
	uint64_t last_size;              /* of the last whole one */
	uint64_t size_floor, file_floor; /* what it may grow to: the limit, or a little more than it
					    held already */
	bool known;                      /* they are */
};

void meter_init(struct meter *m, const struct plan *p);
void meter_free(struct meter *m);
/* Somebody begins to work; nobody does any more. */
void meter_begin(struct meter *m, uint64_t now);
void meter_pause(struct meter *m);
/* Counts on, when it is due. The limit that was passed; HIT_COUNT: none. */
enum limit_hit meter_look(struct meter *m, uint64_t now);
