/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/idrange.h"

#include "sys/file.h"

#include <stdio.h>

/* Above what distributions hand out to people, services and containers. */
#define FIRST 0x71000000u
#define COUNT 0x00400000u /* as many as there can be process ids */

#define SPARE 4096u /* of a container that has few ids: the last ones */

void idrange_find(uint32_t *ret_first, uint32_t *ret_count)
{
	unsigned long long inside, outside, count;
	char text[4096];
	int used;

	*ret_first = *ret_count = 0;
	if (file_read_small("/proc/self/uid_map", text, sizeof text) <= 0)
		return;
	for (const char *t = text;
		sscanf(t, "%llu %llu %llu%n", &inside, &outside, &count, &used) == 3; t += used) {
		if (inside <= FIRST && inside + count >= (unsigned long long)FIRST + COUNT) {
			*ret_first = FIRST;
			*ret_count = COUNT;
			return;
		}
		if (count >= 4 * SPARE && inside + count < UINT32_MAX) {
			*ret_first = (uint32_t)(inside + count - SPARE);
			*ret_count = SPARE;
		}
	}
}
