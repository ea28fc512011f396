/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * JSON text, written piece by piece into a buffer: objects and lists are opened and closed, members
 * have a key, items of a list pass NULL. Indented by two spaces, or all on one line. Foreign bytes
 * are escaped as in base/show.h.
 */

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define WRITE_DEPTH 32

struct writer {
	struct buf *out;
	unsigned depth;
	bool compact;             /* one line, without a space or an end of line */
	bool filled[WRITE_DEPTH]; /* has this level a member already? */
};

#define WRITER(buffer) ((struct writer){.out = (buffer)})
#define WRITER_COMPACT(buffer) ((struct writer){.out = (buffer), .compact = true})

void write_object(struct writer *w, const char *key);
void write_list(struct writer *w, const char *key);
void write_end_object(struct writer *w);
void write_end_list(struct writer *w);
void write_text(struct writer *w, const char *key, const char *text); /* NULL writes null */
/* Returns where in the output its value begins. */
size_t write_bytes(struct writer *w, const char *key, const char *data, size_t len);
void write_number(struct writer *w, const char *key, int64_t v);
void write_unsigned(struct writer *w, const char *key, uint64_t v);
void write_bool(struct writer *w, const char *key, bool v);
void write_raw(struct writer *w, const char *key, const char *json); /* JSON text as it is */
void write_raw_bytes(struct writer *w, const char *key, const char *json, size_t len);
void write_texts(struct writer *w, const char *key, const char *const *texts); /* NULL ends */
