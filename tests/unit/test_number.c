/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include "base/macro.h"
#include "test.h"

#include <errno.h>

#define UNTOUCHED UINT64_C(0xfeedfacefeedface)
#define K UINT64_C(1024)

typedef int parser(const char *text, uint64_t *ret, struct err *e);

/* want is the value, or the error when it is given. */
struct row {
	const char *text;
	uint64_t want;
	int error;
};

static void check_rows(parser *parse, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t got = UNTOUCHED;
		struct err e = {0};

		test_row("'%s'", rows[i].text);
		check_int(parse(rows[i].text, &got, &e), -rows[i].error);
		check_u64(got, rows[i].error ? UNTOUCHED : rows[i].want);
		check_int(e.code, rows[i].error);
		check((e.text[0] != '\0') == (rows[i].error != 0));
		check_int(parse(rows[i].text, &got, NULL), -rows[i].error);
	}
}

/* None of these is a number of any kind. */
static const char *const junk[] = {
	"",
	" ",
	"-1",
	"+1",
	"-0",
	" 1",
	"1 ",
	"\t1",
	"1\n",
	"1 G",
	"G",
	"k",
	"m",
	".",
	"1.",
	".5",
	"..5",
	"1..5",
	"1.5.5",
	"1.G",
	".5G",
	"1,5",
	"1,000",
	"1_000",
	"1e3",
	"1E3",
	"0x10",
	"0b1",
	"1GG",
	"1kk",
	"1Mk",
	"NaN",
	"nan",
	"inf",
	"unlimited",
	"none",
	"infinity",
	"true",
	"one",
	"1/2",
	"1%",
	"\xef\xbc\x91\xef\xbc\x90",
	"1\xef\xbc\x90",
	"\xd9\xa1",
	"1\x01",
	"\xff",
	"1\xff",
	"'1'",
	"$1",
	"1;",
	"--1",
	"1-",
	"1+1",
	"0.5.",
	"1.5Gx",
	"1Gi i",
	"1\xc2\xa0",
	"/",
	"/s",
	"1/",
	"1/x",
	"//s",
};

static void junk_is_refused(void)
{
	static parser *const parsers[] = {number_count, number_size, number_duration, number_cpus};

	for (size_t i = 0; i < ARRAY_LEN(junk); i++) {
		uint64_t got = UNTOUCHED;
		struct rate rate = {.count = 7, .seconds = 7};

		test_row("'%s'", junk[i]);
		for (size_t k = 0; k < ARRAY_LEN(parsers); k++)
			check_int(parsers[k](junk[i], &got, NULL), -EINVAL);
		check_int(number_rate(junk[i], &rate, NULL), -EINVAL);
		check_u64(got, UNTOUCHED);
		check(rate.count == 7 && rate.seconds == 7);
	}
}

static void counts(void)
{
	static const struct row rows[] = {
		{"0", 0, 0},
		{"1", 1, 0},
		{"256", 256, 0},
		{"007", 7, 0},
		{"00000000000000000000000000000000001", 1, 0},
		{"100k", 100000, 0},
		{"100K", 100000, 0},
		{"2m", 2000000, 0},
		{"2M", 2000000, 0},
		{"3g", 3000000000, 0},
		{"3G", 3000000000, 0},
		{"1.5k", 1500, 0},
		{"1.500k", 1500, 0},
		{"1.500000k", 1500, 0},
		{"0.001k", 1, 0},
		{"0.5k", 500, 0},
		{"0k", 0, 0},
		{"0.0k", 0, 0},
		{"18446744073709551615", UINT64_MAX, 0},
		{"18446744073709551.615k", UINT64_MAX, 0},
		{"18446744073709551.616k", 0, ERANGE},
		{"18446744073709551616", 0, ERANGE},
		{"18446744073709551620", 0, ERANGE},
		{"184467440737095516150", 0, ERANGE},
		{"99999999999999999999999999999999", 0, ERANGE},
		{"18446744073709552k", 0, ERANGE},
		{"18446744073G", UINT64_C(18446744073000000000), 0},
		{"18446744074G", 0, ERANGE},
		{"1.5", 0, EINVAL},
		{"1.0", 0, EINVAL},
		{"1.2345k", 0, EINVAL},
		{"0.0001k", 0, EINVAL},
		{"1ki", 0, EINVAL},
		{"1kB", 0, EINVAL},
		{"1T", 0, EINVAL},
		{"1s", 0, EINVAL},
	};

	check_rows(number_count, rows, ARRAY_LEN(rows));
}

static void sizes(void)
{
	static const struct row rows[] = {
		{"0", 0, 0},
		{"1", 1, 0},
		{"4096", 4096, 0},
		{"64k", 64 * K, 0},
		{"64K", 64 * K, 0},
		{"64kb", 64 * K, 0},
		{"64kB", 64 * K, 0},
		{"64KB", 64 * K, 0},
		{"64Ki", 64 * K, 0},
		{"64KiB", 64 * K, 0},
		{"64Kib", 64 * K, 0},
		{"512m", 512 * K * K, 0},
		{"512M", 512 * K * K, 0},
		{"512MiB", 512 * K * K, 0},
		{"2g", 2 * K * K * K, 0},
		{"2G", 2 * K * K * K, 0},
		{"2GB", 2 * K * K * K, 0},
		{"2t", 2 * K * K * K * K, 0},
		{"2T", 2 * K * K * K * K, 0},
		{"1.5G", 1536 * K * K, 0},
		{"1.50G", 1536 * K * K, 0},
		{"0.5k", 512, 0},
		{"0.5M", 512 * K, 0},
		{"1.1k", 1126, 0}, /* 1126.4, rounded down */
		{"0.1G", 107374182, 0},
		{"0.001k", 1, 0}, /* 1.024 */
		{"0.9999999999999999999999999999999999999999G", K * K * K - 1, 0},
		{"1.00000000000000000000000000000000000000001G", K * K * K, 0},
		{"0G", 0, 0},
		{"0.0G", 0, 0},
		{"0.000000000000000000000000G", 0, 0},
		{"0.0000001k", 0, ERANGE},
		{"0.0009k", 0, ERANGE},
		{"18446744073709551615", UINT64_MAX, 0},
		{"18446744073709551616", 0, ERANGE},
		{"99999999999G", 0, ERANGE},
		{"17179869183G", UINT64_C(17179869183) * K * K * K, 0},
		{"17179869184G", 0, ERANGE},
		{"17179869183.9999999999G", UINT64_MAX, 0},
		{"16777215T", UINT64_C(16777215) * K * K * K * K, 0},
		{"16777216T", 0, ERANGE},
		{"18014398509481984k", 0, ERANGE},
		{"18014398509481983.9999k", UINT64_MAX, 0},
		{"1.5", 0, EINVAL},
		{"1.0", 0, EINVAL},
		{"1b", 0, EINVAL},
		{"1B", 0, EINVAL},
		{"1i", 0, EINVAL},
		{"1iB", 0, EINVAL},
		{"1KIB", 0, EINVAL},
		{"1KBi", 0, EINVAL},
		{"1Kii", 0, EINVAL},
		{"1KBB", 0, EINVAL},
		{"1KiBB", 0, EINVAL},
		{"1P", 0, EINVAL},
		{"1E", 0, EINVAL},
		{"1+", 0, EINVAL},
		{"1\x0b", 0, EINVAL}, /* differs from K in one bit */
		{"1\xeb", 0, EINVAL},
		{"1-", 0, EINVAL},
		{"1s", 0, EINVAL},
		{"1h", 0, EINVAL},
	};

	check_rows(number_size, rows, ARRAY_LEN(rows));
}

static void durations(void)
{
	static const struct row rows[] = {
		{"0", 0, 0},
		{"0s", 0, 0},
		{"0ms", 0, 0},
		{"60", 60000, 0},
		{"60s", 60000, 0},
		{"500ms", 500, 0},
		{"10m", 600000, 0},
		{"24h", 86400000, 0},
		{"7d", 604800000, 0},
		{"1.5h", 5400000, 0},
		{"0.5s", 500, 0},
		{"0.5", 500, 0},
		{"1.5", 1500, 0},
		{"2.5ms", 2, 0}, /* rounded down */
		{"1.0ms", 1, 0},
		{"0.0015s", 1, 0},
		{"0.1d", 8640000, 0},
		{"0.00000000001d", 0, ERANGE},
		{"0.5ms", 0, ERANGE},
		{"0.0001", 0, ERANGE},
		{"9223372036854775807ms", UINT64_C(9223372036854775807), 0},
		{"9223372036854775808ms", 0, ERANGE},
		{"9223372036854775.807", UINT64_C(9223372036854775807), 0},
		{"9223372036854775.808", 0, ERANGE},
		{"18446744073709551615ms", 0, ERANGE},
		{"18446744073709551616ms", 0, ERANGE},
		{"106751991167d", UINT64_C(106751991167) * 86400000, 0},
		{"106751991168d", 0, ERANGE},
		{"999999999999d", 0, ERANGE},
		{"99999999999999999999s", 0, ERANGE},
		{"1M", 0, EINVAL},
		{"1S", 0, EINVAL},
		{"1H", 0, EINVAL},
		{"1D", 0, EINVAL},
		{"1min", 0, EINVAL},
		{"1sec", 0, EINVAL},
		{"1us", 0, EINVAL},
		{"1w", 0, EINVAL},
		{"1y", 0, EINVAL},
		{"1h30m", 0, EINVAL},
		{"1:30", 0, EINVAL},
		{"1k", 0, EINVAL},
		{"1mss", 0, EINVAL},
		{"ms", 0, EINVAL},
	};

	check_rows(number_duration, rows, ARRAY_LEN(rows));
}

static void cpus(void)
{
	static const struct row rows[] = {
		{"0", 0, 0},
		{"2", 2000, 0},
		{"0.5", 500, 0},
		{"1.25", 1250, 0},
		{"1.250", 1250, 0},
		{"1.0", 1000, 0},
		{"0.001", 1, 0},
		{"0.000", 0, 0},
		{"1000000", 1000000000, 0},
		{"1000000.000", 1000000000, 0},
		{"1000000.001", 0, ERANGE},
		{"1000001", 0, ERANGE},
		{"18446744073709551616", 0, ERANGE},
		{"18446744073709552", 0, ERANGE},
		{"18446744073709551.999", 0, ERANGE},
		{"1.2500", 0, EINVAL},
		{"0.0001", 0, EINVAL},
		{"1k", 0, EINVAL},
		{"2cpus", 0, EINVAL},
		{"500m", 0, EINVAL},
	};

	check_rows(number_cpus, rows, ARRAY_LEN(rows));
}

static void rates(void)
{
	static const struct {
		const char *text;
		uint64_t count;
		uint32_t seconds;
		int error;
	} rows[] = {
		{"5/s", 5, 1, 0},
		{"60/m", 60, 60, 0},
		{"100/h", 100, 3600, 0},
		{"5/sec", 5, 1, 0},
		{"60/min", 60, 60, 0},
		{"100/hour", 100, 3600, 0},
		{"1k/m", 1000, 60, 0},
		{"1.5k/m", 1500, 60, 0},
		{"2M/h", 2000000, 3600, 0},
		{"18446744073709551615/s", UINT64_MAX, 1, 0},
		{"18446744073709551616/s", 0, 0, ERANGE},
		{"99999999999G/s", 0, 0, ERANGE},
		{"0/s", 0, 0, ERANGE},
		{"0.0k/s", 0, 0, ERANGE},
		{"1.5/s", 0, 0, EINVAL},
		{"1.23456k/s", 0, 0, EINVAL},
		{"5", 0, 0, EINVAL},
		{"5/d", 0, 0, EINVAL},
		{"5/S", 0, 0, EINVAL},
		{"5/ms", 0, 0, EINVAL},
		{"5/ss", 0, 0, EINVAL},
		{"5//s", 0, 0, EINVAL},
		{"5/s/s", 0, 0, EINVAL},
		{"5/60s", 0, 0, EINVAL},
		{"5 /s", 0, 0, EINVAL},
		{"5/ s", 0, 0, EINVAL},
		{"5/s ", 0, 0, EINVAL},
		{"-5/s", 0, 0, EINVAL},
		{"5./s", 0, 0, EINVAL},
		{"5kk/s", 0, 0, EINVAL},
		{"5s/s", 0, 0, EINVAL},
		{"5/seconds", 0, 0, EINVAL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct rate got = {.count = 7, .seconds = 7};
		struct err e = {0};

		test_row("'%s'", rows[i].text);
		check_int(number_rate(rows[i].text, &got, &e), -rows[i].error);
		check_u64(got.count, rows[i].error ? 7 : rows[i].count);
		check_u64(got.seconds, rows[i].error ? 7 : rows[i].seconds);
		check_int(e.code, rows[i].error);
	}
}

static int rate_as_number(const char *text, uint64_t *ret, struct err *e)
{
	struct rate rate;
	int r = number_rate(text, &rate, e);

	if (r == 0)
		*ret = rate.count;
	return r;
}

static void errors_say_what_would_be_right(void)
{
	static const struct {
		parser *parse;
		const char *text, *want;
	} rows[] = {
		{number_size, "1GG", "'1GG' is not a size (write 512M, 1.5G or plain bytes)"},
		{number_size, "", "'' is not a size (write 512M, 1.5G or plain bytes)"},
		{number_size, "99999999999G", "'99999999999G' is too large"},
		{number_size, "0.0001k", "'0.0001k' is too small: it would round down to 0"},
		{number_count, "many",
			"'many' is not a count (write a whole number such as 256, 100k or 2M)"},
		{number_duration, "soon",
			"'soon' is not a duration (write 500ms, 60s, 10m, 24h, 7d or plain "
			"seconds)"},
		{number_duration, "0.1ms", "'0.1ms' is too small: it would round down to 0"},
		{number_cpus, "half",
			"'half' is not a number of cpus (write 2, 0.5 or 1.25, at most 3 digits "
			"after the point)"},
		{number_cpus, "2000000", "'2000000' is too large (at most 1000000 cpus)"},
		{rate_as_number, "often", "'often' is not a rate (write 5/s, 60/m or 100/h)"},
		{rate_as_number, "x/s", "'x/s' is not a rate (write 5/s, 60/m or 100/h)"},
		{rate_as_number, "0/s", "'0/s' allows nothing (a rate is at least 1)"},
		{number_size, "1\x1b[31m\n",
			"'1\\x1b[31m\\n' is not a size (write 512M, 1.5G or plain bytes)"},
		{number_size,
			"\xe2\x80\xae"
			"1",
			"'\\u{202e}1' is not a size (write 512M, 1.5G or plain bytes)"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		uint64_t got;

		test_row("row %zu", i);
		check(rows[i].parse(rows[i].text, &got, &e) < 0);
		check_str(e.text, rows[i].want);
	}
}

static void long_text_is_shortened_in_errors(void)
{
	char text[5000];
	struct err e = {0};
	uint64_t got;

	memset(text, '9', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	check_int(number_size(text, &got, &e), -ERANGE);
	check(strlen(e.text) < 120);
	check_has(e.text, "9...' is too large");
	text[sizeof(text) - 2] = 'x';
	check_int(number_size(text, &got, &e), -EINVAL);
	check(strlen(e.text) < 160);
}

static void sizes_as_text(void)
{
	static const struct {
		uint64_t value;
		const char *want;
	} rows[] = {
		{0, "0"},
		{1, "1"},
		{512, "512"},
		{1000, "1000"},
		{1023, "1023"},
		{K, "1k"},
		{K + 1, "1025"},
		{1536, "1.5k"},
		{64 * K, "64k"},
		{512 * K, "512k"},
		{K * K, "1M"},
		{1536 * K, "1.5M"},
		{512 * K * K, "512M"},
		{1100 * K * K, "1100M"},
		{1536 * K * K, "1.5G"},
		{2 * K * K * K, "2G"},
		{2 * K * K * K + 1, "2147483649"},
		{K * K * K * K, "1T"},
		{K * K * K * K * 5 / 4, "1.25T"},
		{2048 * K * K * K * K, "2048T"},
		{UINT64_MAX, "18446744073709551615"},
		{UINT64_MAX - 1023, "18014398509481983k"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[NUMBER_TEXT];

		number_size_text(rows[i].value, text);
		check_str(text, rows[i].want);
	}
}

static void durations_as_text(void)
{
	static const struct {
		uint64_t value;
		const char *want;
	} rows[] = {
		{0, "0s"},
		{1, "1ms"},
		{500, "500ms"},
		{1000, "1s"},
		{1500, "1500ms"},
		{60000, "1m"},
		{90000, "90s"},
		{300000, "5m"},
		{3600000, "1h"},
		{5400000, "90m"},
		{86400000, "1d"},
		{604800000, "7d"},
		{UINT64_MAX / 2, "9223372036854775807ms"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[NUMBER_TEXT];

		number_duration_text(rows[i].value, text);
		check_str(text, rows[i].want);
	}
}

static void cpus_and_rates_as_text(void)
{
	static const struct {
		uint64_t value;
		const char *want;
	} rows[] = {
		{0, "0"},
		{1, "0.001"},
		{10, "0.01"},
		{500, "0.5"},
		{1000, "1"},
		{1250, "1.25"},
		{2000, "2"},
		{10000, "10"},
		{1000000000, "1000000"},
		{UINT64_MAX, "18446744073709551.615"},
	};
	static const struct {
		struct rate rate;
		const char *want;
	} rate_rows[] = {
		{{5, 1}, "5/s"},
		{{60, 60}, "60/m"},
		{{100, 3600}, "100/h"},
		{{UINT64_MAX, 3600}, "18446744073709551615/h"},
	};
	char text[NUMBER_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		number_cpus_text(rows[i].value, text);
		check_str(text, rows[i].want);
	}
	for (size_t i = 0; i < ARRAY_LEN(rate_rows); i++) {
		number_rate_text(&rate_rows[i].rate, text);
		check_str(text, rate_rows[i].want);
	}
}

static void check_reads_back(uint64_t value, size_t *wrong)
{
	char text[NUMBER_TEXT], digits[NUMBER_TEXT];
	uint64_t back = UNTOUCHED;

	number_size_text(value, text);
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	*wrong += number_size(text, &back, NULL) != 0 || back != value;
	*wrong += strlen(text) > strlen(digits);
	number_duration_text(value >> 1, text);
	*wrong += number_duration(text, &back, NULL) != 0 || back != value >> 1;
	number_cpus_text(value % 1000000001, text);
	*wrong += number_cpus(text, &back, NULL) != 0 || back != value % 1000000001;
}

static void texts_read_back(void)
{
	size_t wrong = 0;
	uint64_t state = 1;

	for (uint64_t v = 0; v < 20000; v++)
		check_reads_back(v, &wrong);
	for (unsigned shift = 0; shift < 64; shift++)
		for (uint64_t v = 0; v < 40; v++) {
			check_reads_back((v << shift) - 1, &wrong);
			check_reads_back(v << shift, &wrong);
			check_reads_back((v << shift) + 1, &wrong);
		}
	for (int i = 0; i < 20000; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		check_reads_back(state >> (state >> 58), &wrong);
	}
	check_u64(wrong, 0);
}

static const struct test tests[] = {
	{"junk is refused", junk_is_refused},
	{"counts", counts},
	{"sizes", sizes},
	{"durations", durations},
	{"cpus", cpus},
	{"rates", rates},
	{"errors say what would be right", errors_say_what_would_be_right},
	{"long text is shortened in errors", long_text_is_shortened_in_errors},
	{"sizes as text", sizes_as_text},
	{"durations as text", durations_as_text},
	{"cpus and rates as text", cpus_and_rates_as_text},
	{"texts read back", texts_read_back},
};

TEST_MAIN(tests)
