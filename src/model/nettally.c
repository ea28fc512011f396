/* SPDX-License-Identifier: Apache-2.0 */
#include "model/nettally.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void add_to(struct result_flow *row, const struct result_flow *f)
{
	row->count += f->count;
	row->up += f->up;
	row->down += f->down;
}

static bool has_room(const struct nettally *t, bool allowed)
{
	return t->count < NETTALLY_ROWS && (allowed || t->refused < NETTALLY_ROWS / 2);
}

static void grow(struct nettally *t)
{
	size_t capacity = t->capacity ? 2 * t->capacity : 8;
	struct result_flow *rows = mem_alloc(capacity * sizeof *rows);

	if (t->count > 0)
		memcpy(rows, t->rows, t->count * sizeof *rows);
	free(t->rows);
	t->rows = rows;
	t->capacity = capacity;
}

void nettally_add(struct nettally *t, const struct result_flow *f)
{
	t->up += f->up;
	t->down += f->down;
	for (size_t i = 0; i < t->count; i++) {
		struct result_flow *row = &t->rows[i];

		if (row->port == f->port && row->allowed == f->allowed &&
			strcmp(row->host, f->host) == 0) {
			add_to(row, f);
			return;
		}
	}
	if (!has_room(t, f->allowed)) {
		t->others[f->allowed].allowed = f->allowed;
		add_to(&t->others[f->allowed], f);
		return;
	}
	if (t->count == t->capacity)
		grow(t);
	t->refused += !f->allowed;
	t->rows[t->count++] = *f;
}

void nettally_free(struct nettally *t)
{
	free(t->rows);
	*t = (struct nettally){.rows = NULL};
}
