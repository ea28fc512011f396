/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The terminal at the other end of a descriptor, if there is one. Owns nothing. */

#include <stdbool.h>

/* On a terminal that is not dumb, unless NO_COLOR is set to anything. */
bool term_wants_colour(int fd);
