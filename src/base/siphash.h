/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * SipHash-2-4: a hash with a key, for tables whose keys a stranger chooses. Without the key nobody
 * can choose many that fall together. Owns nothing.
 */

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY 16

uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len);
