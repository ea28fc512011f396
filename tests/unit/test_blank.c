/* SPDX-License-Identifier: Apache-2.0 */
#include "model/blank.h"
#include "base/cleanup.h"
#include "test.h"

#include <string.h>

static const char *const names[] = {"a", "b", NULL};

static struct plan_row rows[] = {
	{.kind = PLAN_TMPFS, .target = "tmp", .size = 1},
	{.kind = PLAN_WORKSPACE_BIND,
		.target = "workspace",
		.source = "/home/u/p",
		.writable = true},
	{.kind = PLAN_MIRROR, .target = "usr", .source = "/usr"},
};

static struct plan base(const struct plan_row *with)
{
	return (struct plan){.argv = names,
		.env = names,
		.cwd = "/workspace/deep",
		.hostname = "sandbox",
		.rows = with,
		.row_count = 3,
		.workspace = WORKSPACE_RW,
		.workspace_path = "/home/u/p"};
}

static void test_made(void)
{
	auto_(arena_free) struct arena a = {0};
	struct plan_row other[3] = {rows[0], rows[1], rows[2]};
	struct plan p = base(rows), q = base(other);
	struct blank b, c;
	uint8_t x[32], y[32];

	other[1].source = q.workspace_path = "/home/u/q";
	q.cwd = "/";
	check(blank_make(&p, &a, &b) && blank_make(&q, &a, &c));
	check_int((int)b.workspace, 1);
	check_str(b.plan.rows[1].source, "");
	check_str(b.plan.rows[2].source, "/usr");
	check_str(b.plan.cwd, "/");
	check(!b.plan.env[0]);
	check_str(p.rows[1].source, "/home/u/p");
	/* Two folders, one kind. */
	plan_digest(&b.plan, x);
	plan_digest(&c.plan, y);
	check(memcmp(x, y, sizeof x) == 0);
	/* Filled, it is what would have been made at once. */
	blank_fill(&b, "/home/u/p");
	plan_digest(&b.plan, x);
	plan_digest(&p, y);
	check(memcmp(x, y, sizeof x) == 0);
}

static void test_rule(void)
{
	auto_(arena_free) struct arena a = {0};
	struct plan p = base(rows);
	struct blank b;

	p.landlock = true;
	check(!blank_make(&p, &a, &b));
	p.broker = true;
	check(blank_make(&p, &a, &b));
}

#define NONE(change)                                                                            \
	do {                                                                                    \
		struct plan_row r[3] = {rows[0], rows[1], rows[2]};                             \
		struct plan p = base(r);                                                        \
		change;                                                                         \
		test_check(!blank_make(&p, &a, &b), __FILE__, __LINE__, "%s has one", #change); \
	} while (0)

static void test_none(void)
{
	auto_(arena_free) struct arena a = {0};
	struct plan whole = base(rows);
	struct blank b;

	check(blank_make(&whole, &a, &b));
	NONE(p.setup = "true");
	NONE(p.workspace = WORKSPACE_COW);
	NONE(r[1].kind = PLAN_TMPFS);
	NONE(r[0].kind = PLAN_OWN);
	NONE(r[0].kind = PLAN_LAYERS);
	NONE(r[0].kind = PLAN_IMAGE);
	NONE(r[0].target = "workspace/sub");
	NONE(r[0].kind = PLAN_BIND; p.hide_count = 1);
	NONE(r[0].kind = PLAN_BIND; r[0].writable = true; p.protect_count = 1);
	rows[0].kind = PLAN_BIND;
	whole.protect_count = 1;
	check(blank_make(&whole, &a, &b));
	rows[0].kind = PLAN_TMPFS;
}

static const struct test tests[] = {
	{"all but the workspace", test_made},
	{"a rule for the workspace", test_rule},
	{"plans that have none", test_none},
};

TEST_MAIN(tests)
