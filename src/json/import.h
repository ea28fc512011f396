/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Configurations of other agent systems, rewritten as a ward.json5. Every key of the foreign file
 * gets an answer: a key of ward, or a comment that says why there is none. The result always loads.
 * Pure: text in, text out; called by `ward config import`.
 */

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>

/* The names --from takes, NULL at the end; clawdbot is openclaw's old name. */
extern const char *const import_systems[];

/*
 * text is the foreign file, name stands in front of errors: "name:line:column: key: what". On
 * success the text of a ward.json5 is added to out, on failure nothing.
 */
int import_config(const char *system, const char *name, const char *text, size_t len,
	struct buf *out, struct err *e);
