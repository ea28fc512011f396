/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The caller's terminal while a command has one of its own in the sandbox: raw, so that every key
 * goes in; given back as it was whenever the caller's shell gets it. Owns the other side of the
 * sandbox's terminal.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct terminal {
	int master; /* -1: there is none */
	bool input; /* the caller's end is still open */
	bool raw;
	struct termios saved;
	char typed[1024];
	size_t start, len; /* what of it the sandbox has yet to take */
};

void terminal_attach(struct terminal *t, int master);
void terminal_resize(const struct terminal *t);
/* What to wait for before the next input; descriptor -1: nothing. */
struct pollfd terminal_wait(const struct terminal *t);
/* What was typed goes in, as far as there is room. */
void terminal_input(struct terminal *t);
/* Stops this process, which blocks SIGTSTP, unless nobody could let it go on. */
void terminal_stop(void);
/* Stops this process as its shell expects, and goes on when the shell says so. */
void terminal_suspend(struct terminal *t);
void terminal_restore(struct terminal *t);
/* The sandbox's terminal is gone for those who use it. */
void terminal_hang_up(struct terminal *t);
