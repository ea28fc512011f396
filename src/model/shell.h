/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A command's text as the words a POSIX shell would make of it, as far as that can be said without
 * running a shell: one simple command, quotes removed. Whatever a shell would expand, substitute,
 * redirect, assign or chain, and whatever a reader of the text could miss, is an error, never a
 * guess: these words decide what may leave the sandbox, and then run without a shell. Owns nothing;
 * the words live in the caller's arena. Called by the policy and by elevate.h.
 */

#include "base/err.h"
#include "base/mem.h"

#include <stddef.h>

#define SHELL_MAX_TEXT ((size_t)128 << 10) /* bytes of a command; also of all words of an argv */
#define SHELL_MAX_WORDS 4096

struct words {
	char **v; /* v[count] == NULL */
	size_t count;
};

/* -EINVAL: the text is anything but one simple command; e says what stands in the way and at which
 * column (characters, from 1), for example "command substitution '$(' at column 10". */
int shell_words(struct arena *a, const char *text, struct words *ret, struct err *e);

/* The same for a pattern: unquoted * and ? are allowed and stand in the words as these two bytes,
 * which no text can hold; quoted ones are themselves. */
#define SHELL_ANY '\1'
#define SHELL_ONE '\2'
int shell_pattern(struct arena *a, const char *text, struct words *ret, struct err *e);

/* A command that arrives as words: no control or deceptive character, no word that is a shell
 * operator (it was meant for a shell that is not there), a program, the same limits. */
int shell_check_argv(char *const *argv, size_t count, struct err *e);
