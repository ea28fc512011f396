/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "model/patch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A text and a patch for it, with a NUL between. What a patch makes must be within its bound, and
 * the same when it is made again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(arena_free) struct arena a = {0};
	const char *text = (const char *)data, *nul = memchr(data, '\0', size);
	size_t text_len = nul ? (size_t)(nul - text) : 0;
	const char *patch = nul ? nul + 1 : text, *one, *two;
	size_t one_len, two_len, max = size + 16;
	struct patch p;
	struct err e;

	if (size == 0 || patch_parse(&a, patch, size - (size_t)(patch - text), &p, &e) < 0)
		return 0;
	for (size_t i = 0; i < p.count; i++) {
		if (!p.files[i].path || !p.files[i].path[0])
			abort();
		if (patch_apply(&a, &p.files[i], text, text_len, max, &one, &one_len, &e) < 0)
			continue;
		if (patch_apply(&a, &p.files[i], text, text_len, max, &two, &two_len, &e) < 0 ||
			one_len != two_len || memcmp(one, two, one_len) != 0 || one_len > max)
			abort();
	}
	return 0;
}
