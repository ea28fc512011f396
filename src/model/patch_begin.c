/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The form between "*** Begin Patch" and "*** End Patch":
 *
 *	*** Add File: PATH		every line of it with a + in front
 *	*** Delete File: PATH
 *	*** Update File: PATH		then perhaps *** Move to: PATH, then hunks:
 *	@@ LINE				optional: a line that stands before the place, or several
 *	 context, -old, +new		an empty line is an empty context line
 *	*** End of File			the hunk ends where the file does
 */

#include "model/patch_parts.h"

#include "base/vec.h"

#include <errno.h>
#include <string.h>

static bool is_marker(const struct patch_reader *r)
{
	return patch_starts(r, "***");
}

static int need_path(struct patch_reader *r, const char *prefix, const char **ret, struct err *e)
{
	*ret = patch_rest(r, prefix);
	return *ret ? 0 : patch_wrong(r, e, "the name of the file is missing");
}

static void skip_blank(struct patch_reader *r)
{
	while (r->have && r->now.len == 0)
		patch_step(r);
}

static int read_add(struct patch_reader *r, struct err *e)
{
	struct patch_file f = {.op = PATCH_ADD};
	struct patch_hunk hunk = {.line = r->number + 1};
	struct patch_lines lines = {NULL, 0, 0};
	int result = need_path(r, "*** Add File:", &f.path, e);

	for (patch_step(r); result == 0 && r->have && !is_marker(r); patch_step(r)) {
		if (!patch_starts(r, "+")) {
			skip_blank(r);
			if (is_marker(r))
				break;
			return patch_wrong(r, e, "a line of a new file begins with '+'");
		}
		vec_push(r->a, &lines.items, &lines.count, &lines.cap, patch_line_of(r, '+'));
	}
	hunk.lines = lines.items;
	hunk.count = lines.count;
	f.hunks = arena_copy(r->a, &hunk, sizeof hunk);
	f.hunk_count = lines.count > 0;
	return result < 0 ? result : patch_add_file(r, &f, e);
}

static int read_delete(struct patch_reader *r, struct err *e)
{
	struct patch_file f = {.op = PATCH_DELETE};
	int result = need_path(r, "*** Delete File:", &f.path, e);

	patch_step(r);
	skip_blank(r);
	return result < 0 ? result : patch_add_file(r, &f, e);
}

/* "@@" alone says nothing; "@@ LINE" is a line to look for first. */
static void read_headings(struct patch_reader *r, struct patch_hunk *h)
{
	struct patch_lines headings = {NULL, 0, 0};

	for (; patch_starts(r, "@@"); patch_step(r)) {
		struct patch_line line = r->now;

		line.text += 2;
		line.len -= 2;
		if (line.len && *line.text == ' ') {
			line.text++;
			line.len--;
		}
		if (line.len)
			vec_push(r->a, &headings.items, &headings.count, &headings.cap, line);
	}
	h->headings = headings.items;
	h->heading_count = headings.count;
}

static int read_hunk(struct patch_reader *r, struct patch_hunk *h, struct err *e)
{
	struct patch_lines lines = {NULL, 0, 0};
	bool changes = false;

	h->line = r->number;
	read_headings(r, h);
	for (; r->have && !is_marker(r) && !patch_starts(r, "@@"); patch_step(r)) {
		char kind = r->now.len ? r->now.text[0] : ' ';

		if (kind != ' ' && kind != '-' && kind != '+')
			return patch_wrong(r, e,
				"a line of a hunk begins with ' ', '-' or '+', and a hunk with "
				"'@@'");
		changes |= kind != ' ';
		vec_push(r->a, &lines.items, &lines.count, &lines.cap, patch_line_of(r, kind));
	}
	h->at_end = patch_starts(r, "*** End of File");
	if (h->at_end)
		patch_step(r);
	if (!changes)
		return patch_wrong(r, e, "the hunk before it changes nothing");
	h->lines = lines.items;
	h->count = lines.count;
	return 0;
}

/* An empty line in front of a marker belongs to nothing. */
static void drop_blank_end(struct patch_hunks *hunks)
{
	struct patch_hunk *last = hunks->count ? &hunks->items[hunks->count - 1] : NULL;

	while (last && last->count > 1 && !last->at_end &&
		last->lines[last->count - 1].kind == ' ' && last->lines[last->count - 1].len == 0 &&
		last->lines[last->count - 1].text[-1] == '\n')
		last->count--;
}

static int read_update(struct patch_reader *r, struct err *e)
{
	struct patch_file f = {.op = PATCH_UPDATE};
	struct patch_hunks hunks = {NULL, 0, 0};
	int result = need_path(r, "*** Update File:", &f.path, e);

	patch_step(r);
	if (result == 0 && patch_starts(r, "*** Move to:")) {
		result = need_path(r, "*** Move to:", &f.new_path, e);
		patch_step(r);
	}
	while (result == 0 && r->have && !is_marker(r)) {
		struct patch_hunk h = {.line = 0};

		result = read_hunk(r, &h, e);
		vec_push(r->a, &hunks.items, &hunks.count, &hunks.cap, h);
	}
	if (result < 0)
		return result;
	drop_blank_end(&hunks);
	if (hunks.count == 0 && !f.new_path)
		return patch_wrong(r, e, "the update before it has no hunk");
	f.hunks = hunks.items;
	f.hunk_count = hunks.count;
	return patch_add_file(r, &f, e);
}

static int read_section(struct patch_reader *r, struct err *e)
{
	if (patch_starts(r, "*** Add File:"))
		return read_add(r, e);
	if (patch_starts(r, "*** Delete File:"))
		return read_delete(r, e);
	if (patch_starts(r, "*** Update File:"))
		return read_update(r, e);
	return patch_wrong(r, e,
		"'*** Add File: ', '*** Update File: ', '*** Delete File: ' or '*** End Patch' was "
		"expected");
}

int patch_read_begin(struct patch_reader *r, struct err *e)
{
	int result = 0;

	patch_step(r);
	while (result == 0 && r->have && !patch_is_mark(r, "*** End Patch"))
		result = read_section(r, e);
	if (result < 0)
		return result;
	if (!r->have)
		return err_set(e, EINVAL, "the patch has no '*** End Patch': it was cut off");
	patch_step(r);
	skip_blank(r);
	return r->have ? patch_wrong(r, e, "something follows '*** End Patch'") : 0;
}
