/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/idrange.h"

#include "sys/file.h"

#include <stdbool.h>
#include <stdlib.h>

/* Above what distributions hand out to people, services and containers. */
#define FIRST 0x71000000u
#define COUNT 0x00400000u /* as many as there can be process ids */

#define SPARE 4096u /* of a container that has few ids: the last ones */

/* The next number of a text; false when there is none. */
static bool next(char **io_text, uint64_t *ret)
{
	char *end;

	*ret = strtoull(*io_text, &end, 10);
	if (end == *io_text)
		return false;
	*io_text = end;
	return true;
}

void idrange_find(uint32_t *ret_first, uint32_t *ret_count)
{
	uint64_t inside, outside, count;
	char text[4096], *rest = text;

	*ret_first = *ret_count = 0;
	if (file_read_small("/proc/self/uid_map", text, sizeof text) <= 0)
		return;
	while (next(&rest, &inside) && next(&rest, &outside) && next(&rest, &count)) {
		if (inside <= FIRST && inside + count >= (uint64_t)FIRST + COUNT) {
			*ret_first = FIRST;
			*ret_count = COUNT;
			return;
		}
		if (count >= (uint64_t)4 * SPARE && inside + count < UINT32_MAX) {
			*ret_first = (uint32_t)(inside + count - SPARE);
			*ret_count = SPARE;
		}
	}
}
