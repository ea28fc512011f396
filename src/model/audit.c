/* SPDX-License-Identifier: Apache-2.0 */
#include "model/audit.h"

#include <string.h>

enum { FSYNC_BATCH = 1 }; /* in the order of the key's names */

static const struct audit builtin = {
	.fsync = {.v = FSYNC_BATCH},
	.rotate_size = {.v = 64ull << 20},
	.keep = {.v = 100},
};

static void add_patterns(struct arena *a, const struct opt_list *more, struct opt_list *io)
{
	struct item *items;

	if (more->count == 0)
		return;
	items = arena_array(a, io->count + more->count, sizeof *items);
	if (io->count)
		memcpy(items, io->items, io->count * sizeof *items);
	memcpy(items + io->count, more->items, more->count * sizeof *items);
	io->items = items;
	io->count += more->count;
}

void audit_resolve(const struct config *c, struct arena *a, struct audit *ret)
{
	*ret = builtin;
	for (int i = LEVEL_SYSTEM; i < LEVEL_COUNT; i++) {
		const struct audit *level = &c->levels[i].globals.audit;

		if (level->path.at.source)
			ret->path = level->path;
		if (level->fsync.at.source)
			ret->fsync = level->fsync;
		if (level->rotate_size.at.source)
			ret->rotate_size = level->rotate_size;
		if (level->keep.at.source)
			ret->keep = level->keep;
		add_patterns(a, &level->redact, &ret->redact);
	}
}
