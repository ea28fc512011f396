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

int number_count(
	const char *text, uint64_t *ret, struct err *e); /* 256, 100k, 2M (powers of 1000) */
int number_size(const char *text, uint64_t *ret,
	struct err *e); /* bytes: 512M, 1.5G, 64k (powers of 1024) */
int number_duration(const char *text, uint64_t *ret,
	struct err *e); /* milliseconds: 500ms 60s 10m 24h 7d, 60 = 60s */
int number_cpus(const char *text, uint64_t *ret, struct err *e);    /* thousandths: 2, 0.5, 1.25 */
int number_rate(const char *text, struct rate *ret, struct err *e); /* 60/m, 5/s, 100/h */

/* The shortest text that reads back as the same value. */
#define NUMBER_TEXT 32
void number_size_text(uint64_t bytes, char out[NUMBER_TEXT]);
void number_duration_text(uint64_t ms, char out[NUMBER_TEXT]);
void number_cpus_text(uint64_t thousandths, char out[NUMBER_TEXT]);
void number_rate_text(const struct rate *rate, char out[NUMBER_TEXT]);
