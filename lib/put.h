/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Text that grows, and JSON written into it. What cannot be written (no memory, too much, no UTF-8)
 * is remembered, and nothing more is added: look at `failed` once, at the end.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct put {
	char *data;
	size_t len, cap, most; /* most 0: PUT_MOST */
	int failed;            /* an enum ward_error */
};

#define PUT_MOST (((size_t)16 << 20) - 1024) /* what ward takes as one message, nearly */

/* Room for so many bytes more, and one; false: there is none. */
bool put_room(struct put *p, size_t more);
void put_bytes(struct put *p, const void *data, size_t len);
void put_raw(struct put *p, const char *text);
void put_number(struct put *p, uint64_t value);
/* A JSON string. */
void put_string(struct put *p, const char *text, size_t len);
void put_base64(struct put *p, const void *data, size_t len);
/* A member: a comma unless it is the first one, the key, a colon. */
void put_key(struct put *p, const char *key);
void put_text(struct put *p, const char *key, const char *text); /* text NULL: nothing */
void put_free(struct put *p);
