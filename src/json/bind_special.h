/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The few keys whose values have a shape of their own: rules, budgets, named caches. */

#include "json/bind.h"

int bind_special(
	struct bind *b, const struct field *f, const struct node *node, struct opt_special *ret);
