/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Argument injection: words that turn a harmless program into one that runs other code, obeys
 * another configuration, or reads and writes files of any name. A pattern's `*` must not cover
 * them. Pure; the facts are the rows of argrisk_rows.c. Called by elevate.h.
 *
 * Doubt counts as risk. An option may be cut short (`--rec=x`), stand in a bundle (`-xc`) or in
 * another word's place. So no word is skipped because it may be a value, and a bare `--` is not
 * believed: in `git push -o -- --exec=x` it is the value of the option before it.
 */

#include <stddef.h>

/* The first risky word from index `first` on, or NULL. The words before it are the operator's own
 * choice and are only read to understand the rest. *ret_why becomes a fixed sentence, in which "it"
 * is the word. */
const char *argrisk_find(char *const *argv, size_t count, size_t first, const char **ret_why);

/* Do the first `fixed` words leave it to the next one what is run, so that no word is harmless
 * there? NULL, or a fixed sentence that says why. */
const char *argrisk_open(char *const *argv, size_t fixed);
