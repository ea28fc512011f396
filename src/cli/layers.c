/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/layers.h"

#include "base/escape.h"
#include "base/str.h"
#include "model/pathname.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Behind the folder, and the slashes after it. */
static const char *rest(const char *path, const char *folder)
{
	const char *part;
	size_t len;

	while (pathname_next(&folder, &part, &len))
		pathname_next(&path, &part, &len);
	while (*path == '/')
		path++;
	return path;
}

static int one_path(
	struct call *c, const char *workspace, const char *arg, const char **ret, struct err *e)
{
	char cwd[PATH_MAX];
	const char *path = arg;
	int r;

	if (!*arg)
		return err_set(e, EINVAL, "a path is empty");
	if (arg[0] != '/') {
		if (!getcwd(cwd, sizeof cwd) || !pathname_within(cwd, workspace))
			path = arena_printf(c->arena, "%s/%s", workspace, arg);
		else
			path = arena_printf(c->arena, "%s/%s", cwd, arg);
	}
	r = pathname_normalise(c->arena, path, &path, e);
	if (r < 0)
		return r;
	if (pathname_within(path, workspace))
		*ret = rest(path, workspace);
	else if (pathname_within(path, PLAN_WORKSPACE))
		*ret = rest(path, PLAN_WORKSPACE);
	else
		return err_set(
			e, EINVAL, "'%s' does not lie in the workspace '%s'", arg, workspace);
	return 0;
}

int layers_paths(struct call *c, const struct layer *l, const char ***ret, struct err *e)
{
	const char **paths = arena_array(c->arena, c->arg_count + 1, sizeof *paths);
	int r = 0;

	for (size_t i = 0; i < c->arg_count && r == 0; i++)
		r = one_path(c, l->chain.workspace, c->args[i], &paths[i], e);
	*ret = paths;
	return r;
}

void layers_put_path(struct call *c, const char *path)
{
	escape_text(c->out, path);
}

void layers_say_none(struct call *c)
{
	buf_puts(c->out, c->arg_count ? "no changes there\n" : "no changes\n");
}

void layers_say_skipped(struct call *c, const struct changes *changes)
{
	if (!changes->skipped)
		return;
	buf_printf(c->out, "# %zu folder%s could not be looked at (not readable, or too deep): ",
		changes->skipped, changes->skipped == 1 ? "" : "s");
	layers_put_path(c, changes->first_skipped);
	buf_puts(c->out, changes->skipped == 1 ? "\n" : " and others\n");
}
