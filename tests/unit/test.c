/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdarg.h>

bool test_failed;
static char row[256];

void test_row(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(row, sizeof row, fmt, ap);
	va_end(ap);
}

bool test_check(bool ok, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (ok)
		return true;
	test_failed = true;
	printf("# %s:%d: %s%s", file, line, row, row[0] ? ": " : "");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	return false;
}

int test_main(const struct test *tests, size_t count)
{
	int failures = 0;

	printf("1..%zu\n", count);
	for (size_t i = 0; i < count; i++) {
		test_failed = false;
		row[0] = '\0';
		tests[i].run();
		printf("%sok %zu - %s\n", test_failed ? "not " : "", i + 1, tests[i].name);
		fflush(stdout);
		failures += test_failed;
	}
	return failures ? 1 : 0;
}
