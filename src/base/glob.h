/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Two matchers for names. Time is bounded by the product of both lengths: no pattern is slow. A
 * character is one of UTF-8, or a byte that belongs to none. Owns nothing.
 */

#include <stdbool.h>

/* Within one word: * = any characters, ? = one character, everything else is itself. */
bool glob_word(const char *pattern, const char *word);
/*
 * Over a path: * and ? stay inside a component and match a leading dot too; a component that is
 * exactly ** stands for any number of components, none included, but at least one at the end
 * (after a directory it matches what is in it, not the directory); {a,b} is either. Groups do not
 * nest and ** in a group is like *; when braces nest or do not pair up, all of them mean
 * themselves. Patterns above 4096 bytes match nothing.
 */
bool glob_path(const char *pattern, const char *path);
bool glob_has_magic(const char *pattern); /* contains * ? { */
