/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Every number a person writes is read here and nowhere else: counts, sizes, durations, cpus,
 * rates. Strict: no sign, no blanks, no exponent, no hex, no overflow, no empty text; an error says
 * what would be right.
 */

#include "base/err.h"

#include <stdint.h>

struct rate {
	uint64_t count;
	uint32_t seconds; /* per this many: 1, 60 or 3600 */
};

/*
 * What each of them reads:
 *   count     256, 100k, 2M, 1G: powers of 1000; a fraction only when a whole number comes out
 *   size      bytes as 512M, 1.5G, 64k, 2T, plain: powers of 1024, also as KiB or KB; rounded down
 *   duration  milliseconds as 500ms, 60s, 10m, 24h, 7d, plain seconds: rounded down
 *   cpus      thousandths as 2, 0.5, 1.25
 *   rate      5/s, 60/m, 100/h, also /sec, /min, /hour: at least 1
 * What is not 0 as written is never read as 0. -EINVAL: not that form; -ERANGE: too large or small.
 */
int number_count(const char *text, uint64_t *ret, struct err *e);
int number_size(const char *text, uint64_t *ret, struct err *e);
int number_duration(const char *text, uint64_t *ret, struct err *e);
int number_cpus(const char *text, uint64_t *ret, struct err *e);
int number_rate(const char *text, struct rate *ret, struct err *e);

/*
 * A text that reads back as the same value: the shortest for a size, the largest unit that divides
 * it for a duration.
 */
#define NUMBER_TEXT 32
void number_size_text(uint64_t bytes, char out[NUMBER_TEXT]);
void number_duration_text(uint64_t ms, char out[NUMBER_TEXT]);
void number_cpus_text(uint64_t thousandths, char out[NUMBER_TEXT]);
void number_rate_text(const struct rate *rate, char out[NUMBER_TEXT]);
