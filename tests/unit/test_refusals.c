/* SPDX-License-Identifier: Apache-2.0 */

#include "model/refusals.h"

#include "test.h"

static void test_few_a_minute(void)
{
	struct refusals r = {0};
	uint32_t lines = 0, said = 0;

	for (uint64_t ms = 0; ms < 60000; ms += 10) {
		uint32_t count = refusals_add(&r, ms);

		lines += count > 0;
		said += count;
	}
	check(lines == REFUSALS_A_MINUTE && said == REFUSALS_A_MINUTE);
	check(refusals_add(&r, 60001) == 6000 - REFUSALS_A_MINUTE + 1);
	check(refusals_add(&r, 60002) == 1);
	check(refusals_end(&r) == 0);
}

static void test_end(void)
{
	struct refusals r = {0};

	for (int i = 0; i < 10; i++)
		refusals_add(&r, 5);
	check(refusals_end(&r) == 10 - REFUSALS_A_MINUTE);
	check(refusals_end(&r) == 0);
}

static const struct test tests[] = {
	{"a few a minute are written, and all are counted", test_few_a_minute},
	{"what waits is said at the end", test_end},
};
TEST_MAIN(tests)
