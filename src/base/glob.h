/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Two matchers for names. Time is bounded by the product of both lengths: no exponential patterns.
 */

#include <stdbool.h>

/* Within one word: * = any characters, ? = one character, everything else is itself. */
bool glob_word(const char *pattern, const char *word);
/* Over a path: * and ? stay inside a component, ** as a component is any number of them, {a,b} is
 * either. */
bool glob_path(const char *pattern, const char *path);
bool glob_has_magic(const char *pattern); /* contains * ? { */
