/* SPDX-License-Identifier: Apache-2.0 */
#include "model/moment.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define DAY (86400 * SECOND)
#define YEAR_MIN 1970

/* Days since 1970-01-01 of the proleptic Gregorian calendar. Its years begin with March here, so
 * that the day which some of them have comes last. */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
	int64_t era, of_era, of_year;

	y -= m <= 2;
	era = y / 400;
	of_era = y - era * 400;
	of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of(int64_t days, int *ret_y, int *ret_m, int *ret_d)
{
	int64_t z = days + 719468, era = z / 146097, of_era = z - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * of_year + 2) / 153;

	*ret_d = (int)(of_year - (153 * month + 2) / 5 + 1);
	*ret_m = (int)(month < 10 ? month + 3 : month - 9);
	*ret_y = (int)(year + era * 400 + (*ret_m <= 2));
}

static int days_in(int y, int m)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	return m == 2 && leap ? 29 : days[m - 1];
}

/* So many digits, within these bounds; moves on. */
static bool take(const char **io, int digits, int min, int max, int *ret)
{
	int v = 0;

	for (int i = 0; i < digits; i++) {
		if ((*io)[i] < '0' || (*io)[i] > '9')
			return false;
		v = v * 10 + ((*io)[i] - '0');
	}
	*io += digits;
	*ret = v;
	return v >= min && v <= max;
}

static bool take_mark(const char **io, const char *marks)
{
	if (!**io || !strchr(marks, **io))
		return false;
	++*io;
	return true;
}

static bool take_date(const char **io, int64_t *ret)
{
	int y, m, d;

	if (!take(io, 4, YEAR_MIN, 9999, &y) || !take_mark(io, "-") || !take(io, 2, 1, 12, &m) ||
		!take_mark(io, "-") || !take(io, 2, 1, days_in(y, m), &d))
		return false;
	*ret = days_of(y, m, d) * DAY;
	return true;
}

/* Up to microseconds; what is finer does not count. */
static bool take_fraction(const char **io, int64_t *io_us)
{
	int64_t unit = SECOND / 10;
	const char *begin = *io;

	for (; **io >= '0' && **io <= '9'; ++*io, unit /= 10)
		*io_us += (**io - '0') * unit;
	return *io > begin;
}

static bool take_time(const char **io, int64_t *io_us)
{
	int h, m, s = 0;

	if (!take(io, 2, 0, 23, &h) || !take_mark(io, ":") || !take(io, 2, 0, 59, &m))
		return false;
	if (take_mark(io, ":") && !take(io, 2, 0, 60, &s))
		return false;
	*io_us += (h * 3600 + m * 60 + s) * SECOND;
	return !take_mark(io, ".") || take_fraction(io, io_us);
}

static bool take_offset(const char **io, int64_t *io_us)
{
	int sign = **io == '-' ? 1 : -1, h, m;

	if (take_mark(io, "Zz") || !**io)
		return true;
	if (!take_mark(io, "+-") || !take(io, 2, 0, 23, &h) || !take_mark(io, ":") ||
		!take(io, 2, 0, 59, &m))
		return false;
	*io_us += sign * (h * 3600 + m * 60) * SECOND;
	return true;
}

static bool read_date(const char *text, int64_t *ret)
{
	if (!take_date(&text, ret))
		return false;
	if (!*text)
		return true;
	return take_mark(&text, "Tt ") && take_time(&text, ret) && take_offset(&text, ret) &&
	       !*text;
}

/* A plain number would be seconds, and looks like a year. */
static bool read_ago(const char *text, int64_t now_us, int64_t *ret)
{
	uint64_t ms;

	if (text[strspn(text, "0123456789.")] == '\0' || number_duration(text, &ms, NULL) < 0 ||
		ms > (uint64_t)INT64_MAX / 1000)
		return false;
	*ret = now_us - (int64_t)ms * 1000;
	return true;
}

int moment_parse(const char *text, int64_t now_us, int64_t *ret_us, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(60);
	int64_t us = 0;

	if (read_date(text, &us) || read_ago(text, now_us, &us)) {
		*ret_us = us;
		return 0;
	}
	escape_text(&shown, text);
	return err_set(e, EINVAL,
		"'%s' is no time: write 2026-11-18T10:00:00Z, 2026-11-18, '2026-11-18 10:00', or "
		"how long ago, such as 10m, 2h, 7d",
		buf_text(&shown));
}

void moment_text(int64_t us, char out[MOMENT_TEXT])
{
	int64_t day = us / DAY, of_day = us % DAY / SECOND;
	int y, m, d;

	if (us < 0)
		day = of_day = 0;
	date_of(day, &y, &m, &d);
	snprintf(out, MOMENT_TEXT, "%04u-%02u-%02uT%02u:%02u:%02uZ", (unsigned)y % 10000,
		(unsigned)m % 100, (unsigned)d % 100, (unsigned)(of_day / 3600) % 24,
		(unsigned)(of_day / 60) % 60, (unsigned)of_day % 60);
}
