/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* SHA-256 (FIPS 180-4). Owns nothing. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32

struct sha256 {
	uint32_t state[8];
	uint64_t length;
	uint8_t block[64];
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t len);
void sha256_end(struct sha256 *s, uint8_t out[SHA256_SIZE]);
void sha256_of(const void *data, size_t len, uint8_t out[SHA256_SIZE]);
void sha256_hex(const uint8_t digest[SHA256_SIZE], char out[2 * SHA256_SIZE + 1]);
/* The other way, from so many digits; what follows them is not looked at. False: they are not. */
bool sha256_unhex(const char *hex, uint8_t out[SHA256_SIZE]);
