/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/regex.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An expression and a text, with a NUL between. A match lies in the text, and is found again where
 * the text begins with it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(arena_free) struct arena a = {0};
	const char *pattern = arena_text(&a, (const char *)data, size);
	size_t used = strlen(pattern), at, len;
	const char *text = pattern + (used < size ? used + 1 : used);
	size_t text_len = size - (size_t)(text - pattern);
	struct regex *x;
	struct err e;

	if (text_len > 1000 || regex_compile(&a, pattern, false, &x, &e) < 0)
		return 0;
	if (regex_find(x, text, text_len, &at, &len) && (at > text_len || len > text_len - at))
		abort();
	return 0;
}
