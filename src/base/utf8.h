/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * UTF-8: strict decoding (no overlong forms, no surrogates, nothing above U+10FFFF) and encoding.
 * Owns nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one character; returns its length in bytes, or 0 when the bytes at p are not UTF-8. */
size_t utf8_decode(const char *p, size_t len, uint32_t *ret_char);
/* Writes 1 to 4 bytes; returns how many. The character must be a Unicode scalar value. */
size_t utf8_encode(uint32_t c, char out[4]);
bool utf8_valid(const char *p, size_t len);
/*
 * Characters that change how text is shown without being seen, or cannot be told from others: C0,
 * DEL, C1, zero width, bidi controls, line and paragraph separators, byte order mark, tags, soft
 * hyphen, fillers, every space but the plain one, and values that are no characters.
 */
bool utf8_is_deceptive(uint32_t c);
