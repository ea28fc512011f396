/* SPDX-License-Identifier: Apache-2.0 */
#include "door/record_place.h"

#include "door/load.h"

#include <errno.h>

/* The nearest level that says something. Never the workspace's file: whoever writes there would
 * choose where it is written down. */
static const char *configured(const struct config *c)
{
	for (int i = LEVEL_COUNT - 1; i > LEVEL_BUILTIN; i--) {
		const struct opt_text *path = &c->levels[i].globals.audit.path;

		if (i != LEVEL_WORKSPACE && path->at.source)
			return path->v;
	}
	return NULL;
}

int record_place(const struct config *c, struct arena *a, const char **ret_folder, struct err *e)
{
	const char *path = configured(c), *state = path ? NULL : load_state_path(a);

	if (!path && !state)
		return err_set(e, ENOENT,
			"there is no folder for the audit log: set HOME or XDG_STATE_HOME, or "
			"'audit.path' in the configuration");
	*ret_folder = path ? arena_printf(a, "%s", path) : arena_printf(a, "%s/audit", state);
	return 0;
}
