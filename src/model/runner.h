/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Programs that exist to run other programs or code: wrappers (env, sudo, timeout), interpreters
 * (bash, python3), builders (make). Finds through them the program whose arguments count. Pure.
 * Called by argrisk.h.
 */

#include <stdbool.h>
#include <stddef.h>

bool runner_is(const char *program);

/*
 * Do the first `fixed` words say what is run? NULL: *ret_program is the index of the program whose
 * options count; *ret_script is true when everything that follows belongs to a script that is named
 * there. Otherwise a fixed sentence that says why not. A program that is no runner is its own
 * answer.
 */
const char *runner_find(char *const *argv, size_t fixed, size_t *ret_program, bool *ret_script);
