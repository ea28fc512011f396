/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What commands in sandboxes that live have used: rows of fixed size at the end of a file in ward's
 * own folder, put there by one write each, by many processes at once and without a lock. Whatever
 * is killed, or a full disk, leaves whole rows and at most a part of one, which readers skip. A
 * file that is large enough is put aside, and the one put aside before is gone.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/usage.h"

#define HISTORY_ROWS 50000 /* in one file */

struct history {
	int folder; /* ward's own; -1: nothing is kept */
	int file;
	unsigned since; /* rows that were written since the size was looked at */
};

/* Without a folder, or where it cannot be made, nothing is kept: a command does not fail for it. */
void history_open(struct history *h, const char *state);
/* Completes the row and keeps it. */
void history_add(struct history *h, struct usage_row *row);

/* All rows that are there, the oldest first. */
typedef void history_fn(void *ctx, const struct usage_row *row);
int history_read(const char *state, history_fn *fn, void *ctx, struct err *e);
