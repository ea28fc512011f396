/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A blank: the plan of a sandbox that is made before anybody needs it. All of it is there but the
 * workspace, which is put in when somebody claims the sandbox. What cannot be added to a sandbox
 * that stands makes a plan that has no blank.
 */

#include "base/mem.h"
#include "model/plan.h"

#include <stdbool.h>

struct blank {
	struct plan plan; /* its rows are `rows` */
	struct plan_row *rows;
	size_t workspace; /* the row that is missing */
};

/* False: the sandbox can only be made for its workspace. */
bool blank_make(const struct plan *p, struct arena *a, struct blank *ret);
/* The text is used on. */
void blank_fill(struct blank *b, const char *workspace);
