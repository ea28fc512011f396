/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A question to a sandbox that lives, and its answer, over a connection of living_connect(). */

#include "base/err.h"
#include "engine/post.h"

/* Says a message of that kind, whose body the caller has filled; hears the answer. A failure that
 * the sandbox tells is one here too. */
int talk_say(int sandbox, struct post *m, uint32_t kind, int32_t number, struct err *e);
int talk_hear(int sandbox, struct post *ret, struct err *e);
