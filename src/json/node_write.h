/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A parsed tree as JSON text again. */

#include "json/tree.h"
#include "json/write.h"

void node_write(struct writer *w, const char *key, const struct node *n);
/* Its members, but for those that are named (NULL at the end), as an object. */
void node_write_but(
	struct writer *w, const char *key, const struct node *n, const char *const *but);
