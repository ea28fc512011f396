/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/alias.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

#include <errno.h>

static const uint8_t key[SIPHASH_KEY] = "a key for tests";

static struct netcidr block(const char *text)
{
	struct netcidr c = {0};
	struct err e = {0};

	if (!check_int(netcidr_parse(text, &c, &e), 0))
		printf("# %s\n", e.text);
	return c;
}

static struct netaddr addr(const char *text)
{
	struct netaddr a = {0};

	check_int(netaddr_parse(text, &a, NULL), 0);
	return a;
}

static int begin(struct alias_table *t, const char *v4, const char *v6, uint32_t most)
{
	struct netcidr four = block(v4), six = block(v6);

	return alias_init(t, &four, &six, most, key);
}

static bool same(const struct netaddr *a, const struct netaddr *b)
{
	return a->v4 == b->v4 && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static bool good_pair(const struct alias_table *t, const struct alias_pair *p)
{
	return p->v4.v4 && !p->v6.v4 && netcidr_has(&t->v4, &p->v4) &&
	       netcidr_has(&t->v6, &p->v6) && p->v4.bytes[3] != 0 && p->v4.bytes[3] != 255 &&
	       alias_owns(t, &p->v4) && alias_owns(t, &p->v6);
}

static void a_name_keeps_its_addresses(void)
{
	auto_(alias_free) struct alias_table t;
	struct alias_pair a, b, again;

	check_int(begin(&t, "11.0.0.0/8", "3ffe::/16", 100), 0);
	check_int(alias_of_name(&t, "a.example", &a), 0);
	check_int(alias_of_name(&t, "b.example", &b), 0);
	check(good_pair(&t, &a) && good_pair(&t, &b));
	check(!same(&a.v4, &b.v4) && !same(&a.v6, &b.v6));
	check_int(alias_of_name(&t, "a.example", &again), 0);
	check(same(&a.v4, &again.v4) && same(&a.v6, &again.v6));
	check_int(alias_find_name(&t, "b.example", &again), 0);
	check(same(&b.v4, &again.v4) && same(&b.v6, &again.v6));
	check_int(t.count, 2);
	check_str(alias_name_at(&t, &a.v4), "a.example");
	check_str(alias_name_at(&t, &a.v6), "a.example");
	check_str(alias_name_at(&t, &b.v4), "b.example");
	check_str(alias_name_at(&t, &b.v6), "b.example");
}

static void what_nobody_asked_for_is_not_there(void)
{
	auto_(alias_free) struct alias_table t;
	struct alias_pair p;

	check_int(begin(&t, "11.0.0.0/8", "3ffe::/16", 100), 0);
	check_int(alias_find_name(&t, "a.example", &p), -ENOENT);
	check_int(alias_of_name(&t, "a.example", &p), 0);
	check_int(alias_find_name(&t, "a.exampl", &p), -ENOENT);
	check_int(alias_find_name(&t, "A.example", &p), -ENOENT);
	check_int(alias_find_name(&t, "", &p), -ENOENT);
	check_int(t.count, 1);
}

static void only_exact_addresses_have_a_name(void)
{
	auto_(alias_free) struct alias_table t;
	struct alias_pair p;

	check_int(begin(&t, "11.0.0.0/8", "3ffe::/16", 100), 0);
	check_int(alias_of_name(&t, "a.example", &p), 0);
	for (int bit = 0; bit < 32; bit++) {
		struct netaddr other = p.v4;

		test_row("IPv4 bit %d", bit);
		other.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		check(!alias_name_at(&t, &other));
	}
	for (int bit = 0; bit < 128; bit++) {
		struct netaddr other = p.v6;

		test_row("IPv6 bit %d", bit);
		other.bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		check(!alias_name_at(&t, &other));
	}
}

static void mapped_addresses_are_the_same(void)
{
	auto_(alias_free) struct alias_table t;
	struct netaddr mapped = addr("::ffff:0.0.0.0");
	struct alias_pair p;

	check_int(begin(&t, "11.0.0.0/8", "3ffe::/16", 100), 0);
	check_int(alias_of_name(&t, "a.example", &p), 0);
	memcpy(mapped.bytes + 12, p.v4.bytes, 4);
	check(alias_owns(&t, &mapped));
	check_str(alias_name_at(&t, &mapped), "a.example");
}

static void what_lies_in_the_blocks(void)
{
	static const struct {
		const char *text;
		bool owned;
	} rows[] = {
		{"11.16.0.0", true},
		{"11.31.255.255", true},
		{"11.15.255.255", false},
		{"11.32.0.0", false},
		{"::ffff:11.16.0.1", true},
		{"::ffff:11.32.0.1", false},
		{"::11.16.0.1", false},
		{"3ffe:1:2:3::", true},
		{"3ffe:1:2:3:ffff:ffff:ffff:ffff", true},
		{"3ffe:1:2:4::", false},
		{"127.0.0.1", false},
		{"::1", false},
	};
	auto_(alias_free) struct alias_table t;

	check_int(begin(&t, "11.16.0.0/12", "3ffe:1:2:3::/64", 100), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct netaddr a = addr(rows[i].text);

		test_row("%s", rows[i].text);
		check(alias_owns(&t, &a) == rows[i].owned);
		check(!alias_name_at(&t, &a));
	}
}

static void odd_blocks_are_refused(void)
{
	static const struct {
		struct netcidr v4, v6;
		uint32_t most;
	} rows[] = {
		{{{{11}, true}, 7}, {{{0x3f, 0xfe}, false}, 16}, 10},
		{{{{11}, true}, 25}, {{{0x3f, 0xfe}, false}, 16}, 10},
		{{{{11, 1}, true}, 8}, {{{0x3f, 0xfe}, false}, 16}, 10},
		{{{{11}, false}, 8}, {{{0x3f, 0xfe}, false}, 16}, 10},
		{{{{11}, true}, 8}, {{{0x3f, 0xfe}, false}, 97}, 10},
		{{{{11}, true}, 8}, {{{0x3f, 0xfe}, false}, 0}, 10},
		{{{{11}, true}, 8}, {{{0x3f, 0xfe, 1}, false}, 16}, 10},
		{{{{11}, true}, 8}, {{{11}, true}, 16}, 10},
		{{{{11}, true}, 8}, {{{0x3f, 0xfe}, false}, 16}, 0},
		{{{{11}, true}, 8}, {{{0x3f, 0xfe}, false}, 16}, ALIAS_NAMES_MAX + 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(alias_free) struct alias_table t;
		struct netaddr zero = {.v4 = true};
		struct alias_pair p;

		test_row("%zu", i);
		check_int(alias_init(&t, &rows[i].v4, &rows[i].v6, rows[i].most, key), -EINVAL);
		check(alias_of_name(&t, "a.example", &p) < 0);
		check(!alias_owns(&t, &zero) && !alias_name_at(&t, &zero));
	}
}

static void what_is_no_name_gets_nothing(void)
{
	auto_(alias_free) struct alias_table t;
	struct alias_pair p;
	char text[400];

	check_int(begin(&t, "11.0.0.0/8", "3ffe::/16", 100), 0);
	memset(text, 'a', sizeof(text));
	text[254] = '\0';
	check_int(alias_of_name(&t, text, &p), -EINVAL);
	check_int(alias_of_name(&t, "", &p), -EINVAL);
	text[253] = '\0';
	check_int(alias_of_name(&t, text, &p), 0);
	check_str(alias_name_at(&t, &p.v4), text);
}

static void an_idle_table_has_no_memory(void)
{
	auto_(alias_free) struct alias_table t;

	check_int(begin(&t, "11.0.0.0/8", "3ffe::/16", ALIAS_NAMES_MAX), 0);
	check(!t.names && !t.slots && !t.texts.head);
	check(sizeof(t) <= 192);
}

static uint32_t as_number(const struct netaddr *v4)
{
	uint32_t value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 8 | v4->bytes[i];
	return value;
}

/* Fills a table; every name is found by all three ways, and no address is had twice. */
static void fill(struct alias_table *t, uint32_t names)
{
	size_t span = (size_t)1 << (32 - t->v4.bits);
	auto_free uint8_t *taken = calloc(1, span);
	struct alias_pair p, again;
	char text[32];
	bool ok = taken;

	for (uint32_t i = 0; ok && i < names; i++) {
		uint32_t at;

		snprintf(text, sizeof text, "n%u.example", i);
		ok = check_int(alias_of_name(t, text, &p), 0) && check(good_pair(t, &p));
		at = as_number(&p.v4) & (uint32_t)(span - 1);
		ok = ok && check(!taken[at]);
		taken[at] = 1;
	}
	for (uint32_t i = 0; ok && i < names; i++) {
		snprintf(text, sizeof text, "n%u.example", i);
		ok = check_int(alias_find_name(t, text, &p), 0) &&
		     check_int(alias_of_name(t, text, &again), 0) &&
		     check(same(&p.v4, &again.v4)) && check_str(alias_name_at(t, &p.v4), text) &&
		     check_str(alias_name_at(t, &p.v6), text);
	}
	/* Nobody has the rest of the block: .0 and .255, and what was not reached. Of
	 * large blocks that would take too long. */
	for (uint32_t i = 0; ok && i < span && span <= 65536; i++) {
		p.v4 = t->v4.net;
		for (int k = 3, left = (int)i; k >= 0; k--, left >>= 8)
			p.v4.bytes[k] |= (uint8_t)left;
		ok = check(!alias_name_at(t, &p.v4) == !taken[i]);
	}
	check_int(alias_of_name(t, "one-more.example", &p), -ENOSPC);
	check_int(alias_find_name(t, "one-more.example", &p), -ENOENT);
	check_int(t->count, names);
}

static void full_tables_stay_as_they_are(void)
{
	static const struct {
		const char *v4, *v6;
		uint32_t most, names;
	} rows[] = {
		{"11.0.0.0/8", "3ffe::/16", 1, 1},
		{"11.0.0.0/8", "3ffe::/16", 17, 17},
		{"11.0.0.0/8", "3ffe::/16", ALIAS_NAMES_MAX, ALIAS_NAMES_MAX},
		{"198.18.0.0/15", "2001:db8::/32", 5000, 5000},
		{"29.16.0.0/12", "3ffe:0:0:1::/64", 3000, 3000},
		{"30.1.0.0/16", "3ffe:1:2:3:4:5::/96", ALIAS_NAMES_MAX, 256 * 254},
		{"33.7.240.0/20", "2d00::/8", ALIAS_NAMES_MAX, 16 * 254},
		{"33.7.255.0/24", "2d00::/80", ALIAS_NAMES_MAX, 254},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(alias_free) struct alias_table t;

		test_row("%s, %u names", rows[i].v4, rows[i].most);
		if (check_int(begin(&t, rows[i].v4, rows[i].v6, rows[i].most), 0))
			fill(&t, rows[i].names);
	}
}

/* Whatever the key, the walk comes to every address of the block. */
static void every_key_walks_the_whole_block(void)
{
	struct netcidr v4 = block("33.7.254.0/23"), v6 = block("3ffe::/16");

	for (int i = 0; i < 64; i++) {
		auto_(alias_free) struct alias_table t;
		uint8_t other[SIPHASH_KEY] = {(uint8_t)i};

		test_row("key %d", i);
		if (check_int(alias_init(&t, &v4, &v6, ALIAS_NAMES_MAX, other), 0))
			fill(&t, 2 * 254);
	}
}

static void another_key_gives_other_addresses(void)
{
	static const uint8_t other[SIPHASH_KEY] = "another key";
	auto_(alias_free) struct alias_table a, b;
	struct netcidr v4 = block("11.0.0.0/8"), v6 = block("3ffe::/16");
	struct alias_pair p, q;

	check_int(alias_init(&a, &v4, &v6, 10, key), 0);
	check_int(alias_init(&b, &v4, &v6, 10, other), 0);
	check_int(alias_of_name(&a, "a.example", &p), 0);
	check_int(alias_of_name(&b, "a.example", &q), 0);
	check(!same(&p.v4, &q.v4) && !same(&p.v6, &q.v6));
	check(!alias_name_at(&b, &p.v4) && !alias_name_at(&b, &p.v6));
}

/* Names that are found stay where they are while the table grows. */
static void names_outlive_growth(void)
{
	auto_(alias_free) struct alias_table t;
	struct alias_pair first, p;
	const char *text;
	char other[32];

	check_int(begin(&t, "11.0.0.0/8", "3ffe::/16", 5000), 0);
	check_int(alias_of_name(&t, "a.example", &first), 0);
	text = alias_name_at(&t, &first.v4);
	for (int i = 0; i < 4000; i++) {
		snprintf(other, sizeof other, "n%d.example", i);
		check_int(alias_of_name(&t, other, &p), 0);
	}
	check_str(text, "a.example");
	check(alias_name_at(&t, &first.v6) == text);
}

static const struct test tests[] = {
	{"a name keeps its addresses", a_name_keeps_its_addresses},
	{"what nobody asked for is not there", what_nobody_asked_for_is_not_there},
	{"only exact addresses have a name", only_exact_addresses_have_a_name},
	{"mapped addresses are the same", mapped_addresses_are_the_same},
	{"what lies in the blocks", what_lies_in_the_blocks},
	{"odd blocks are refused", odd_blocks_are_refused},
	{"what is no name gets nothing", what_is_no_name_gets_nothing},
	{"an idle table has no memory", an_idle_table_has_no_memory},
	{"full tables stay as they are", full_tables_stay_as_they_are},
	{"every key walks the whole block", every_key_walks_the_whole_block},
	{"another key gives other addresses", another_key_gives_other_addresses},
	{"names outlive growth", names_outlive_growth},
};
TEST_MAIN(tests)
