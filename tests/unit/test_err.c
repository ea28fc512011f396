/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include "base/utf8.h"
#include "test.h"

#include <errno.h>
#include <wchar.h>

#define TEXT_SIZE sizeof(((struct err *)0)->text)

static void set_fills_code_and_text(void)
{
	struct err e = {0};

	check_int(err_set(&e, EINVAL, "read '%s': line %d", "a.json5", 7), -EINVAL);
	check_int(e.code, EINVAL);
	check_str(e.text, "read 'a.json5': line 7");

	check_int(err_set(&e, ENOENT, "%s", ""), -ENOENT);
	check_int(e.code, ENOENT);
	check_str(e.text, "");
}

static void sys_appends_reason(void)
{
	struct err e = {0};

	check_int(err_sys(&e, -EACCES, "open '%s'", "/etc/x"), -EACCES);
	check_int(e.code, EACCES);
	check_str(e.text, "open '/etc/x': Permission denied");
}

static void context_goes_in_front(void)
{
	struct err e = {0};
	int r = err_sys(&e, -EACCES, "open '%s'", "/etc/x");

	check_int(err_ctx(&e, r, "sandbox '%s'", "a"), -EACCES);
	check_int(err_ctx(&e, r, "run"), -EACCES);
	check_int(e.code, EACCES);
	check_str(e.text, "run: sandbox 'a': open '/etc/x': Permission denied");
}

static void context_keeps_first_code(void)
{
	struct err e = {0};

	err_set(&e, EINVAL, "bad");
	check_int(err_ctx(&e, -EIO, "up"), -EIO);
	check_int(e.code, EINVAL);
	check_str(e.text, "up: bad");
}

static void context_of_unfilled_error_says_why(void)
{
	struct err e = {0};

	check_int(err_ctx(&e, -EACCES, "open"), -EACCES);
	check_int(e.code, EACCES);
	check_str(e.text, "open: Permission denied");
}

static void context_on_success_does_nothing(void)
{
	struct err e = {0};

	check_int(err_ctx(&e, 0, "open"), 0);
	check_int(err_ctx(&e, 3, "open"), 3);
	check_int(e.code, 0);
	check_str(e.text, "");
}

static void null_is_allowed(void)
{
	check_int(err_set(NULL, EINVAL, "x"), -EINVAL);
	check_int(err_sys(NULL, -EIO, "x"), -EIO);
	check_int(err_ctx(NULL, -EPERM, "x"), -EPERM);
	check_int(err_ctx(NULL, 0, "x"), 0);
}

static void own_text_may_be_argument(void)
{
	struct err e = {0};

	err_set(&e, EINVAL, "inner");
	err_set(&e, EIO, "outer (%s)", e.text);
	check_str(e.text, "outer (inner)");
}

/* Fills a text of n bytes with a prefix of x and then the character again and again. */
static const char *filled(size_t shift, const char *character, size_t n)
{
	static char text[2048];
	size_t step = strlen(character), len = shift;

	memset(text, 'x', shift);
	for (; len + step <= n; len += step)
		memcpy(text + len, character, step);
	text[len] = '\0';
	return text;
}

static void exact_fit_is_not_cut(void)
{
	struct err e = {0};

	err_set(&e, EIO, "%s", filled(0, "y", TEXT_SIZE - 1));
	check_u64(strlen(e.text), TEXT_SIZE - 1);
	check_int(e.text[TEXT_SIZE - 2], 'y');

	err_set(&e, EIO, "%s", filled(0, "y", TEXT_SIZE));
	check_u64(strlen(e.text), TEXT_SIZE - 1);
	check_str(e.text + TEXT_SIZE - 4, "...");
}

static void cut_is_between_characters(void)
{
	static const char *const characters[] = {"y", "é", "€", "😀"};

	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++)
		for (size_t shift = 0; shift < 4; shift++) {
			struct err e = {0};
			size_t len;

			test_row("%s after %zu", characters[i], shift);
			err_set(&e, EIO, "%s", filled(shift, characters[i], 1000));
			len = strlen(e.text);
			check(len < TEXT_SIZE && len + 4 > TEXT_SIZE - 1);
			check(utf8_valid(e.text, len));
			check_str(e.text + len - 3, "...");

			err_sys(&e, -EIO, "%s", filled(shift, characters[i], 1000));
			check(utf8_valid(e.text, strlen(e.text)));

			err_ctx(&e, -EIO, "%s", filled(shift, characters[i], 300));
			check(utf8_valid(e.text, strlen(e.text)));
			check_str(e.text + strlen(e.text) - 3, "...");
		}
}

static void cut_of_stray_bytes_ends(void)
{
	struct err e = {0};

	err_set(&e, EIO, "%s", filled(0, "\x80", 1000));
	check(strlen(e.text) >= TEXT_SIZE - 4);
	check_str(e.text + strlen(e.text) - 3, "...");
}

static void long_context_cuts_the_tail(void)
{
	struct err e = {0};

	err_set(&e, EIO, "%s", filled(0, "y", 400));
	err_ctx(&e, -EIO, "%s", filled(0, "z", 200));
	check_int(e.text[0], 'z');
	check_int(e.text[199], 'z');
	check(strncmp(e.text + 200, ": y", 3) == 0);
	check_u64(strlen(e.text), TEXT_SIZE - 1);
	check_str(e.text + TEXT_SIZE - 4, "...");
}

static void text_that_cannot_be_printed_is_empty(void)
{
	struct err e = {0};

	check_int(err_set(&e, EIO, "%ls", L"\x20ac"), -EIO);
	check_int(e.code, EIO);
	check_str(e.text, "");
}

static const struct test tests[] = {
	{"set fills code and text", set_fills_code_and_text},
	{"sys appends the reason", sys_appends_reason},
	{"context goes in front", context_goes_in_front},
	{"context keeps the first code", context_keeps_first_code},
	{"context of an unfilled error says why", context_of_unfilled_error_says_why},
	{"context on success does nothing", context_on_success_does_nothing},
	{"NULL is allowed", null_is_allowed},
	{"the error's own text may be an argument", own_text_may_be_argument},
	{"an exact fit is not cut", exact_fit_is_not_cut},
	{"a cut is between characters", cut_is_between_characters},
	{"a cut of stray bytes ends", cut_of_stray_bytes_ends},
	{"a long context cuts the tail", long_context_cuts_the_tail},
	{"a text that cannot be printed is empty", text_that_cannot_be_printed_is_empty},
};

TEST_MAIN(tests)
