/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes as text that any channel carries (RFC 4648), and back. */

#include "base/buf.h"

void base64_encode(struct buf *out, const void *data, size_t len);
/* Strict: no spaces, padding as it must be, no stray bits. Room for strlen(text) / 4 * 3 bytes.
 * -EINVAL. */
int base64_decode(const char *text, void *ret, size_t *ret_len);
/* The bytes behind letters of either alphabet, without padding, whatever they are: what is none of
 * them counts as some. Room for 3 bytes for every 4, rounded up. How many. */
size_t base64_take(const char *text, size_t len, char *out);
