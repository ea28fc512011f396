/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A terminal used as a whole: keys come one by one and without echo, the text that was there comes
 * back afterwards, also when the process is ended by a signal that asks it to.
 */

#include <stdbool.h>

struct screen_size {
	unsigned rows, columns;
};

/* 0 or a negative errno; -ENOTTY: standard input or output is no terminal. */
int screen_begin(void);
void screen_end(void);
struct screen_size screen_size(void);

enum screen_key {
	SCREEN_NONE = 256, /* nothing within the time */
	SCREEN_RESIZED,
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_QUIT, /* asked to end */
};
/* A character, or one of those above. */
int screen_read_key(int wait_ms);
