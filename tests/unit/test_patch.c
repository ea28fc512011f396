/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/macro.h"
#include "model/patch.h"
#include "test.h"

#include <errno.h>

static int parse(struct arena *a, const char *text, struct patch *ret, struct err *e)
{
	*e = (struct err){0};
	return patch_parse(a, text, strlen(text), ret, e);
}

/* One file: what was there, the patch, what is there afterwards (or why not, after a '!'). */
struct row {
	const char *name, *before, *patch, *after;
};

#define HEAD "--- a/f\n+++ b/f\n"
#define UPDATE "*** Begin Patch\n*** Update File: f\n"
#define END "*** End Patch\n"

static const struct row rows[] = {
	{"a line", "a\nb\nc\n", HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"},
	{"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n",
		HEAD "@@ -1,2 +1,3 @@\n 1\n+1a\n 2\n@@ -7,2 +8,1 @@ heading\n 7\n-8\n",
		"1\n1a\n2\n3\n4\n5\n6\n7\n"},
	{"it has moved", "x\nx\nx\na\nb\nc\n", HEAD "@@ -1,3 +1,2 @@\n a\n-b\n c\n",
		"x\nx\nx\na\nc\n"},
	{"the nearest", "a\nb\n\n\n\n\na\nb\n", HEAD "@@ -6,2 +6,1 @@\n a\n-b\n",
		"a\nb\n\n\n\n\na\n"},
	{"the second moves with the first", "n\nn\na\nx\ny\nz\na\nx\nq\na\nx\n",
		HEAD "@@ -1,1 +1,1 @@\n-a\n+A\n@@ -5,2 +5,2 @@\n-a\n+A\n x\n",
		"n\nn\nA\nx\ny\nz\nA\nx\nq\na\nx\n"},
	{"empty context without its blank", "a\n\nb\n", HEAD "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n",
		"a\n\nc\n"},
	{"insertion without context", "a\nb\n", HEAD "@@ -1,0 +2,1 @@\n+x\n", "a\nx\nb\n"},
	{"a line that looks like a heading", "-- a/f\nx\n",
		HEAD "@@ -1,2 +1,2 @@\n--- a/f\n+++ b/f\n x\n", "++ b/f\nx\n"},
	{"no newline, kept", "a\nb",
		HEAD "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n", "A\nb"},
	{"no newline, added", "a", HEAD "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
		"a\n"},
	{"no newline, removed", "a\n", HEAD "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n",
		"a"},
	{"no newline, not told", "a\nb", HEAD "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nc\n"},
	{"CR LF in the file only", "a\r\nb\r\nc\r\n", HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
		"a\r\nB\r\nc\r\n"},
	{"CR LF in the patch only", "a\nb\n",
		"--- a/f\r\n+++ b/f\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n", "a\nB\n"},
	{"CR LF are changed", "a\r\nb\r\n", HEAD "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\r\n", "a\nb\r\n"},
	{"a date behind the name", "a\n",
		"--- a/f\t2020-01-01 00:00:00\n+++ b/f\t2020-01-02\n@@ -1 +1 @@\n-a\n+b\n", "b\n"},
	{"a signature behind it", "a\n", HEAD "@@ -1 +1 @@\n-a\n+b\n-- \n2.39.2\n\n", "b\n"},
	{"other content", "a\nb\nc\n", HEAD "@@ -1,3 +1,3 @@\n a\n-x\n+B\n c\n",
		"!hunk 1 (line 3 of the patch) does not apply: the file has no line 'x'"},
	{"not together", "a\nc\nb\n", HEAD "@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
		"!do not stand together"},
	{"overlapping hunks", "a\nb\n",
		HEAD "@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -2,1 +2,1 @@\n-b\n+C\n",
		"!hunk 2 (line 7 of the patch) does not apply"},
	{"blanks count", "\ta\n", HEAD "@@ -1 +1 @@\n-a\n+b\n", "!has no line 'a'"},
	{"too many lines", "a\n", HEAD "@@ -1 +1 @@\n-a\n+b\n+c\n",
		"!line 6 of the patch: the hunk before it has more lines"},
	{"too few lines", "a\n", HEAD "@@ -1,2 +1 @@\n-a\n+b\n", "!cut off"},
	{"wrong numbers", "a\n", HEAD "@@ -x +1 @@\n-a\n+b\n", "!a hunk begins with"},
	{"numbers without end", "a\n", HEAD "@@ -99999999999999999999,1 +1 @@\n-a\n+b\n",
		"!a hunk begins with"},
	{"a hunk of no file", "a\n", "@@ -1 +1 @@\n-a\n+b\n", "!comes after '--- '"},
	{"half of the names", "a\n", "--- a/f\n@@ -1 +1 @@\n-a\n+b\n", "!after '--- ' comes"},
	{"words", "a\n", "please change a to b", "!changes no file"},
	{"nothing", "a\n", "", "!changes no file"},
	{"a binary file", "a\n",
		"diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n",
		"!binary files"},
	{"a copy", "a\n", "diff --git a/f b/g\ncopy from f\ncopy to g\n", "!copies"},
	{"a link", "a\n", "diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n",
		"!not links"},

	{"context", "a\nb\nc\n", UPDATE "@@\n a\n-b\n+B\n c\n" END, "a\nB\nc\n"},
	{"without @@", "a\nb\nc\n", UPDATE " a\n-b\n+B\n c\n" END, "a\nB\nc\n"},
	{"behind a heading", "b\nclass X\nb\n", UPDATE "@@ class X\n-b\n+B\n" END,
		"b\nclass X\nB\n"},
	{"behind two headings", "def f\nb\nclass X\ndef f\nb\n",
		UPDATE "@@ class X\n@@ def f\n-b\n+B\n" END, "def f\nb\nclass X\ndef f\nB\n"},
	{"one after the other", "a\na\na\n", UPDATE "@@\n-a\n+1\n@@\n-a\n+2\n" END, "1\n2\na\n"},
	{"at the end", "a\nb\na\n", UPDATE "@@\n-a\n+z\n*** End of File\n" END, "a\nb\nz\n"},
	{"not at the end", "a\nb\n", UPDATE "@@\n-a\n+z\n*** End of File\n" END, "!at its end"},
	{"only new lines", "a\n", UPDATE "@@\n+z\n" END, "a\nz\n"},
	{"only new lines behind a heading", "a\nb\n", UPDATE "@@ a\n+z\n" END, "a\nz\nb\n"},
	{"to a file without a newline", "a", UPDATE "@@\n a\n+z\n" END, "a\nz\n"},
	{"blank lines around", "a\n", "\n\n" UPDATE "@@\n-a\n+b\n\n" END "\n", "b\n"},
	{"CR LF", "a\r\nb\r\n", UPDATE "@@\n-a\n+A\n b\n" END, "A\r\nb\r\n"},
	{"blanks around the marker", "a\n",
		"  *** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n" END, "b\n"},
	{"a missing heading", "a\n", UPDATE "@@ class Y\n-a\n+b\n" END, "!no line 'class Y'"},
	{"no change", "a\n", UPDATE "@@\n a\n" END, "!changes nothing"},
	{"no hunk", "a\n", UPDATE END, "!has no hunk"},
	{"no end", "a\n", UPDATE "@@\n-a\n+b\n", "!cut off"},
	{"no name", "a\n", "*** Begin Patch\n*** Update File: \n@@\n-a\n+b\n" END,
		"!line 2 of the patch: the name"},
	{"another marker", "a\n", "*** Begin Patch\n*** Copy File: f\n" END, "!was expected"},
	{"a line of no kind", "a\n", UPDATE "@@\n-a\n=b\n" END, "!line 5 of the patch"},
	{"something behind", "a\n", UPDATE "@@\n-a\n+b\n" END "more\n", "!follows"},
	{"nothing in it", "a\n", "*** Begin Patch\n" END, "!changes no file"},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		const struct row *row = &rows[i];
		const char *after = NULL;
		struct patch p;
		struct err e;
		size_t len;
		int r = parse(&a, row->patch, &p, &e);

		test_row("%s", row->name);
		if (r == 0 && check_u64(p.count, 1)) {
			check_str(p.files[0].path, "f");
			r = patch_apply(&a, &p.files[0], row->before, strlen(row->before), 1 << 20,
				&after, &len, &e);
		}
		if (row->after[0] == '!') {
			check_int(r, -EINVAL);
			check_has(e.text, row->after + 1);
		} else if (check_int(r, 0)) {
			check_str(after, row->after);
			check_u64(len, strlen(row->after));
		} else {
			printf("# %s\n", e.text);
		}
	}
}

/* What git says about files besides their lines. */
static void test_git(void)
{
	static const char text[] =
		"From 0123456789\nSubject: [PATCH] x\n---\n a | 2 +-\n\n"
		"diff --git a/new b/new\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n"
		"+++ b/new\n@@ -0,0 +1,2 @@\n+one\n+two\n"
		"diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n"
		"@@ -1 +0,0 @@\n-gone\n"
		"diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n"
		"diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n"
		"diff --git a/empty b/empty\nnew file mode 100644\nindex 0..0\n"
		"diff --git \"a/t\\303\\244\" \"b/t\\303\\244\"\n--- \"a/t\\303\\244\"\n"
		"+++ \"b/t\\303\\244\"\n@@ -1 +1 @@\n-a\n+b\n"
		"--- plain\n+++ plain\n@@ -1 +1 @@\n-a\n+b\n";
	static const struct patch_file want[] = {
		{.op = PATCH_ADD, .path = "new", .mode = 0755, .hunk_count = 1},
		{.op = PATCH_DELETE, .path = "old", .hunk_count = 1},
		{.op = PATCH_UPDATE, .path = "from", .new_path = "to"},
		{.op = PATCH_UPDATE, .path = "x y", .mode = 0755},
		{.op = PATCH_ADD, .path = "empty", .mode = 0644},
		{.op = PATCH_UPDATE, .path = "t\303\244", .hunk_count = 1},
		{.op = PATCH_UPDATE, .path = "plain", .hunk_count = 1},
	};
	auto_(arena_free) struct arena a = {0};
	struct patch p = {NULL, 0};
	struct err e;

	check_int(parse(&a, text, &p, &e), 0);
	if (!check_u64(p.count, ARRAY_LEN(want)))
		return;
	for (size_t i = 0; i < p.count; i++) {
		test_row("%s", want[i].path);
		check_int(p.files[i].op, want[i].op);
		check_str(p.files[i].path, want[i].path);
		check_int(p.files[i].mode, want[i].mode);
		check_u64(p.files[i].hunk_count, want[i].hunk_count);
		check((p.files[i].new_path != NULL) == (want[i].new_path != NULL));
	}
	check_str(p.files[2].new_path, "to");
}

static void test_sections(void)
{
	static const char text[] = "*** Begin Patch\n*** Add File: d/new\n+one\n+\n+two\n\n"
				   "*** Delete File: gone\n\n*** Update File: a\n*** Move to: b c\n"
				   "*** Add File: empty\n*** End Patch";
	auto_(arena_free) struct arena a = {0};
	struct patch p = {NULL, 0};
	const char *after;
	struct err e;
	size_t len;

	check_int(parse(&a, text, &p, &e), 0);
	if (!check_u64(p.count, 4))
		return;
	check_int(patch_apply(&a, &p.files[0], "", 0, 100, &after, &len, &e), 0);
	check_str(after, "one\n\ntwo\n");
	check_int(patch_apply(&a, &p.files[0], "", 0, 8, &after, &len, &e), -EFBIG);
	check_int(p.files[1].op, PATCH_DELETE);
	check_str(p.files[2].new_path, "b c");
	check_int(patch_apply(&a, &p.files[3], "", 0, 100, &after, &len, &e), 0);
	check_str(after, "");
}

/* A hunk that almost stands everywhere: the work has an end. */
static void test_much_work(void)
{
	auto_(arena_free) struct arena a = {0};
	size_t lines = 60000, size = 100 + lines * 4;
	char *text = arena_array(&a, lines * 2 + 1, 1), *patch = arena_array(&a, size, 1);
	size_t at = (size_t)snprintf(patch, size, "%s@@\n", UPDATE);
	const char *after;
	struct patch p;
	struct err e;
	size_t len;

	for (size_t i = 0; i < lines; i++)
		memcpy(text + 2 * i, "x\n", 2);
	for (size_t i = 0; i < lines / 2; i++, at += 3)
		memcpy(patch + at, " x\n", 3);
	snprintf(patch + at, size - at, "-y\n%s", END);
	check_int(parse(&a, patch, &p, &e), 0);
	check_int(patch_apply(&a, &p.files[0], text, lines * 2, 1 << 20, &after, &len, &e), -EFBIG);
	check_has(e.text, "too long");
}

static void test_many_files(void)
{
	auto_(arena_free) struct arena a = {0};
	size_t size = 40000, at;
	char *text = arena_array(&a, size, 1);
	struct patch p;
	struct err e;

	at = (size_t)snprintf(text, size, "*** Begin Patch\n");
	for (int i = 0; i <= PATCH_FILES_MAX; i++)
		at += (size_t)snprintf(text + at, size - at, "*** Delete File: f%d\n", i);
	snprintf(text + at, size - at, END);
	check_int(parse(&a, text, &p, &e), -EFBIG);
	check_int(patch_parse(&a, text, PATCH_MAX + 1, &p, &e), -EFBIG);
}

static const struct test tests[] = {
	{"hunks are applied or refused", test_rows},
	{"what git says about files", test_git},
	{"sections of the other form", test_sections},
	{"work has a limit", test_much_work},
	{"files have a limit", test_many_files},
};
TEST_MAIN(tests)
