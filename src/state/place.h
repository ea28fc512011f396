/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where sandboxes that live are found: a folder of the user's own that goes away with the next
 * start of the machine, with a socket and a card for each. Whoever holds the lock is the sandbox's
 * supervisor, and the file that is locked says what it is like; the socket is there from the moment
 * when it can be asked. Who makes a sandbox holds the lock of making, so that two callers at once
 * make one.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/card.h"

#include <stdbool.h>
#include <stddef.h>

#define PLACE_NAME 96 /* of a file in the folder */

/* Its path, whether it exists or not. */
const char *place_path(struct arena *a);
/* Opened, made where it is not there; nobody else may be able to write in it. */
int place_open(struct arena *a, struct err *e);

enum place_lock { PLACE_MAKE, PLACE_LIFE };
/* A descriptor: held until it is closed everywhere. -EBUSY: not within that time. */
int place_lock(int place, const char *sandbox, enum place_lock which, unsigned wait_ms);
/* Room for its card in the file that is its lock of life; munmap() by whoever wants to. */
int place_card(int lock, struct card **ret);

struct place_row {
	const char *name;
	bool alive, held; /* held: by somebody, who may not be one yet */
	struct card card; /* alive: what it says of itself */
	int broken;       /* why the card cannot be read; 0 */
};

/* One of them. -ENOENT: there is none of that name. */
int place_read(int place, const char *name, struct place_row *ret);
/* Until that very one does not live any more. -ETIMEDOUT. */
int place_wait(int place, const struct place_row *which, unsigned wait_ms);
/* All that left a name here, running or not. */
int place_list(int place, struct arena *a, struct place_row **ret, size_t *ret_count);
/* Removes what is left of one that no longer lives. -EBUSY: it does. */
int place_forget(int place, const char *name);
/* The same by whoever holds its lock of life, unless somebody is about to make the next one. */
void place_leave(int place, const char *name);
/* The same by whoever holds the lock of making, when nothing came of it. */
void place_give_up(int place, const char *name);
