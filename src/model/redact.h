/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Secrets left out of texts that are kept or shown: tokens of known forms, private keys, the user
 * part of an address on the web, headers and assignments whose names say that a secret follows,
 * base64 of all these, and what the operator's own patterns match. In their place stands a mark
 * such as [redacted:github]. Only what is written down is changed, never what runs.
 *
 * Should: rather leave out too much than too little. Mustn't: take more than linear time, or
 * promise that a secret of no known form is found.
 */

#include "base/buf.h"
#include "base/field.h"

#include <stdbool.h>
#include <stddef.h>

struct redact {
	const struct item *patterns; /* audit.redact: globs over words */
	size_t count;
};

/* Stops when `out` is full: what is there then is a beginning of the whole. */
void redact_text(const struct redact *r, const char *text, size_t len, struct buf *out);
/* The same for one of several words; before: the one in front of it, NULL: none. */
void redact_word(
	const struct redact *r, const char *before, const char *word, size_t len, struct buf *out);
/* Does something of this name hold a secret: API_TOKEN, --password, client.secret? */
bool redact_is_secret(const char *name, size_t len);
