/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes as letters (RFC 4648), with padding. Owns nothing. */

#include "base/buf.h"

#include <stddef.h>

void base64_put(struct buf *out, const void *data, size_t len);
/* The bytes behind letters of either alphabet, without padding; out takes 3 for every 4, rounded
 * up. */
size_t base64_take(const char *text, size_t len, char *out);
