/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Blanks: sandboxes that are made before anybody needs them. A pool keeps some of one kind ready,
 * the kind being everything that a sandbox is made from but its workspace; it is a process of its
 * own, which the first sandbox of that kind starts, and which ends when nobody has come for long.
 * Each blank is used once. Whoever finds none makes a sandbox as ever.
 */

#include "door/living.h"

/* A connection to a blank that has become the sandbox. -ENOENT: there is none that could. */
int pool_claim(const struct living_make *q, struct err *e);
/* Has blanks made for the next ones, unless somebody does so already. */
void pool_keep(const struct living_make *q);
