/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Bytes as letters (RFC 4648), with padding. Owns nothing. */

#include "base/buf.h"

#include <stddef.h>

void base64_put(struct buf *out, const void *data, size_t len);
