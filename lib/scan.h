/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * JSON where it lies: values are parts of a text, members are found by their key, and nothing is
 * allocated. Every function takes any bytes: what is no JSON is answered with false, never read
 * beyond its end. Used for the messages of ward and for arguments that a program hands over.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_DEPTH 48 /* of values in each other */

struct span {
	const char *at; /* NULL: there is none */
	size_t len;
};

/* One value and white space around it, all of it strict JSON in UTF-8: ret is the value. */
bool scan_whole(const char *text, size_t len, struct span *ret);
/* Values of members by their keys (which need no escapes), the first where there are two; found in
 * one go. How many there are; the others are NULL. */
struct scan_wish {
	const char *key;
	struct span value;
};
size_t scan_members(struct span object, struct scan_wish *io, size_t count);
bool scan_member(struct span object, const char *key, struct span *ret);

bool scan_first(struct span list, struct span *ret);

bool scan_is_object(struct span value);
bool scan_is_true(struct span value);
bool scan_is_text(struct span value, const char *text); /* without escapes */
bool scan_number(struct span value, int64_t *ret);      /* integers only */
/* Decodes a string; there must be room for value.len bytes, and it gets a NUL behind it. */
bool scan_text(struct span value, char *to, size_t *ret_len);
/* The same, and what it says is base64. */
bool scan_base64(struct span value, char *to, size_t *ret_len);

/* How many bytes the character there has; 0: it is none of UTF-8, or NUL. */
size_t scan_utf8(const char *at, size_t len);
bool scan_is_utf8(const char *text, size_t len);
