/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The field tables as a JSON Schema (draft 2020-12), for editors and for people. */

#include "base/buf.h"
#include "base/field.h"

void schema_write(struct buf *out);

/* Every key with its whole path ("agents.defaults.sandbox.mode", "tools.deny", "audit.path"); stops
 * at the first non-zero answer. */
typedef int schema_visit(const char *path, const struct field *f, void *ctx);
int schema_each(schema_visit *fn, void *ctx);
extern const char *const schema_support_names[]; /* by enum support */
