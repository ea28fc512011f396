/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A question on the terminal of whoever asks, opened anew and never standard input. Only where a
 * person can be: this process is in the foreground there, lines are edited by the terminal, and no
 * program that the request may come from stands between it and the outermost terminal. What was
 * typed before the question does not count; only the whole word `yes` is one.
 */

#include "base/buf.h"
#include "door/principal.h"

#include <stdbool.h>

struct prompt {
	int terminal; /* -1: there is none */
	char line[16];
	size_t len;
	bool long_line; /* more was typed than a yes */
};

enum prompt_answer { PROMPT_NONE, PROMPT_YES, PROMPT_NO };

/* Shows the text and the question; leaves p->terminal -1 where it cannot. */
void prompt_open(struct prompt *p, const struct principal *requester, const char *text);
/* What was typed; without waiting. */
enum prompt_answer prompt_read(struct prompt *p);
/* A last word; NULL: none. */
void prompt_close(struct prompt *p, const char *word);
