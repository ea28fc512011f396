/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the end of a command says in its line of the audit log. Part of door/record.c. */

#include "door/line.h"
#include "model/result.h"

void record_end_put(struct line *l, const struct result *r);
