/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Imports of any bytes, the first of which chooses the system: the result is a configuration that
 * loads, or an error and nothing else.
 */

#include "base/cleanup.h"
#include "base/macro.h"
#include "json/config_read.h"
#include "json/import.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count_systems(void)
{
	size_t count = 0;

	while (import_systems[count])
		count++;
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(config_free) struct config config = {0};
	auto_(buf_free) struct buf out = BUF(64u << 20);
	const struct config_wish wish = {.all = true};
	struct err e = {0};
	int rc;

	if (size == 0)
		return 0;
	rc = import_config(import_systems[data[0] % count_systems()], "fuzz",
		(const char *)data + 1, size - 1, &out, &e);
	if (rc < 0) {
		/* Our own mistakes name the result, not a place in the source. */
		if (out.len || strncmp(e.text, "fuzz:", 5) != 0)
			abort();
		return 0;
	}
	if (config_read(&config, LEVEL_USER, "result", buf_text(&out), out.len, &wish, &e) < 0 ||
		config_check(&config, &e) < 0)
		abort();
	return 0;
}
