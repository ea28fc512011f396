/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The terminal at the other end of a descriptor, if there is one. Owns nothing. */

#include <stdbool.h>

bool term_is_terminal(int fd);
/* Columns; 80 where nobody knows. */
unsigned term_width(int fd);
/* On a terminal that is not dumb, unless NO_COLOR is set to anything. */
bool term_wants_colour(int fd);
