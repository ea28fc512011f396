/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a person or an agent should know about how a command ended: one line each, only where there
 * is something worth knowing. */

#include "base/buf.h"
#include "door/run.h"

void notes_write(struct buf *out, const struct run_answer *answer, const struct result *r);
