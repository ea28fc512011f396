/* SPDX-License-Identifier: Apache-2.0 */
#include "model/usage.h"

#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(struct usage_row) == 304, "without holes, and the same everywhere");

static uint32_t sum_of(const struct usage_row *row)
{
	const unsigned char *data = (const unsigned char *)row;
	uint32_t hash = 2166136261u;

	for (size_t i = offsetof(struct usage_row, ended_ms); i < sizeof *row; i++)
		hash = (hash ^ data[i]) * 16777619u;
	return hash;
}

void usage_close(struct usage_row *row)
{
	row->magic = USAGE_MAGIC;
	row->sum = sum_of(row);
}

bool usage_check(struct usage_row *row)
{
	if (row->magic != USAGE_MAGIC || row->sum != sum_of(row) || row->reason < 0 ||
		row->reason >= END_COUNT)
		return false;
	row->sandbox[sizeof row->sandbox - 1] = '\0';
	row->session[sizeof row->session - 1] = '\0';
	row->command[sizeof row->command - 1] = '\0';
	return true;
}

void usage_add(struct usage_total *t, const struct usage_row *row)
{
	if (t->commands++ == 0 || row->ended_ms < t->first_ms)
		t->first_ms = row->ended_ms;
	if (row->ended_ms > t->last_ms)
		t->last_ms = row->ended_ms;
	t->failed += row->exit_code != 0;
	t->timeouts += row->reason == END_TIMEOUT || row->reason == END_IDLE;
	t->ooms += row->reason == END_OOM;
	t->wall_us += row->wall_us;
	t->cpu_us += row->user_us + row->system_us;
	t->read_bytes += row->read_bytes;
	t->written_bytes += row->written_bytes;
	t->sent_bytes += row->sent_bytes;
	t->received_bytes += row->received_bytes;
	if (row->memory_peak > t->memory_peak)
		t->memory_peak = row->memory_peak;
}
