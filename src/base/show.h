/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values as text: JSON strings, and any value of a field table as JSON. Owns nothing. */

#include "base/buf.h"
#include "base/field.h"

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD; deceptive characters are
 * escaped. */
void show_string(struct buf *out, const char *text);
void show_bytes(struct buf *out, const char *data, size_t len); /* the same; NUL is one of them */
/* The value of a row as JSON: sizes, durations and the like in their short form, as a text. */
void show_value(struct buf *out, const struct field *f, const void *value);
