/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Small words of the language that every file uses. Owns nothing. */

#include <stddef.h>

#define printf_like(fmt, args) __attribute__((format(printf, fmt, args)))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A constant 0 that does not compile unless the member has exactly that type. */
#define MEMBER_IS(type, member, wanted) \
	(sizeof(char[TYPES_MATCH(__typeof__(((type *)0)->member), wanted) ? 1 : -1]) - 1)
#define TYPES_MATCH(a, b) __builtin_types_compatible_p(a, b)
