/* SPDX-License-Identifier: Apache-2.0 */
#include "base/textdiff.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define CONTEXT 3
#define EFFORT 3000 /* changed lines after which a block is taken as it is */
#define NONE (INT_MIN / 2)

static size_t split(struct arena *a, const char *text, size_t len, struct textdiff_line **ret)
{
	size_t count = 0, n = 0;

	for (size_t i = 0; i < len; i++)
		count += text[i] == '\n';
	if (len > 0 && text[len - 1] != '\n')
		count++;
	*ret = arena_array(a, count + 1, sizeof **ret);
	for (size_t at = 0; at < len; n++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t size = end ? (size_t)(end - text) - at : len - at;
		uint64_t hash = 1469598103934665603u + !end;

		for (size_t i = 0; i < size; i++)
			hash = (hash ^ (unsigned char)text[at + i]) * 1099511628211u;
		(*ret)[n] = (struct textdiff_line){text + at, size, hash, !end, false};
		at += size + 1;
	}
	return n;
}

static bool same(const struct textdiff_line *a, const struct textdiff_line *b)
{
	return a->hash == b->hash && a->len == b->len && a->open == b->open &&
	       memcmp(a->text, b->text, a->len) == 0;
}

/* A part of each text. */
struct block {
	const struct textdiff_line *a, *b;
	int n, m;
};

struct work {
	struct textdiff_line *a, *b;
	int *forth, *back; /* by diagonal: how far one comes */
	int reach;         /* the largest diagonal that they have room for */
};

/* One step along diagonal k, from the one beneath or above it; NONE: it leads out of the block. */
static int step(const int *v, int k, int d, const struct block *t)
{
	int right = k == -d ? NONE : v[k - 1] + 1, down = k == d ? NONE : v[k + 1];
	int first = right > down ? right : down, second = right > down ? down : right;

	for (int i = 0; i < 2; i++) {
		int x = i == 0 ? first : second;

		if (x >= 0 && x <= t->n && x - k >= 0 && x - k <= t->m)
			return x;
	}
	return NONE;
}

static int slide(const struct block *t, int x, int y, bool backwards)
{
	while (x < t->n && y < t->m &&
		(backwards ? same(&t->a[t->n - 1 - x], &t->b[t->m - 1 - y])
			   : same(&t->a[x], &t->b[y]))) {
		x++;
		y++;
	}
	return x;
}

/* The paths from both ends meet: where the block can be cut in two. */
static bool meet(
	struct work *w, const struct block *t, int d, bool backwards, int *ret_x, int *ret_y)
{
	int delta = t->n - t->m, *v = backwards ? w->back : w->forth,
	    *other = backwards ? w->forth : w->back;
	bool odd = delta & 1;

	for (int k = -d; k <= d; k += 2) {
		int x = d == 0 ? 0 : step(v, k, d, t), across = delta - k;

		if (x < 0) {
			v[k] = NONE;
			continue;
		}
		x = v[k] = slide(t, x, x - k, backwards);
		/* What the other side has done so far: as many steps, or one less. */
		if (odd == backwards || across < -(d - odd) || across > d - odd ||
			other[across] < 0 || x + other[across] < t->n)
			continue;
		*ret_x = backwards ? t->n - x : x;
		*ret_y = backwards ? t->m - (x - k) : x - k;
		return true;
	}
	return false;
}

/* false: too much work, or no place to cut. */
static bool cut(struct work *w, const struct block *t, int *ret_x, int *ret_y)
{
	int most = (t->n + t->m + 1) / 2;

	for (int d = 0; d <= most && d < w->reach && d <= EFFORT; d++) {
		/* Neighbours that no step has set yet. */
		w->forth[d + 1] = w->forth[-d - 1] = w->back[d + 1] = w->back[-d - 1] = NONE;
		if (meet(w, t, d, false, ret_x, ret_y) || meet(w, t, d, true, ret_x, ret_y))
			return (*ret_x > 0 || *ret_y > 0) && (*ret_x < t->n || *ret_y < t->m);
	}
	return false;
}

static void mark(struct textdiff_line *lines, int from, int to)
{
	for (int i = from; i < to; i++)
		lines[i].changed = true;
}

static void compare(struct work *w, int a0, int a1, int b0, int b1)
{
	struct block t;
	int x, y;

	while (a0 < a1 && b0 < b1 && same(&w->a[a0], &w->b[b0])) {
		a0++;
		b0++;
	}
	while (a0 < a1 && b0 < b1 && same(&w->a[a1 - 1], &w->b[b1 - 1])) {
		a1--;
		b1--;
	}
	t = (struct block){w->a + a0, w->b + b0, a1 - a0, b1 - b0};
	if (t.n == 0 || t.m == 0 || !cut(w, &t, &x, &y)) {
		mark(w->a, a0, a1);
		mark(w->b, b0, b1);
		return;
	}
	compare(w, a0, a0 + x, b0, b0 + y);
	compare(w, a0 + x, a1, b0 + y, b1);
}

static size_t count_changed(const struct textdiff_line *lines, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += lines[i].changed;
	return n;
}

void textdiff_compare(struct arena *a, const char *old_text, size_t old_len, const char *new_text,
	size_t new_len, struct textdiff *ret)
{
	struct work w;
	int reach, *room;

	ret->old_count = split(a, old_text, old_len, &ret->old_lines);
	ret->new_count = split(a, new_text, new_len, &ret->new_lines);
	reach = ret->old_count + ret->new_count < EFFORT
			? (int)(ret->old_count + ret->new_count) + 2
			: EFFORT + 2;
	room = arena_array(a, 2 * (2 * (size_t)reach + 1), sizeof *room);
	w = (struct work){.a = ret->old_lines,
		.b = ret->new_lines,
		.forth = room + reach,
		.back = room + 3 * reach + 1,
		.reach = reach};
	compare(&w, 0, (int)ret->old_count, 0, (int)ret->new_count);
	ret->deleted = count_changed(ret->old_lines, ret->old_count);
	ret->inserted = count_changed(ret->new_lines, ret->new_count);
}

struct hunk {
	size_t a0, a1, b0, b1;
};

/* From (a, b) on, which are the same line or changed: the next lines that belong together. */
static bool next_hunk(const struct textdiff *d, size_t *io_a, size_t *io_b, struct hunk *h)
{
	size_t a = *io_a, b = *io_b, quiet = 0;

	while (a < d->old_count && b < d->new_count && !d->old_lines[a].changed &&
		!d->new_lines[b].changed) {
		a++;
		b++;
	}
	if (a == d->old_count && b == d->new_count)
		return false;
	h->a0 = a - *io_a > CONTEXT ? a - CONTEXT : *io_a;
	h->b0 = b - (a - h->a0);
	while ((a < d->old_count || b < d->new_count) && quiet <= 2 * CONTEXT) {
		if (a < d->old_count && d->old_lines[a].changed) {
			a++;
			quiet = 0;
		} else if (b < d->new_count && d->new_lines[b].changed) {
			b++;
			quiet = 0;
		} else {
			a++;
			b++;
			quiet++;
		}
	}
	if (quiet > CONTEXT) {
		a -= quiet - CONTEXT;
		b -= quiet - CONTEXT;
	}
	h->a1 = *io_a = a;
	h->b1 = *io_b = b;
	return true;
}

static void show_line(const struct textdiff_line *l, char kind, textdiff_fn *fn, void *ctx)
{
	static const char remark[] = " No newline at end of file";

	fn(ctx, kind, l->text, l->len);
	if (l->open)
		fn(ctx, '\\', remark, sizeof remark - 1);
}

static void show_hunk(const struct textdiff *d, const struct hunk *h, textdiff_fn *fn, void *ctx)
{
	size_t a = h->a0, b = h->b0, old = h->a1 - h->a0, new = h->b1 - h->b0;
	char head[96];
	int len = snprintf(head, sizeof head, "@ -%zu,%zu +%zu,%zu @@", h->a0 + (old > 0), old,
		h->b0 + (new > 0), new);

	fn(ctx, '@', head, (size_t)len);
	while (a < h->a1 || b < h->b1) {
		if (a < h->a1 && d->old_lines[a].changed) {
			show_line(&d->old_lines[a++], '-', fn, ctx);
		} else if (b < h->b1 && d->new_lines[b].changed) {
			show_line(&d->new_lines[b++], '+', fn, ctx);
		} else {
			show_line(&d->old_lines[a++], ' ', fn, ctx);
			b++;
		}
	}
}

void textdiff_show(const struct textdiff *d, textdiff_fn *fn, void *ctx)
{
	size_t a = 0, b = 0;
	struct hunk h;

	while (next_hunk(d, &a, &b, &h))
		show_hunk(d, &h, fn, ctx);
}
