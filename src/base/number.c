/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DURATION_LAST (UINT64_MAX / 2)
#define CPUS_LAST UINT64_C(1000000)
#define SHOWN_MAX 80

/* digits [ "." digits ] rest */
struct scan {
	uint64_t whole;
	bool overflow;
	const char *fraction;
	size_t fraction_len;
	const char *rest;
};

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit count_units[] = {
	{"k", 1000},
	{"K", 1000},
	{"m", 1000000},
	{"M", 1000000},
	{"g", 1000000000},
	{"G", 1000000000},
};

/* Largest first: the order in which a text for a value is sought. */
static const struct unit size_units[] = {
	{"T", UINT64_C(1) << 40},
	{"G", UINT64_C(1) << 30},
	{"M", UINT64_C(1) << 20},
	{"k", UINT64_C(1) << 10},
};

static const struct unit duration_units[] = {
	{"d", 24 * 60 * 60 * 1000},
	{"h", 60 * 60 * 1000},
	{"m", 60 * 1000},
	{"s", 1000},
	{"ms", 1},
};

static const struct unit rate_units[] = {
	{"s", 1},
	{"m", 60},
	{"h", 3600},
	{"sec", 1},
	{"min", 60},
	{"hour", 3600},
};

static int complain(struct err *e, int code, const char *text, const char *what)
{
	auto_(buf_free) struct buf shown = BUF(SHOWN_MAX);

	escape_text(&shown, text);
	return err_set(e, code, "'%s%s' %s", buf_text(&shown), shown.dropped ? "..." : "", what);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool scan(const char *text, struct scan *ret)
{
	struct scan s = {.rest = text};

	for (; is_digit(*s.rest); s.rest++)
		s.overflow = s.overflow || __builtin_mul_overflow(s.whole, 10, &s.whole) ||
			     __builtin_add_overflow(s.whole, (uint64_t)(*s.rest - '0'), &s.whole);
	if (s.rest == text)
		return false;
	if (*s.rest == '.') {
		s.fraction = ++s.rest;
		while (is_digit(*s.rest))
			s.rest++;
		s.fraction_len = (size_t)(s.rest - s.fraction);
		if (s.fraction_len == 0)
			return false;
	}
	*ret = s;
	return true;
}

/*
 * The fraction times the unit, rounded down; from the last digit to the first, so that no digit
 * count overflows. Rounding down at each step gives the same as rounding down once at the end.
 */
static uint64_t scale_fraction(const struct scan *s, uint64_t factor, bool *ret_exact)
{
	uint64_t value = 0;
	bool exact = true;

	for (size_t i = s->fraction_len; i > 0; i--) {
		value += (uint64_t)(s->fraction[i - 1] - '0') * factor;
		exact = exact && value % 10 == 0;
		value /= 10;
	}
	*ret_exact = exact;
	return value;
}

/* false: more than 64 bits. */
static bool scale(const struct scan *s, uint64_t factor, uint64_t *ret, bool *ret_exact)
{
	uint64_t part = scale_fraction(s, factor, ret_exact);

	return !s->overflow && !__builtin_mul_overflow(s->whole, factor, ret) &&
	       !__builtin_add_overflow(*ret, part, ret);
}

static const struct unit *find_unit(
	const struct unit *units, size_t count, const char *name, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(units[i].name) == len && memcmp(units[i].name, name, len) == 0)
			return &units[i];
	return NULL;
}

#define FIND_UNIT(units, name, len) find_unit(units, ARRAY_LEN(units), name, len)

#define COUNT_FORM "is not a count (write a whole number such as 256, 100k or 2M)"
#define TOO_LARGE "is too large"

/* The count that takes the first len bytes of text. */
static int count_part(const char *text, size_t len, uint64_t *ret, const char *form, struct err *e)
{
	struct scan s;
	uint64_t factor = 1, value;
	bool exact;

	if (!scan(text, &s))
		return complain(e, EINVAL, text, form);
	if (s.rest < text + len) {
		const struct unit *unit =
			FIND_UNIT(count_units, s.rest, (size_t)(text + len - s.rest));

		if (!unit)
			return complain(e, EINVAL, text, form);
		factor = unit->factor;
	}
	if (s.fraction && factor == 1)
		return complain(e, EINVAL, text, form);
	if (!scale(&s, factor, &value, &exact))
		return complain(e, ERANGE, text, TOO_LARGE);
	if (!exact)
		return complain(e, EINVAL, text, form);
	*ret = value;
	return 0;
}

int number_count(const char *text, uint64_t *ret, struct err *e)
{
	return count_part(text, strlen(text), ret, COUNT_FORM, e);
}

/* k, K, Ki, KB, KiB and so on, all the same; 0 when it is none of them. */
static uint64_t size_factor(const char *suffix)
{
	const char *rest = suffix + 1;

	if (!*suffix)
		return 1;
	rest += *rest == 'i';
	rest += *rest == 'B' || *rest == 'b';
	for (size_t i = 0; i < ARRAY_LEN(size_units) && !*rest; i++)
		if ((size_units[i].name[0] | 0x20) == (*suffix | 0x20))
			return size_units[i].factor;
	return 0;
}

#define SIZE_FORM "is not a size (write 512M, 1.5G or plain bytes)"
#define TOO_SMALL "is too small: it would round down to 0"

int number_size(const char *text, uint64_t *ret, struct err *e)
{
	struct scan s;
	uint64_t factor, value;
	bool exact;

	if (!scan(text, &s))
		return complain(e, EINVAL, text, SIZE_FORM);
	factor = size_factor(s.rest);
	if (factor == 0 || (factor == 1 && s.fraction))
		return complain(e, EINVAL, text, SIZE_FORM);
	if (!scale(&s, factor, &value, &exact))
		return complain(e, ERANGE, text, TOO_LARGE);
	if (value == 0 && !exact)
		return complain(e, ERANGE, text, TOO_SMALL);
	*ret = value;
	return 0;
}

#define DURATION_FORM "is not a duration (write 500ms, 60s, 10m, 24h, 7d or plain seconds)"

int number_duration(const char *text, uint64_t *ret, struct err *e)
{
	struct scan s;
	uint64_t value;
	bool exact;

	if (!scan(text, &s))
		return complain(e, EINVAL, text, DURATION_FORM);

	const char *name = *s.rest ? s.rest : "s";
	const struct unit *unit = FIND_UNIT(duration_units, name, strlen(name));

	if (!unit)
		return complain(e, EINVAL, text, DURATION_FORM);
	if (!scale(&s, unit->factor, &value, &exact) || value > DURATION_LAST)
		return complain(e, ERANGE, text, TOO_LARGE);
	if (value == 0 && !exact)
		return complain(e, ERANGE, text, TOO_SMALL);
	*ret = value;
	return 0;
}

#define CPUS_FORM "is not a number of cpus (write 2, 0.5 or 1.25, at most 3 digits after the point)"

int number_cpus(const char *text, uint64_t *ret, struct err *e)
{
	struct scan s;
	uint64_t value;
	bool exact;

	if (!scan(text, &s) || *s.rest || s.fraction_len > 3)
		return complain(e, EINVAL, text, CPUS_FORM);
	if (!scale(&s, 1000, &value, &exact) || value > CPUS_LAST * 1000)
		return complain(e, ERANGE, text, TOO_LARGE " (at most 1000000 cpus)");
	*ret = value;
	return 0;
}

#define RATE_FORM "is not a rate (write 5/s, 60/m or 100/h)"

int number_rate(const char *text, struct rate *ret, struct err *e)
{
	const char *slash = strchr(text, '/');
	const struct unit *unit =
		slash ? FIND_UNIT(rate_units, slash + 1, strlen(slash + 1)) : NULL;
	uint64_t count;

	if (!unit)
		return complain(e, EINVAL, text, RATE_FORM);

	int r = count_part(text, (size_t)(slash - text), &count, RATE_FORM, e);

	if (r < 0)
		return r;
	if (count == 0)
		return complain(e, ERANGE, text, "allows nothing (a rate is at least 1)");
	*ret = (struct rate){.count = count, .seconds = (uint32_t)unit->factor};
	return 0;
}

/* value in that unit with as many decimals as it takes; false when that is longer than the room. */
static bool exact_text(uint64_t value, const struct unit *unit, char *out, size_t room)
{
	int len = snprintf(out, room, "%" PRIu64, value / unit->factor);
	uint64_t left = value % unit->factor;
	size_t used = (size_t)len;

	if (left && used < room)
		out[used++] = '.';
	for (; left && used < room; left %= unit->factor) {
		left *= 10;
		out[used++] = (char)('0' + left / unit->factor);
	}
	if (left || used + strlen(unit->name) >= room)
		return false;
	memcpy(out + used, unit->name, strlen(unit->name) + 1);
	return true;
}

void number_size_text(uint64_t bytes, char out[NUMBER_TEXT])
{
	char text[NUMBER_TEXT];

	snprintf(out, NUMBER_TEXT, "%" PRIu64, bytes);
	/* From the smallest unit up, and each that is no longer than what was found so far wins. */
	for (size_t i = ARRAY_LEN(size_units); i > 0; i--) {
		const struct unit *unit = &size_units[i - 1];

		if (bytes >= unit->factor && exact_text(bytes, unit, text, strlen(out) + 1))
			memcpy(out, text, strlen(text) + 1);
	}
}

void number_duration_text(uint64_t ms, char out[NUMBER_TEXT])
{
	size_t i = 0;

	if (ms == 0) {
		snprintf(out, NUMBER_TEXT, "0s");
		return;
	}
	while (ms % duration_units[i].factor)
		i++;
	snprintf(out, NUMBER_TEXT, "%" PRIu64 "%s", ms / duration_units[i].factor,
		duration_units[i].name);
}

void number_cpus_text(uint64_t thousandths, char out[NUMBER_TEXT])
{
	static const struct unit cpu = {"", 1000};

	exact_text(thousandths, &cpu, out, NUMBER_TEXT);
}

void number_rate_text(const struct rate *rate, char out[NUMBER_TEXT])
{
	size_t i = 0;

	while (i < ARRAY_LEN(rate_units) - 1 && rate_units[i].factor != rate->seconds)
		i++;
	snprintf(out, NUMBER_TEXT, "%" PRIu64 "/%s", rate->count, rate_units[i].name);
}
