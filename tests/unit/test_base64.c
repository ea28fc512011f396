/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

#include <errno.h>

static void known_answers(void)
{
	static const struct {
		const char *plain, *coded;
	} rows[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xff\xfe\xfd", "//79"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(buf_free) struct buf out = BUF(100);
		char back[16];
		size_t len;

		test_row("row %zu", i);
		base64_encode(&out, rows[i].plain, strlen(rows[i].plain));
		check_str(buf_text(&out), rows[i].coded);
		check_int(base64_decode(rows[i].coded, back, &len), 0);
		check_int(len, strlen(rows[i].plain));
		check(memcmp(back, rows[i].plain, len) == 0);
	}
}

static void what_is_not_base64_is_refused(void)
{
	static const char *const rows[] = {"Z", "Zg",
		"Zg=", "Zg===", "====", "Z===", "Zg==Zg==", "Zm9v\n", " Zm9v", "Zm-v",
		"Zh==", "Zm9=", "=Zm9"};
	char back[16];
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("'%s'", rows[i]);
		check_int(base64_decode(rows[i], back, &len), -EINVAL);
	}
}

static const struct test tests[] = {
	{"known answers", known_answers},
	{"what is not base64 is refused", what_is_not_base64_is_refused},
};

TEST_MAIN(tests)
