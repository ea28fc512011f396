/* SPDX-License-Identifier: Apache-2.0 */

/* What is left out is left out for good: a second look at the result finds no token any more. */

#include "base/cleanup.h"
#include "model/redact.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct item items[] = {{.text = "a*b"}, {.text = "???"}};
	struct redact r = {items, 2};
	auto_(buf_free) struct buf first = BUF(SIZE_MAX), small = BUF(32), word = BUF(SIZE_MAX);

	redact_text(&r, (const char *)data, size, &first);
	redact_text(NULL, (const char *)data, size, &small);
	redact_word(&r, "--token", (const char *)data, size, &word);
	if (first.len > 0 && memmem(first.data, first.len, "ghp_0123456789abcdef", 20))
		abort();
	return 0;
}
