/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Patterns by which an operator lets single commands out of the sandbox: `git push *`. A pattern is
 * compared word by word with the command that would run, never with its text:
 *
 * - A word without * or ? is itself. The program is always such a word; `git` is neither `./git`
 *   nor `/bin/git`.
 * - A * as the last word stands for any further words, also none.
 * - In a word, * stands for any characters and ? for one, and both stay inside that word.
 *
 * What * and ? cover must not be an argument by which the program runs something else (argrisk.h);
 * words that the pattern spells out are the operator's own choice. Pure, owns nothing. Called by
 * the checks of the configuration and by the policy.
 */

#include "base/err.h"

#include <stddef.h>

enum elevate_match {
	ELEVATE_NO,
	ELEVATE_RISK, /* the words fit, but what * covers could run something else: not a match */
	ELEVATE_YES,
};

/* Can the text be used as a pattern at all? */
int elevate_check_pattern(const char *pattern, struct err *e);

/* argv is checked here too (shell_check_argv). why (may be NULL) gets the reason unless the answer
 * is YES. */
enum elevate_match elevate_match(
	const char *pattern, char *const *argv, size_t count, struct err *why);

/* NULL, or a sentence that says why no command can match: `env *`. */
const char *elevate_never(const char *pattern);
