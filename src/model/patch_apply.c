/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A hunk's old lines are looked for in the file: first with their ends, then without, since a file
 * may have other line ends than the patch, or none at its end. Hunks keep their order and do not
 * overlap. One that says where it belongs is taken nearest to there; another one is taken at the
 * first place behind the one before it. What stays is copied from the file, not from the patch.
 */

#include "model/patch.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"

#include <errno.h>
#include <string.h>

#define WORK_MAX ((uint64_t)50 << 20) /* lines that are compared */
#define SHOWN_MAX 80

enum ends { ENDS_COUNT, ENDS_IGNORED };

struct apply {
	const struct patch_file *file;
	struct patch_line *old_lines; /* of the text; kind is not used */
	size_t old_count;
	size_t next; /* the first one that no hunk has dealt with */
	struct patch_line *out;
	size_t out_count;
	int64_t moved; /* how far the last hunk stood from where it said */
	uint64_t work;
};

static size_t count_lines(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n + (len && text[len - 1] != '\n');
}

static void cut(struct apply *s, struct arena *a, const char *text, size_t len)
{
	const char *end = text + len;

	s->old_lines = arena_array(a, count_lines(text, len) + 1, sizeof *s->old_lines);
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		struct patch_line line = {.text = text,
			.len = (size_t)((newline ? newline : end) - text),
			.open = !newline};

		text += line.len + (newline ? 1 : 0);
		line.cr = newline && line.len && newline[-1] == '\r';
		line.len -= line.cr;
		s->old_lines[s->old_count++] = line;
	}
}

static bool same(const struct patch_line *a, const struct patch_line *b, enum ends ends)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->text, b->text, a->len) == 0) &&
	       (ends == ENDS_IGNORED || (a->cr == b->cr && a->open == b->open));
}

static size_t old_lines(const struct patch_hunk *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->count; i++)
		n += h->lines[i].kind != '+';
	return n;
}

static bool stands_at(struct apply *s, const struct patch_hunk *h, size_t at, enum ends ends)
{
	for (size_t i = 0; i < h->count; i++) {
		if (h->lines[i].kind == '+')
			continue;
		s->work++;
		if (at >= s->old_count || !same(&s->old_lines[at], &h->lines[i], ends))
			return false;
		at++;
	}
	return true;
}

/* From the wanted place outwards, the nearest first. */
static bool find_near(struct apply *s, const struct patch_hunk *h, size_t wanted, size_t first,
	size_t last, enum ends ends, size_t *ret)
{
	for (size_t away = 0; s->work < WORK_MAX; away++) {
		bool before = wanted >= first + away && wanted - away <= last;
		bool after = away && wanted + away >= first && wanted + away <= last;

		if ((wanted < first || wanted - first < away) && wanted + away > last)
			return false;
		s->work++;
		if (before && stands_at(s, h, wanted - away, ends)) {
			*ret = wanted - away;
			return true;
		}
		if (after && stands_at(s, h, wanted + away, ends)) {
			*ret = wanted + away;
			return true;
		}
	}
	return false;
}

/* Behind the lines that a hunk names as standing before it. */
static bool skip_headings(struct apply *s, const struct patch_hunk *h, size_t *io_first)
{
	for (size_t i = 0; i < h->heading_count; i++) {
		size_t at = *io_first;

		while (at < s->old_count && !same(&s->old_lines[at], &h->headings[i], ENDS_IGNORED))
			at++;
		s->work += at - *io_first;
		if (at == s->old_count)
			return false;
		*io_first = at + 1;
	}
	return true;
}

/* A hunk without old lines has no context: it comes where it says, or at the end. */
static bool place_insertion(struct apply *s, const struct patch_hunk *h, size_t first, size_t *ret)
{
	if (!h->placed) {
		*ret = h->heading_count ? first : s->old_count;
		return true;
	}
	if ((int64_t)h->old_start + s->moved < (int64_t)first)
		return false;
	*ret = (size_t)((int64_t)h->old_start + s->moved);
	return *ret <= s->old_count;
}

static bool find(struct apply *s, const struct patch_hunk *h, size_t *ret)
{
	size_t first = s->next, count = old_lines(h), last, wanted;

	if (!skip_headings(s, h, &first))
		return false;
	if (count == 0)
		return place_insertion(s, h, first, ret);
	if (count > s->old_count || s->old_count - count < first)
		return false;
	last = s->old_count - count;
	wanted = h->at_end ? last : first;
	if (h->placed) {
		int64_t at = (int64_t)h->old_start - 1 + s->moved;

		wanted = at < (int64_t)first ? first : at > (int64_t)last ? last : (size_t)at;
	}
	if (h->at_end)
		first = last;
	return find_near(s, h, wanted, first, last, ENDS_COUNT, ret) ||
	       find_near(s, h, wanted, first, last, ENDS_IGNORED, ret);
}

static void emit(struct apply *s, struct patch_line line)
{
	s->out[s->out_count++] = line;
}

static void take_until(struct apply *s, size_t at)
{
	while (s->next < at)
		emit(s, s->old_lines[s->next++]);
}

/* New lines end as those of the file do, unless the hunk stood there with its own ends. */
static void carry_out(struct apply *s, const struct patch_hunk *h, size_t at)
{
	bool own_ends = stands_at(s, h, at, ENDS_COUNT) && old_lines(h) > 0;
	bool cr = s->old_count && s->old_lines[0].cr;

	take_until(s, at);
	for (size_t i = 0; i < h->count; i++) {
		struct patch_line line = h->lines[i];

		if (line.kind == '-') {
			s->next++;
		} else if (line.kind == ' ') {
			emit(s, s->old_lines[s->next++]);
		} else {
			if (!own_ends && s->old_count)
				line.cr = cr;
			emit(s, line);
		}
	}
	if (h->placed)
		s->moved = (int64_t)at - ((int64_t)h->old_start - (old_lines(h) > 0));
}

static bool has_line(const struct apply *s, const struct patch_line *line)
{
	for (size_t i = 0; i < s->old_count; i++)
		if (same(&s->old_lines[i], line, ENDS_IGNORED))
			return true;
	return false;
}

/* Which of its lines is nowhere in the file; NULL: all are, but not together, or not behind the
 * hunk before. */
static const struct patch_line *absent_line(const struct apply *s, const struct patch_hunk *h)
{
	for (size_t i = 0; i < h->heading_count && i < 50; i++)
		if (!has_line(s, &h->headings[i]))
			return &h->headings[i];
	for (size_t i = 0; i < h->count && i < 50; i++)
		if (h->lines[i].kind != '+' && !has_line(s, &h->lines[i]))
			return &h->lines[i];
	return NULL;
}

static int no_place(const struct apply *s, size_t i, struct err *e)
{
	const struct patch_hunk *h = &s->file->hunks[i];
	const struct patch_line *absent;
	auto_(buf_free) struct buf shown = BUF(SHOWN_MAX);

	if (s->work >= WORK_MAX)
		return err_set(e, EFBIG, "hunk %zu (line %zu of the patch) takes too long to find",
			i + 1, h->line);
	absent = absent_line(s, h);
	if (!absent)
		return err_set(e, EINVAL,
			"hunk %zu (line %zu of the patch) does not apply: its lines do not stand "
			"together in the file%s",
			i + 1, h->line,
			h->at_end ? " at its end"
			: i       ? " behind the hunk before"
				  : "");
	escape_bytes(&shown, absent->text, absent->len);
	return err_set(e, EINVAL,
		"hunk %zu (line %zu of the patch) does not apply: the file has no line '%s%s'",
		i + 1, h->line, buf_text(&shown), shown.dropped ? "..." : "");
}

static int write_out(struct arena *a, const struct apply *s, size_t max, const char **ret,
	size_t *ret_len, struct err *e)
{
	size_t len = 0, at = 0;
	char *text;

	for (size_t i = 0; i < s->out_count; i++)
		len += s->out[i].len + 2;
	if (len > max + 2 * s->out_count)
		return err_set(e, EFBIG, "the file would have %zu bytes, and the limit is %zu",
			len - 2 * s->out_count, max);
	text = arena_array(a, len + 1, 1);
	for (size_t i = 0; i < s->out_count; i++) {
		const struct patch_line *line = &s->out[i];

		if (line->len)
			memcpy(text + at, line->text, line->len);
		at += line->len;
		if (line->open && i + 1 == s->out_count)
			break;
		if (line->cr)
			text[at++] = '\r';
		text[at++] = '\n';
	}
	text[at] = '\0';
	if (at > max)
		return err_set(
			e, EFBIG, "the file would have %zu bytes, and the limit is %zu", at, max);
	*ret = text;
	*ret_len = at;
	return 0;
}

int patch_apply(struct arena *a, const struct patch_file *p, const char *text, size_t len,
	size_t max, const char **ret, size_t *ret_len, struct err *e)
{
	auto_(arena_free) struct arena scratch = {0};
	struct apply s = {.file = p};
	size_t room = 0;

	cut(&s, &scratch, text, len);
	for (size_t i = 0; i < p->hunk_count; i++)
		room += p->hunks[i].count;
	s.out = arena_array(&scratch, s.old_count + room + 1, sizeof *s.out);
	for (size_t i = 0; i < p->hunk_count; i++) {
		size_t at;

		if (!find(&s, &p->hunks[i], &at))
			return no_place(&s, i, e);
		carry_out(&s, &p->hunks[i], at);
	}
	take_until(&s, s.old_count);
	return write_out(a, &s, max, ret, ret_len, e);
}
