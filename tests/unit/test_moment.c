/* SPDX-License-Identifier: Apache-2.0 */
#include "model/moment.h"
#include "test.h"

#include <errno.h>

#define NOW INT64_C(1794000000000000) /* 2026-11-06T21:20:00Z */

static const struct {
	const char *text;
	int64_t us; /* -1: refused */
} rows[] = {
	{"1970-01-01", 0},
	{"1970-01-01T00:00:00Z", 0},
	{"2000-02-29", INT64_C(951782400000000)},
	{"2026-11-06T21:20:00Z", NOW},
	{"2026-11-06t21:20:00z", NOW},
	{"2026-11-06 21:20", NOW},
	{"2026-11-06 21:20:00", NOW},
	{"2026-11-06T21:20:00.5Z", NOW + 500000},
	{"2026-11-06T21:20:00.123456789Z", NOW + 123456},
	{"2026-11-06T22:20:00+01:00", NOW},
	{"2026-11-06T16:50:00-04:30", NOW},
	{"9999-12-31T23:59:59Z", INT64_C(253402300799000000)},
	{"10m", NOW - INT64_C(600000000)},
	{"2h", NOW - INT64_C(7200000000)},
	{"7d", NOW - INT64_C(604800000000)},
	{"500ms", NOW - 500000},
	{"", -1},
	{"2026", -1},
	{"90", -1},
	{"now", -1},
	{"2026-13-01", -1},
	{"2026-02-29", -1},
	{"2100-02-29", -1},
	{"2026-11-31", -1},
	{"2026-11-06T24:00:00Z", -1},
	{"2026-11-06T21:60:00Z", -1},
	{"2026-11-06T21:20:00.Z", -1},
	{"2026-11-06T21:20:00+1:00", -1},
	{"2026-11-06T21:20:00Zx", -1},
	{"2026-11-06Z", -1},
	{" 2026-11-06", -1},
	{"1969-12-31", -1},
	{"-5m", -1},
	{"\x1b[2J", -1},
};

static void read_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t us = -1;
		struct err e = {0};
		int r = moment_parse(rows[i].text, NOW, &us, &e);

		test_row("%zu", i);
		check_int(r, rows[i].us < 0 ? -EINVAL : 0);
		check(us == rows[i].us);
		if (r < 0)
			check(e.text[0] && !strchr(e.text, 0x1b));
	}
}

/* Every day of four hundred years, and both ends of it. */
static void days(void)
{
	for (int64_t day = 0; day < 146097; day++) {
		int64_t us = day * INT64_C(86400000000) + (day % 2 ? INT64_C(86399000000) : 0),
			back;
		char text[MOMENT_TEXT];

		moment_text(us, text);
		if (!check_int(moment_parse(text, 0, &back, NULL), 0) || !check(back == us))
			break;
	}
}

static const struct test tests[] = {
	{"times as people write them", read_rows},
	{"what is written reads back", days},
};
TEST_MAIN(tests)
