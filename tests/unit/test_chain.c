/* SPDX-License-Identifier: Apache-2.0 */
#include "model/chain.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "test.h"

#include <errno.h>

static const char *const whole = "ward layers 1\n"
				 "workspace /a%20b%25/%0ac\n"
				 "since 12 34\n"
				 "upper 00000000000000aa\n"
				 "below 0123456789abcdef 00000000000000ff\n"
				 "snapshot one 99 1 2 00000000000000ff\n"
				 "snapshot none 100 3 4\n"
				 "known 5 6 7 d/e%20f\n"
				 "end\n";

static int read_text(struct arena *a, const char *text, struct chain *ret)
{
	struct err e = {0};

	return chain_read(text, strlen(text), a, ret, &e);
}

static void test_there_and_back(void)
{
	auto_(arena_free) struct arena a = {0};
	auto_(buf_free) struct buf out = BUF(10000);
	struct chain c;

	check_int(read_text(&a, whole, &c), 0);
	check_str(c.workspace, "/a b%/\nc");
	check_int(c.since.s, 12);
	check_int(c.below.count, 2);
	check_int(c.snapshot_count, 2);
	check_str(c.known[0].path, "d/e f");
	check(chain_knows(&c, "d/e f") != NULL && !chain_knows(&c, "d"));
	check(chain_uses(&c, "00000000000000ff") && !chain_uses(&c, "00000000000000fe"));
	chain_write(&c, &out);
	check_str(buf_text(&out), whole);
}

/* However it is cut or changed, it is understood as a whole or not at all. */
static void test_damaged(void)
{
	static const char *const bad[] = {"",
		"ward layers 2\nworkspace /a\nupper 00000000000000aa\nend\n",
		"ward layers 1\nend\n", "ward layers 1\nworkspace /a\nupper 00000000000000aa\n",
		"ward layers 1\nworkspace /a\nupper 00000000000000aa\nbelow ../x\nend\n",
		"ward layers 1\nworkspace /a\nupper 00000000000000aa\nbelow X\nend\n",
		"ward layers 1\nworkspace /a\nupper 00000000000000aa\nsnapshot ../x 1 1 1\nend\n",
		"ward layers 1\nworkspace /a\nupper 00000000000000aa\nsince x 1\nend\n",
		"ward layers 1\nworkspace /a\nupper 00000000000000aa\nother\nend\n",
		"ward layers 1\nworkspace /a\nupper 00000000000000aa\n\nend\n"};
	auto_(arena_free) struct arena a = {0};
	struct chain c;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		test_row("%zu", i);
		check_int(read_text(&a, bad[i], &c), -EBADMSG);
	}
	for (size_t len = 0; len < strlen(whole); len++) {
		struct err e = {0};

		test_row("%zu bytes", len);
		check_int(chain_read(whole, len, &a, &c, &e), -EBADMSG);
	}
}

static void test_names(void)
{
	check_int(chain_name_check("before-tests_2.1", NULL), 0);
	check_int(chain_name_check("", NULL), -EINVAL);
	check_int(chain_name_check("..", NULL), -EINVAL);
	check_int(chain_name_check("-f", NULL), -EINVAL);
	check_int(chain_name_check("a/b", NULL), -EINVAL);
	check_int(chain_name_check("a b", NULL), -EINVAL);
	check_int(chain_name_check("a\n", NULL), -EINVAL);
}

static void test_changes(void)
{
	auto_(arena_free) struct arena a = {0};
	struct chain c;
	struct chain_layers l = {.count = 0};

	check_int(read_text(&a, whole, &c), 0);
	chain_drop_snapshot(&c, chain_find(&c, "one"));
	check(!chain_find(&c, "one") && chain_find(&c, "none"));
	chain_learn(&a, &c, &(struct chain_known){.path = "d/e f", .inode = 7});
	chain_learn(&a, &c, &(struct chain_known){.path = "d/e f", .inode = 8});
	chain_sort(&c);
	check_int(c.known_count, 1);
	check_int(chain_knows(&c, "d/e f")->inode, 8);
	for (int i = 0; i < 100; i++)
		chain_learn(&a, &c,
			&(struct chain_known){.path = arena_printf(&a, "%d", i), .inode = 1});
	chain_sort(&c);
	check_int(c.known_count, 101);
	check(chain_knows(&c, "57") && chain_knows(&c, "d/e f") && !chain_knows(&c, "100"));
	for (int i = 0; i < CHAIN_LAYERS; i++)
		check_int(chain_push(&l, "0000000000000000", NULL), 0);
	check_int(chain_push(&l, "0000000000000000", NULL), -E2BIG);
}

static const struct test tests[] = {
	{"there and back", test_there_and_back},
	{"damaged", test_damaged},
	{"names of snapshots", test_names},
	{"changes", test_changes},
};
TEST_MAIN(tests)
