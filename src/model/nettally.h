/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a sandbox has reached and tried to reach so far: a row for each host, port and answer, as
 * many as there is room for; all others together. Names that are refused come from inside and cost
 * nothing to invent: they leave room for the others.
 */

#include "model/result.h"

#define NETTALLY_ROWS 512

struct nettally {
	struct result_flow *rows;
	size_t count, refused, capacity;
	struct result_flow others[2]; /* that found no row: refused, allowed */
	uint64_t up, down;            /* of all */
};

void nettally_add(struct nettally *t, const struct result_flow *f);
void nettally_free(struct nettally *t);
