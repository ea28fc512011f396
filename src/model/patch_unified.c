/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Unified diffs. Whatever stands in front of a file's headings is skipped: words of a mail, "index"
 * and the like. In a hunk the numbers of its heading hold, so that a removed line "-- x" is never
 * taken for a heading. What git can say and a file tool does not do (binary files, copies, links,
 * submodules) is refused.
 */

#include "model/patch_parts.h"

#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <string.h>

/* A file whose headings are being read. */
struct head {
	const char *git_name; /* of "diff --git", where both are the same */
	const char *old_name, *new_name;
	const char *from, *to; /* rename */
	bool old_null, new_null;
	bool any, created, deleted;
	bool closed; /* something else stands behind its hunks */
	int mode;
	size_t line;
	struct patch_hunks hunks;
};

static int octal(char c)
{
	return c >= '0' && c <= '7' ? c - '0' : -1;
}

/* A name in quotes, as git writes those with unusual bytes. */
static const char *unquote(struct arena *a, const char *text)
{
	static const char letters[] = "abtnvfr\"\\", meant[] = "\a\b\t\n\v\f\r\"\\";
	char *out = arena_text(a, text, strlen(text)), *to = out;

	for (text++; *text && *text != '"'; text++) {
		const char *letter;

		if (*text != '\\') {
			*to++ = *text;
			continue;
		}
		text++;
		letter = *text ? strchr(letters, *text) : NULL;
		if (letter) {
			*to++ = meant[letter - letters];
		} else if (octal(text[0]) >= 0 && octal(text[1]) >= 0 && octal(text[2]) >= 0) {
			*to++ = (char)(octal(text[0]) << 6 | octal(text[1]) << 3 | octal(text[2]));
			text += 2;
		} else {
			return NULL;
		}
	}
	*to = '\0';
	/* An octal 000 would end the name early. */
	return *text == '"' && strlen(out) == (size_t)(to - out) ? out : NULL;
}

/* Behind "--- " and the like; a date may follow after a tab. */
static const char *read_name(const struct patch_reader *r, const char *prefix)
{
	const char *name = patch_rest(r, prefix);

	if (!name)
		return NULL;
	if (name[0] == '"')
		return unquote(r->a, name);
	return arena_text(r->a, name, strcspn(name, "\t"));
}

/* "diff --git a/x b/x": the only place of the name when there is nothing else to say. */
static const char *git_name(const struct patch_reader *r)
{
	const char *both = patch_rest(r, "diff --git ");
	size_t len = both ? strlen(both) : 0, half = len / 2;

	if (len < 5 || both[0] == '"' || len % 2 == 0 || both[half] != ' ' ||
		strncmp(both, "a/", 2) != 0 || strncmp(both + half + 1, "b/", 2) != 0 ||
		strncmp(both + 2, both + half + 3, half - 2) != 0)
		return NULL;
	return both + half + 3;
}

static int read_mode(const struct patch_reader *r, const char *prefix, int *ret, struct err *e)
{
	const char *text = patch_rest(r, prefix);

	if (text && str_starts(text, "100") && strlen(text) == 6) {
		*ret = text[3] == '7' || text[3] == '5' ? 0755 : 0644;
		return 0;
	}
	return patch_wrong(r, e,
		"only files are patched, not links or submodules (a mode is 100644 or 100755)");
}

static const char *without_prefix(const char *name, const char *prefix)
{
	return str_starts(name, prefix) ? name + 2 : name;
}

/* a/ and b/ are git's, where both are there. */
static void strip(struct head *h)
{
	bool old_prefix = h->old_null || (h->old_name && str_starts(h->old_name, "a/"));
	bool new_prefix = h->new_null || (h->new_name && str_starts(h->new_name, "b/"));

	if (!old_prefix || !new_prefix)
		return;
	if (!h->old_null)
		h->old_name = without_prefix(h->old_name, "a/");
	if (!h->new_null)
		h->new_name = without_prefix(h->new_name, "b/");
}

static int finish(struct patch_reader *r, struct head *h, struct err *e)
{
	struct patch_file f = {.op = PATCH_UPDATE,
		.mode = h->mode,
		.hunks = h->hunks.items,
		.hunk_count = h->hunks.count};

	if (!h->any)
		return 0;
	if (h->old_name && h->new_name)
		strip(h);
	if (h->created || h->old_null)
		f.op = PATCH_ADD;
	else if (h->deleted || h->new_null)
		f.op = PATCH_DELETE;
	if (h->from && h->to) {
		f.path = h->from;
		f.new_path = h->to;
	} else if (h->new_name && !h->new_null) {
		f.path = h->new_name;
	} else {
		f.path = h->old_name && !h->old_null ? h->old_name : h->git_name;
	}
	if (!f.path || !f.path[0])
		return err_set(e, EINVAL,
			"line %zu of the patch: which file this is for is not told", h->line);
	if (f.op == PATCH_UPDATE && !f.hunk_count && !f.new_path && !f.mode)
		return err_set(
			e, EINVAL, "line %zu of the patch: nothing is said to change", h->line);
	*h = (struct head){.any = false};
	return patch_add_file(r, &f, e);
}

static bool number(const char **p, const char *end, uint64_t *ret)
{
	const char *start = *p;

	*ret = 0;
	for (; *p < end && **p >= '0' && **p <= '9' && *ret < UINT32_MAX; (*p)++)
		*ret = *ret * 10 + (uint64_t)(**p - '0');
	return *p > start && *ret < UINT32_MAX;
}

/* "-12,3" or "-12". */
static bool range(const char **p, const char *end, char sign, uint64_t *ret_at, uint64_t *ret_count)
{
	*ret_count = 1;
	if (*p >= end || **p != sign)
		return false;
	(*p)++;
	if (!number(p, end, ret_at))
		return false;
	if (*p < end && **p == ',') {
		(*p)++;
		return number(p, end, ret_count);
	}
	return true;
}

static int read_counts(const struct patch_reader *r, struct patch_hunk *h, uint64_t *ret_old,
	uint64_t *ret_new, struct err *e)
{
	const char *p = r->now.text + 3, *end = r->now.text + r->now.len;
	uint64_t unused;

	if (!patch_starts(r, "@@ ") || !range(&p, end, '-', &h->old_start, ret_old) || p >= end ||
		*p++ != ' ' || !range(&p, end, '+', &unused, ret_new) || end - p < 3 ||
		memcmp(p, " @@", 3) != 0)
		return patch_wrong(r, e, "a hunk begins with '@@ -LINE,COUNT +LINE,COUNT @@'");
	h->placed = true;
	return 0;
}

static int read_hunk(struct patch_reader *r, struct patch_hunk *h, struct err *e)
{
	struct patch_lines lines = {NULL, 0, 0};
	uint64_t old_left, new_left;
	int result = read_counts(r, h, &old_left, &new_left, e);

	h->line = r->number;
	for (patch_step(r); result == 0 && r->have && (old_left || new_left); patch_step(r)) {
		char kind = r->now.len ? r->now.text[0] : ' ';

		if (kind == '\\' && lines.count) {
			lines.items[lines.count - 1].open = true;
			continue;
		}
		if ((kind != ' ' && kind != '-' && kind != '+') || (kind != '+' && !old_left) ||
			(kind != '-' && !new_left))
			return patch_wrong(
				r, e, "the hunk does not have the lines that its heading counts");
		old_left -= kind != '+';
		new_left -= kind != '-';
		vec_push(r->a, &lines.items, &lines.count, &lines.cap, patch_line_of(r, kind));
	}
	if (result < 0)
		return result;
	if (old_left || new_left)
		return patch_wrong(r, e, "the hunk is cut off: its heading counts more lines");
	if (patch_starts(r, "\\") && lines.count) {
		lines.items[lines.count - 1].open = true;
		patch_step(r);
	}
	h->lines = lines.items;
	h->count = lines.count;
	return 0;
}

/* A line between files, which may be one of git's headings. */
static int read_git(struct patch_reader *r, struct head *h, struct err *e)
{
	if (patch_starts(r, "new file mode ")) {
		h->created = true;
		return read_mode(r, "new file mode ", &h->mode, e);
	}
	if (patch_starts(r, "deleted file mode ")) {
		h->deleted = true;
		return 0;
	}
	if (patch_starts(r, "new mode "))
		return read_mode(r, "new mode ", &h->mode, e);
	if (patch_starts(r, "rename from "))
		h->from = read_name(r, "rename from ");
	else if (patch_starts(r, "rename to "))
		h->to = read_name(r, "rename to ");
	else if (patch_starts(r, "copy from "))
		return patch_wrong(r, e, "copies are not supported; add the file instead");
	else if (patch_starts(r, "GIT binary patch") || patch_starts(r, "Binary files "))
		return patch_wrong(r, e, "binary files are not patched; write them whole");
	return 0;
}

/* "--- old" and "+++ new", which stand together. */
static int read_names(struct patch_reader *r, struct head *h, struct err *e)
{
	int result = 0;

	/* After hunks they begin another file. */
	if (h->hunks.count || h->old_name)
		result = finish(r, h, e);
	if (result < 0)
		return result;
	h->line = h->any ? h->line : r->number;
	h->any = true;
	h->old_name = read_name(r, "--- ");
	patch_step(r);
	if (!patch_starts(r, "+++ "))
		return patch_wrong(r, e, "after '--- ' comes a line with '+++ '");
	h->new_name = read_name(r, "+++ ");
	if (!h->old_name || !h->new_name)
		return patch_wrong(r, e, "the name of the file cannot be read");
	h->old_null = str_eq(h->old_name, "/dev/null");
	h->new_null = str_eq(h->new_name, "/dev/null");
	if (h->old_null && h->new_null)
		return patch_wrong(r, e, "both files are /dev/null");
	patch_step(r);
	return 0;
}

static int read_line(struct patch_reader *r, struct head *h, struct err *e)
{
	struct patch_hunk hunk = {.line = 0};
	int result;

	if (patch_starts(r, "diff --git ")) {
		result = finish(r, h, e);
		*h = (struct head){.any = true, .line = r->number, .git_name = git_name(r)};
	} else if (patch_starts(r, "--- ")) {
		return read_names(r, h, e);
	} else if (patch_starts(r, "@@")) {
		if (!h->any || !h->new_name)
			return patch_wrong(r, e, "a hunk comes after '--- ' and '+++ '");
		result = read_hunk(r, &hunk, e);
		if (result == 0)
			vec_push(r->a, &h->hunks.items, &h->hunks.count, &h->hunks.cap, hunk);
		return result;
	} else if (h->hunks.count && !h->closed &&
		   (patch_starts(r, "+") || patch_starts(r, " ") || patch_starts(r, "-"))) {
		/* git ends a mailed patch so */
		if (!(r->now.len >= 2 && r->now.len <= 3 && patch_starts(r, "--")))
			return patch_wrong(
				r, e, "the hunk before it has more lines than its heading counts");
		result = 0;
	} else {
		result = h->any ? read_git(r, h, e) : 0;
		h->closed = h->hunks.count > 0;
	}
	patch_step(r);
	return result;
}

int patch_read_unified(struct patch_reader *r, struct err *e)
{
	struct head h = {.any = false};
	int result = 0;

	while (result == 0 && r->have)
		result = read_line(r, &h, e);
	return result < 0 ? result : finish(r, &h, e);
}
