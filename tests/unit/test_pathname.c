/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pathname.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

static void normal_form(void)
{
	static const struct {
		const char *path, *normal; /* NULL: refused */
	} rows[] = {
		{"/", "/"},
		{"//", "/"},
		{"/.", "/"},
		{"/./", "/"},
		{"/a", "/a"},
		{"/a/", "/a"},
		{"//a//b", "/a/b"},
		{"/a/./b/.", "/a/b"},
		{"/root/./.aws", "/root/.aws"},
		{"//root//.aws", "/root/.aws"},
		{"/...", "/..."},
		{"/..a/b..", "/..a/b.."},
		{"/a b/\xc3\xa9", "/a b/\xc3\xa9"},
		{"", NULL},
		{"a", NULL},
		{"./a", NULL},
		{"~/a", NULL},
		{"$HOME/a", NULL},
		{"/..", NULL},
		{"/a/..", NULL},
		{"/a/../b", NULL},
		{"/a/.//../b", NULL},
		{"/a\nb", NULL},
		{"/a\x7f", NULL},
		{"/a\x1b[0m", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		const char *out = "kept";
		struct err e = {0};
		int r = pathname_normalise(&a, rows[i].path, &out, &e);

		test_row("%s", rows[i].path);
		check_int(r, rows[i].normal ? 0 : -22);
		check_int(pathname_check(rows[i].path, NULL), r);
		check_str(out, rows[i].normal ? rows[i].normal : "kept");
		check(rows[i].normal || e.text[0]);
	}
}

static void length_is_bounded(void)
{
	char path[PATHNAME_MAX + 2];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[PATHNAME_MAX] = '\0';
	check_int(pathname_check(path, NULL), 0);
	path[PATHNAME_MAX] = 'a';
	path[PATHNAME_MAX + 1] = '\0';
	check_int(pathname_check(path, NULL), -22);
}

static void containment_goes_by_component(void)
{
	static const struct {
		const char *path, *folder;
		bool within, same;
	} rows[] = {
		{"/tmp/ws", "/tmp/ws", true, true},
		{"/tmp/ws/", "/tmp/ws", true, true},
		{"/tmp/ws", "//tmp/./ws/", true, true},
		{"/tmp/ws/a", "/tmp/ws", true, false},
		{"/tmp/ws_secret", "/tmp/ws", false, false},
		{"/tmp/ws_secret/c", "/tmp/ws", false, false},
		{"/workspace_secret/c", "/workspace", false, false},
		{"/tmp/w", "/tmp/ws", false, false},
		{"/tmp", "/tmp/ws", false, false},
		{"/tmp/ws", "/", true, false},
		{"/", "/", true, true},
		{"/", "/a", false, false},
		{"/opt/toolsX", "/opt/tools", false, false},
		{"/a/b/c", "/a/c", false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s in %s", rows[i].path, rows[i].folder);
		check_int(pathname_within(rows[i].path, rows[i].folder), rows[i].within);
		check_int(pathname_same(rows[i].path, rows[i].folder), rows[i].same);
	}
}

static const struct test tests[] = {
	{"normal form", normal_form},
	{"length is bounded", length_is_bounded},
	{"containment goes by component", containment_goes_by_component},
};
TEST_MAIN(tests)
