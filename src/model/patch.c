/* SPDX-License-Identifier: Apache-2.0 */
#include "model/patch.h"

#include "base/vec.h"
#include "model/patch_parts.h"

#include <errno.h>
#include <string.h>

void patch_step(struct patch_reader *r)
{
	const char *newline;
	size_t len;

	r->have = r->next < r->end;
	if (!r->have)
		return;
	newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
	len = (size_t)((newline ? newline : r->end) - r->next);
	r->now = (struct patch_line){.text = r->next, .len = len};
	if (len && r->next[len - 1] == '\r') {
		r->now.len--;
		r->now.cr = true;
	}
	r->next += len + (newline ? 1 : 0);
	r->number++;
}

bool patch_starts(const struct patch_reader *r, const char *prefix)
{
	size_t len = strlen(prefix);

	return r->have && r->now.len >= len && memcmp(r->now.text, prefix, len) == 0;
}

int patch_wrong(const struct patch_reader *r, struct err *e, const char *why)
{
	return err_set(e, EINVAL, "line %zu of the patch: %s", r->number, why);
}

struct patch_line patch_line_of(const struct patch_reader *r, char kind)
{
	struct patch_line line = r->now;

	line.kind = kind;
	if (line.len) {
		line.text++;
		line.len--;
	}
	return line;
}

const char *patch_rest(const struct patch_reader *r, const char *prefix)
{
	size_t skip = strlen(prefix), len = r->now.len;

	while (len > skip && (r->now.text[len - 1] == ' ' || r->now.text[len - 1] == '\t'))
		len--;
	while (skip < len && r->now.text[skip] == ' ')
		skip++;
	if (skip >= len || memchr(r->now.text + skip, '\0', len - skip))
		return NULL;
	return arena_text(r->a, r->now.text + skip, len - skip);
}

int patch_add_file(struct patch_reader *r, const struct patch_file *f, struct err *e)
{
	if (r->count == PATCH_FILES_MAX)
		return err_set(e, EFBIG, "the patch is for more than %d files", PATCH_FILES_MAX);
	vec_push(r->a, &r->files, &r->count, &r->cap, *f);
	return 0;
}

bool patch_is_mark(const struct patch_reader *r, const char *mark)
{
	const char *p = r->now.text;
	size_t len = r->now.len;

	for (; len && (*p == ' ' || *p == '\t'); len--)
		p++;
	return len >= strlen(mark) && memcmp(p, mark, strlen(mark)) == 0;
}

int patch_parse(struct arena *a, const char *text, size_t len, struct patch *ret, struct err *e)
{
	struct patch_reader r = {.a = a, .next = text, .end = text + len};
	int result;

	if (len > PATCH_MAX)
		return err_set(
			e, EFBIG, "the patch has %zu bytes, and the limit is %zu", len, PATCH_MAX);
	do
		patch_step(&r);
	while (r.have && r.now.len == 0);
	if (r.have && patch_is_mark(&r, "*** Begin Patch"))
		result = patch_read_begin(&r, e);
	else
		result = patch_read_unified(&r, e);
	if (result < 0)
		return result;
	if (r.count == 0)
		return err_set(e, EINVAL,
			"the patch changes no file; it has to be a unified diff, or to begin with "
			"'*** Begin Patch'");
	ret->files = r.files;
	ret->count = r.count;
	return 0;
}
