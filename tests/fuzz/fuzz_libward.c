/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Messages of ward as the library reads them. Nothing is read beyond the end; what is found lies
 * within the message; a text that was decoded and is written again decodes to the same.
 */

#include "lib/put.h"
#include "lib/scan.h"
#include "lib/ward.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_text(struct span value)
{
	char *text = malloc(value.len + 1), *back;
	struct put p = {0};
	size_t len, back_len;

	if (scan_text(value, text, &len)) {
		require(len < value.len);
		put_string(&p, text, len);
		/* \u0000 cannot be written: a request holds no NUL. */
		require((p.failed == WARD_OK) == !memchr(text, 0, len));
		if (!p.failed) {
			back = malloc(p.len + 1);
			require(scan_text((struct span){p.data, p.len}, back, &back_len));
			require(back_len == len && memcmp(text, back, len) == 0);
			free(back);
		}
	}
	if (scan_base64(value, text, &len))
		require(len < value.len);
	put_free(&p);
	free(text);
}

static void check_span(const char *text, size_t size, struct span value)
{
	int64_t number;

	if (!value.at)
		return;
	require(value.at >= text && value.len <= size && value.at + value.len <= text + size);
	scan_number(value, &number);
	check_text(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan_wish m[] = {
		{.key = "id"}, {.key = "result"}, {.key = "params"}, {.key = "data"}};
	char *text = malloc(size ? size : 1); /* of exactly this size: a byte more is found out */
	struct span all = {text, size}, value;
	bool whole;

	memcpy(text, data, size);
	whole = scan_whole(text, size, &value);
	if (whole)
		check_span(text, size, value);
	scan_members(whole ? value : all, m, sizeof m / sizeof *m);
	for (size_t i = 0; i < sizeof m / sizeof *m; i++)
		check_span(text, size, m[i].value);
	if (scan_member(all, "result", &value) && scan_member(value, "content", &value) &&
		scan_first(value, &value) && scan_member(value, "text", &value))
		check_span(text, size, value);
	check_text(all);
	scan_is_utf8(text, size);
	free(text);
	return 0;
}
