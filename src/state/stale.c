/* SPDX-License-Identifier: Apache-2.0 */
#include "state/stale.h"

#include "base/cleanup.h"
#include "sys/folder.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static struct chain_time time_of(const struct timespec *t)
{
	return (struct chain_time){t->tv_sec, (uint32_t)t->tv_nsec};
}

bool stale_is(const struct chain *c, const char *path, const struct stat *base)
{
	const struct chain_known *known = chain_knows(c, path);
	struct chain_time changed = time_of(&base->st_ctim);

	if (known)
		return known->inode != (base->st_mode ? base->st_ino : 0) ||
		       (base->st_mode &&
			       (known->changed.s != changed.s || known->changed.ns != changed.ns));
	return base->st_mode && chain_is_later(&changed, &c->since);
}

bool stale_moved(const struct chain *c, const char *path, const struct stat *base)
{
	struct chain_time entries = time_of(&base->st_mtim);

	return stale_is(c, path, base) && !chain_is_later(&entries, &c->since);
}

bool stale_folder(const struct chain *c, int base, const char *path)
{
	const char *name, *slash = strrchr(path, '/');
	auto_fd int parent = folder_parent(base, path, &name);
	char above[PATH_MAX] = "";
	struct chain_time entries;
	struct stat st;

	if (parent < 0 || fstat(parent, &st) < 0)
		return true;
	if (slash)
		snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
	if (chain_knows(c, above))
		return stale_is(c, above, &st);
	entries = time_of(&st.st_mtim);
	return chain_is_later(&entries, &c->since) || stale_is(c, above, &st);
}
