/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/audit.h"

#include <stdlib.h>

#define LAST_BYTES ((size_t)32 << 20) /* of lines that are kept to be shown */

void audit_last_begin(struct audit_last *l, struct call *c, size_t room)
{
	*l = (struct audit_last){
		.rows = arena_array(c->arena, room + 1, sizeof *l->rows), .room = room};
}

static size_t size_of(const struct auditrow *row)
{
	return (row->first ? row->first->len : 0) + (row->end ? row->end->len : 0);
}

static bool is_older(const struct audit_last *l, size_t a, size_t b)
{
	return auditrow_seq(&l->rows[a]) < auditrow_seq(&l->rows[b]);
}

static void swap(struct audit_last *l, size_t a, size_t b)
{
	struct auditrow row = l->rows[a];

	l->rows[a] = l->rows[b];
	l->rows[b] = row;
}

static void sift_up(struct audit_last *l, size_t at)
{
	for (; at > 0 && is_older(l, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(l, at, (at - 1) / 2);
}

static void sift_down(struct audit_last *l, size_t at)
{
	for (size_t child = 2 * at + 1; child < l->count; child = 2 * at + 1) {
		if (child + 1 < l->count && is_older(l, child + 1, child))
			child++;
		if (!is_older(l, child, at))
			return;
		swap(l, at, child);
		at = child;
	}
}

static void drop_oldest(struct audit_last *l)
{
	l->bytes -= size_of(&l->rows[0]);
	auditrow_free(&l->rows[0]);
	l->rows[0] = l->rows[--l->count];
	sift_down(l, 0);
	l->left_out++;
}

void audit_last_add(struct audit_last *l, struct auditrow *row)
{
	l->rows[l->count] = *row;
	*row = (struct auditrow){0};
	l->bytes += size_of(&l->rows[l->count]);
	sift_up(l, l->count++);
	while (l->count > l->room || (l->bytes > LAST_BYTES && l->count > 1))
		drop_oldest(l);
}

static int by_seq(const void *a, const void *b)
{
	uint64_t x = auditrow_seq(a), y = auditrow_seq(b);

	return x < y ? -1 : x > y;
}

/* What is in order is a heap too. */
void audit_last_sort(struct audit_last *l)
{
	if (l->count > 0)
		qsort(l->rows, l->count, sizeof l->rows[0], by_seq);
}

void audit_last_free(struct audit_last *l)
{
	for (size_t i = 0; i < l->count; i++)
		auditrow_free(&l->rows[i]);
	l->count = 0;
}
