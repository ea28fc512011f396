/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pathname.h"

#include "model/refuse.h"

#include <string.h>

bool pathname_next(const char **io_path, const char **ret_part, size_t *ret_len)
{
	const char *p = *io_path;

	for (;;) {
		size_t len;

		while (*p == '/')
			p++;
		len = strcspn(p, "/");
		if (len == 1 && p[0] == '.') {
			p++;
			continue;
		}
		*io_path = p + len;
		*ret_part = p;
		*ret_len = len;
		return len > 0;
	}
}

bool pathname_has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

int pathname_check(const char *path, struct err *e)
{
	const char *rest = path, *part;
	size_t len;

	if (path[0] != '/')
		return refuse_text(e, path, "not an absolute path; write it from '/' on");
	if (strlen(path) > PATHNAME_MAX)
		return refuse_text(e, path, "longer than %d bytes", PATHNAME_MAX);
	if (pathname_has_control(path))
		return refuse_text(e, path, "has a control character in it");
	while (pathname_next(&rest, &part, &len))
		if (len == 2 && memcmp(part, "..", 2) == 0)
			return refuse_text(e, path, "has '..' in it; write the path without");
	return 0;
}

int pathname_normalise(struct arena *a, const char *path, const char **ret, struct err *e)
{
	const char *part;
	size_t len, used = 0;
	char *out;
	int r = pathname_check(path, e);

	if (r < 0)
		return r;
	/* Never longer than what was written, save for the one slash of the root. */
	out = arena_alloc(a, strlen(path) + 2);
	while (pathname_next(&path, &part, &len)) {
		out[used++] = '/';
		memcpy(out + used, part, len);
		used += len;
	}
	if (used == 0)
		out[used++] = '/';
	out[used] = '\0';
	*ret = out;
	return 0;
}

/* Walks both as long as they agree; says which of them has components left. */
static void walk(const char *a, const char *b, bool *ret_a_left, bool *ret_b_left)
{
	const char *a_part, *b_part;
	size_t a_len, b_len;

	for (;;) {
		*ret_a_left = pathname_next(&a, &a_part, &a_len);
		*ret_b_left = pathname_next(&b, &b_part, &b_len);
		if (!*ret_a_left || !*ret_b_left)
			return;
		if (a_len != b_len || memcmp(a_part, b_part, a_len) != 0)
			return;
	}
}

bool pathname_same(const char *a, const char *b)
{
	bool a_left, b_left;

	walk(a, b, &a_left, &b_left);
	return !a_left && !b_left;
}

bool pathname_within(const char *path, const char *folder)
{
	bool path_left, folder_left;

	walk(path, folder, &path_left, &folder_left);
	return !folder_left;
}
