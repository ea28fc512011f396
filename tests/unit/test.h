/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A test program: a table of named functions, run in order, reported as TAP on standard output. A
 * check that fails says where and goes on with the next function. Data-driven tests name their row
 * by test_row().
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	const char *name;
	void (*run)(void);
};

extern bool test_failed; /* by the function that runs now */

void test_row(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool test_check(bool ok, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int test_main(const struct test *tests, size_t count);

/* true: it held. Each may be used as a statement or inside an if. */
#define check(cond) test_check((cond), __FILE__, __LINE__, "%s", #cond)
#define check_int(got, want)                                                                      \
	({                                                                                        \
		long long got_ = (long long)(got), want_ = (long long)(want);                     \
		test_check(got_ == want_, __FILE__, __LINE__, "%s is %lld, not %lld", #got, got_, \
			want_);                                                                   \
	})
#define check_u64(got, want)                                                                      \
	({                                                                                        \
		unsigned long long got_ = (got), want_ = (want);                                  \
		test_check(got_ == want_, __FILE__, __LINE__, "%s is %llu, not %llu", #got, got_, \
			want_);                                                                   \
	})
#define check_str(got, want)                                                            \
	({                                                                              \
		const char *got_ = (got), *want_ = (want);                              \
		test_check(got_ &&want_ &&strcmp(got_, want_) == 0, __FILE__, __LINE__, \
			"%s is \"%s\", not \"%s\"", #got, got_ ? got_ : "(null)",       \
			want_ ? want_ : "(null)");                                      \
	})
#define check_has(text, part)                                                    \
	({                                                                       \
		const char *text_ = (text), *part_ = (part);                     \
		test_check(text_ &&strstr(text_, part_), __FILE__, __LINE__,     \
			"\"%s\" lacks \"%s\"", text_ ? text_ : "(null)", part_); \
	})

#define TEST_MAIN(tests)                                                     \
	int main(void)                                                       \
	{                                                                    \
		return test_main(tests, sizeof(tests) / sizeof((tests)[0])); \
	}
