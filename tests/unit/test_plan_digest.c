/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan.h"
#include "test.h"

static const char *const names[] = {"a", "b", NULL};
static struct plan_row row = {.kind = PLAN_TMPFS, .target = "tmp", .size = 1};

static struct plan base(void)
{
	return (struct plan){.argv = names,
		.env = names,
		.cwd = "/workspace",
		.hostname = "sandbox",
		.rows = &row,
		.row_count = 1,
		.workspace_path = "/home/u/p",
		.protect = names,
		.protect_count = 2};
}

static bool same(const struct plan *a, const struct plan *b)
{
	uint8_t x[32], y[32];

	plan_digest(a, x);
	plan_digest(b, y);
	return memcmp(x, y, sizeof x) == 0;
}

static void test_command(void)
{
	static const char *const other[] = {"c", NULL};
	struct plan a = base(), b = base();

	check(same(&a, &b));
	b.argv = b.env = other;
	b.cwd = "/workspace/x";
	b.timeout = b.idle_timeout = b.kill_grace = 7;
	b.output = PLAN_CAPTURE;
	b.output_limit = 9;
	b.host_uid = b.host_gid = 77;
	check(same(&a, &b));
}

#define DIFFERS(change)                                                                   \
	do {                                                                              \
		struct plan b = base();                                                   \
		change;                                                                   \
		test_check(!same(&a, &b), __FILE__, __LINE__, "%s is the same", #change); \
	} while (0)

static void test_sandbox(void)
{
	static const char *const two[] = {"ab", "", NULL};
	struct plan_row other = row;
	const struct plan a = base();

	DIFFERS(b.hostname = "x");
	DIFFERS(b.network.guarded = true);
	DIFFERS(b.audit.folder = "/x");
	DIFFERS(b.uid = 1);
	DIFFERS(b.root = true);
	DIFFERS(b.read_only_root = true);
	DIFFERS(b.workspace = WORKSPACE_RO);
	DIFFERS(b.workspace_path = NULL);
	DIFFERS(b.workspace_path = "/home/u/q");
	DIFFERS(b.protect_count = 1);
	DIFFERS(b.protect = two); /* the same letters, parted elsewhere */
	DIFFERS((b.hide = names, b.hide_count = 2));
	DIFFERS(b.limits.memory = 1);
	DIFFERS(b.limits.pids = 1);
	DIFFERS(b.landlock = true);
	DIFFERS(b.broker = true);
	DIFFERS(b.setup = "x");
	DIFFERS(b.filter_variant = SECCOMP_WATCH);
	DIFFERS(b.required[0] = true);
	DIFFERS(b.row_count = 0);
	other.writable = true;
	DIFFERS(b.rows = &other);
	other = row;
	other.target = "run";
	DIFFERS(b.rows = &other);
	other = row;
	other.size = 2;
	DIFFERS(b.rows = &other);
}

static const struct test tests[] = {
	{"what belongs to a command does not count", test_command},
	{"what the sandbox is made from does", test_sandbox},
};
TEST_MAIN(tests)
