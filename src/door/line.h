/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The parts of a line of the audit log: members of one JSON object, with secrets left out, foreign
 * bytes escaped and long values cut. What was cut says how long it was, and the hash of all of it;
 * what is not UTF-8 is written as base64. Every part has its room, so that all of them together
 * fit.
 */

#include "base/buf.h"
#include "model/redact.h"

#include <stdint.h>

/* Starts zeroed; its memory is used again for the next line. */
struct line {
	struct buf out;
	const struct redact *redact;
	struct buf plain; /* a text without its secrets */
};

/* Empties it. room: bytes of the whole line. */
void line_begin(struct line *l, const struct redact *redact, size_t room);
void line_free(struct line *l);
/* A member; nothing where there is no text. room: bytes of the value, as it is written. */
void line_text(struct line *l, const char *key, const char *text, size_t room);
void line_words(
	struct line *l, const char *key, const char *const *words, size_t count, size_t room);
/* The text of a JSON object; its own texts are cut and redacted one by one. */
void line_object(struct line *l, const char *key, const char *json, size_t room);
void line_number(struct line *l, const char *key, uint64_t v);
/* A word of ward's own: nothing in it needs to be escaped. */
void line_plain(struct line *l, const char *key, const char *word);
/* The name of a member, behind a comma where one is needed. */
void line_key(struct line *l, const char *key);
