/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pace.h"
#include "test.h"

static void test_burst_then_pace(void)
{
	struct rate r = {.count = 60, .seconds = 60};
	uint64_t next = 0, now = 5000000;

	for (int i = 0; i < 60; i++)
		check_u64(pace_take(&r, now, &next), 0);
	check(pace_take(&r, now, &next) > 900 && pace_take(&r, now, &next) <= 1001);
	check(pace_take(&r, now + 500, &next) <= 501);
	check_u64(pace_take(&r, now + 1001, &next), 0);
	check(pace_take(&r, now + 1001, &next) > 0);
	/* After a minute's rest all of them again, and not more. */
	now += 200000;
	for (int i = 0; i < 60; i++)
		check_u64(pace_take(&r, now, &next), 0);
	check(pace_take(&r, now, &next) > 0);
}

static void test_never_more_than_said(void)
{
	static const struct rate rates[] = {
		{1, 1}, {1, 3600}, {7, 1}, {7, 60}, {1000, 1}, {3601, 3600}};

	for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
		uint64_t next = 0, now = 1000, done = 0;

		test_row("%zu", i);
		for (uint64_t n = 0; n < 20 * rates[i].count; n++)
			done += pace_take(&rates[i], now, &next) == 0;
		check_u64(done, rates[i].count);
		/* Waiting for as long as it says is enough. */
		for (int n = 0; n < 100; n++) {
			uint64_t wait = pace_take(&rates[i], now, &next);

			if (wait == 0)
				continue;
			now += wait;
			check_u64(pace_take(&rates[i], now, &next), 0);
		}
	}
}

static void test_nonsense_is_outlived(void)
{
	struct rate r = {.count = 10, .seconds = 1};
	uint64_t next = UINT64_MAX;

	check(pace_take(&r, 1000, &next) <= 1001);
	next = UINT64_MAX / 2;
	check(pace_take(&r, 1000, &next) <= 1001);
}

static void test_over(void)
{
	struct rate r = {.count = 2, .seconds = 10};
	uint64_t next = 0;

	check(pace_is_over(1000, next));
	check_int(pace_take(&r, 1000, &next), 0);
	check(!pace_is_over(1000, next) && !pace_is_over(5999, next));
	check(pace_is_over(6000, next));
}

static const struct test tests[] = {
	{"all at once, then at the pace", test_burst_then_pace},
	{"never more than the rate says", test_never_more_than_said},
	{"what another clock wrote", test_nonsense_is_outlived},
	{"when there is nothing to remember", test_over},
};
TEST_MAIN(tests)
