/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Moments as people write them, and as they are shown: microseconds since 1970, UTC. Pure. */

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * RFC 3339 (2026-11-18T10:00:00Z, with fractions and offsets), a day with or without a time
 * (2026-11-18, 2026-11-18 10:00; UTC), or a time ago (90s, 10m, 2h, 7d). Years 1970 to 9999.
 */
int moment_parse(const char *text, int64_t now_us, int64_t *ret_us, struct err *e);

#define MOMENT_TEXT 32
void moment_text(int64_t us, char out[MOMENT_TEXT]); /* 2026-11-18T10:00:00Z */
