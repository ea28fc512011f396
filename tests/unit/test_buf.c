/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/cleanup.h"
#include "test.h"

#include <wchar.h>

static void empty_buffer(void)
{
	auto_(buf_free) struct buf b = BUF(10);

	check_str(buf_text(&b), "");
	check(b.data == NULL);
	buf_add(&b, "", 0);
	buf_puts(&b, "");
	check_u64(b.len, 0);
	check_u64(b.dropped, 0);
	check_str(buf_text(&b), "");
}

static void adds_in_order(void)
{
	auto_(buf_free) struct buf b = BUF(1000);

	buf_puts(&b, "one ");
	buf_putc(&b, '2');
	buf_add(&b, " threeXXX", 6);
	buf_printf(&b, " %d%s", 4, "!");
	check_str(buf_text(&b), "one 2 three 4!");
	check_u64(b.len, strlen("one 2 three 4!"));
	check_u64(b.dropped, 0);
}

static void grows_far(void)
{
	auto_(buf_free) struct buf b = BUF(SIZE_MAX);
	size_t wrong = 0;

	for (int i = 0; i < 100000; i++)
		buf_putc(&b, (char)('a' + i % 26));
	for (int i = 0; i < 100000; i++)
		wrong += b.data[i] != (char)('a' + i % 26);
	check_u64(b.len, 100000);
	check_u64(wrong, 0);
	check_int(b.data[b.len], 0);
	check(b.cap > b.len);
}

static void bytes_may_be_zero(void)
{
	auto_(buf_free) struct buf b = BUF(10);

	buf_add(&b, "a\0b", 3);
	check_u64(b.len, 3);
	check(memcmp(b.data, "a\0b", 4) == 0);
}

static void limit_drops_and_counts(void)
{
	static const struct {
		size_t max, add, again, len, dropped;
	} rows[] = {
		{0, 0, 0, 0, 0},
		{0, 1, 0, 0, 1},
		{0, 5, 5, 0, 10},
		{1, 1, 0, 1, 0},
		{1, 1, 1, 1, 1},
		{10, 9, 1, 10, 0},
		{10, 10, 0, 10, 0},
		{10, 11, 0, 10, 1},
		{10, 4, 10, 10, 4},
		{63, 63, 1, 63, 1},
		{64, 64, 0, 64, 0},
		{65, 64, 1, 65, 0},
		{100, 200, 50, 100, 150},
	};
	char data[256];

	memset(data, 'd', sizeof(data));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		auto_(buf_free) struct buf b = BUF(rows[i].max);

		test_row("row %zu", i);
		buf_add(&b, data, rows[i].add);
		buf_add(&b, data, rows[i].again);
		check_u64(b.len, rows[i].len);
		check_u64(b.dropped, rows[i].dropped);
		check_u64(strlen(buf_text(&b)), rows[i].len);
		check(b.cap <= rows[i].max + 1 || b.cap <= 64);
	}
}

static void nothing_follows_a_gap(void)
{
	auto_(buf_free) struct buf b = BUF(4);

	b.dropped = 3; /* as left by a caller that adds all or nothing */
	buf_puts(&b, "ab");
	check_str(buf_text(&b), "");
	check_u64(b.dropped, 5);
}

static void printf_sizes(void)
{
	static const int sizes[] = {0, 1, 254, 255, 256, 257, 5000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		auto_(buf_free) struct buf b = BUF(4000);
		int want = sizes[i] < 4000 ? sizes[i] : 4000;

		test_row("%d", sizes[i]);
		buf_printf(&b, "%*s", sizes[i], "");
		check_int(b.len, want);
		check_int(b.dropped, sizes[i] - want);
		check_int(strspn(buf_text(&b), " "), want);
	}
}

static void printf_of_the_impossible_adds_nothing(void)
{
	auto_(buf_free) struct buf b = BUF(100);

	buf_puts(&b, "x");
	buf_printf(&b, "%ls", L"\x20ac");
	check_str(buf_text(&b), "x");
}

static void take_gives_away(void)
{
	auto_(buf_free) struct buf b = BUF(5);

	buf_puts(&b, "abcdefg");
	auto_free char *text = buf_take(&b);
	auto_free char *none = buf_take(&b);

	check_str(text, "abcde");
	check_str(none, "");
	check_u64(b.len, 0);
	check_u64(b.dropped, 0);
	check_u64(b.max, 5);
	buf_puts(&b, "again");
	check_str(buf_text(&b), "again");
}

static void reset_keeps_memory(void)
{
	auto_(buf_free) struct buf b = BUF(5);

	buf_reset(&b);
	check_str(buf_text(&b), "");
	buf_puts(&b, "abcdefg");
	const char *before = b.data;

	buf_reset(&b);
	check_str(buf_text(&b), "");
	check_u64(b.len, 0);
	check_u64(b.dropped, 0);
	buf_puts(&b, "xyz");
	check(b.data == before);
	check_str(buf_text(&b), "xyz");
}

static void free_leaves_it_usable(void)
{
	struct buf b = BUF(5);

	buf_free(&b);
	buf_puts(&b, "abc");
	buf_free(&b);
	check(b.data == NULL && b.len == 0 && b.cap == 0);
	buf_puts(&b, "def");
	check_str(buf_text(&b), "def");
	buf_free(&b);
}

static const struct test tests[] = {
	{"empty buffer", empty_buffer},
	{"adds in order", adds_in_order},
	{"grows far", grows_far},
	{"bytes may be zero", bytes_may_be_zero},
	{"the limit drops and counts", limit_drops_and_counts},
	{"nothing follows a gap", nothing_follows_a_gap},
	{"printf of many sizes", printf_sizes},
	{"printf of the impossible adds nothing", printf_of_the_impossible_adds_nothing},
	{"take gives away", take_gives_away},
	{"reset keeps the memory", reset_keeps_memory},
	{"free leaves it usable", free_leaves_it_usable},
};

TEST_MAIN(tests)
