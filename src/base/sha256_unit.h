/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* SHA-256 by the processor's own instructions, where it has them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Slow under virtualisation: some ten microseconds. */
bool sha256_unit_exists(void);

/* Only where it exists. COUNT blocks of 64 bytes. */
void sha256_unit_compress(uint32_t state[8], const uint8_t *blocks, size_t count);

extern const uint32_t sha256_constants[64];
