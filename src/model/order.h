/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which of two values of a key is the tighter one. Every row of the schema names its order; this
 * file carries the orders out. Used by tighten-only files and by locks.
 */

#include "base/field.h"

/* Does `inner` allow at most what `outer` allows? Both are values of the row; an outer value that
 * nobody wrote means no limit for numbers and nothing granted for lists. Not for ORDER_SPECIAL, and
 * ORDER_MORE always holds, since such lists add up. */
bool order_within(const struct field *f, const void *inner, const void *outer);
/* One item of a granting list against the items of another. */
bool order_item_within(const struct field *f, const char *inner, const struct opt_list *outer);
bool order_equal(const struct field *f, const void *a, const void *b);
