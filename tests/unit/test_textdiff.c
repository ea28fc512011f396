/* SPDX-License-Identifier: Apache-2.0 */
#include "base/textdiff.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "test.h"

static void put(void *ctx, char kind, const char *text, size_t len)
{
	buf_putc(ctx, kind);
	buf_add(ctx, text, len);
	buf_putc(ctx, '\n');
}

static void compare(const char *old, const char *new, const char *want)
{
	auto_(arena_free) struct arena a = {0};
	auto_(buf_free) struct buf out = BUF(100000);
	struct textdiff d;

	textdiff_compare(&a, old, strlen(old), new, strlen(new), &d);
	textdiff_show(&d, put, &out);
	check_str(buf_text(&out), want);
}

static void test_shown(void)
{
	compare("", "", "");
	compare("a\n", "a\n", "");
	compare("", "a\n", "@@ -0,0 +1,1 @@\n+a\n");
	compare("a\n", "", "@@ -1,1 +0,0 @@\n-a\n");
	compare("a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n");
	compare("a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
	compare("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
		"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
	/* Two that are far apart are two hunks. */
	compare("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "x\n2\n3\n4\n5\n6\n7\n8\n9\ny\n",
		"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+y\n");
	compare("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n",
		"@@ -1,7 +1,6 @@\n-a\n+c\n b\n-c\n a\n b\n-b\n a\n+c\n");
}

/* Old text and the changes make the new one: for many texts with few different lines. */
static void test_rebuilt(void)
{
	srand(7);
	for (int round = 0; round < 3000; round++) {
		auto_(arena_free) struct arena a = {0};
		auto_(buf_free) struct buf old = BUF(10000), new = BUF(10000), made = BUF(10000);
		struct textdiff d;
		size_t i = 0, j = 0, kinds = 2 + (size_t)rand() % 4;

		for (int n = rand() % 40; n > 0; n--)
			buf_printf(&old, "%d\n", rand() % (int)kinds);
		for (int n = rand() % 40; n > 0; n--)
			buf_printf(&new, "%d\n", rand() % (int)kinds);
		textdiff_compare(&a, buf_text(&old), old.len, buf_text(&new), new.len, &d);
		while (i < d.old_count || j < d.new_count) {
			if (i < d.old_count && d.old_lines[i].changed) {
				i++;
			} else if (j < d.new_count && d.new_lines[j].changed) {
				buf_add(&made, d.new_lines[j].text, d.new_lines[j].len);
				buf_putc(&made, '\n');
				j++;
			} else if (i < d.old_count && j < d.new_count) {
				buf_add(&made, d.old_lines[i].text, d.old_lines[i].len);
				buf_putc(&made, '\n');
				i++;
				j++;
			} else {
				break;
			}
		}
		check_str(buf_text(&made), buf_text(&new));
		check(i == d.old_count && j == d.new_count);
	}
}

static void test_large(void)
{
	auto_(arena_free) struct arena a = {0};
	auto_(buf_free) struct buf old = BUF(4000000), new = BUF(4000000);
	struct textdiff d;

	for (int i = 0; i < 50000; i++) {
		buf_printf(&old, "old %d\n", i);
		buf_printf(&new, "new %d\n", i);
	}
	textdiff_compare(&a, buf_text(&old), old.len, buf_text(&new), new.len, &d);
	check_int(d.deleted, 50000);
	check_int(d.inserted, 50000);
}

static const struct test tests[] = {
	{"hunks", test_shown},
	{"any text and its changes make the other", test_rebuilt},
	{"large texts with nothing in common", test_large},
};
TEST_MAIN(tests)
