/* SPDX-License-Identifier: Apache-2.0 */
#include "door/workspace.h"

#include "base/cleanup.h"
#include "files/files_walk.h"

#include <fcntl.h>

int workspace_open(const struct exec_answer *session, const struct verdict *v, struct arena *a,
	struct workspace_root *ret, struct err *e)
{
	const struct plan *p = &session->run.plan;

	(void)v;
	(void)a;
	*ret = (struct workspace_root){
		.files = {.root = open(p->workspace_path, O_PATH | O_DIRECTORY | O_CLOEXEC),
			.owner = FILES_NOBODY,
			.protect = p->protect,
			.protect_count = p->protect_count,
			.hide = p->hide,
			.hide_count = p->hide_count}};
	return ret->files.root < 0 ? err_sys(e, -errno, "open the workspace") : 0;
}

void workspace_close(struct workspace_root *w)
{
	cleanup_fd(&w->files.root);
}

bool workspace_is_slow(const struct exec_answer *session)
{
	return session->run.plan.workspace == WORKSPACE_COW;
}

int workspace_folder(const struct workspace_root *w, const char *path, int *ret, struct err *e)
{
	int r = files_walk_open(&w->files, path ? path : "", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (r < 0)
		return err_sys(e, r, "open the folder '%s'", path ? path : ".");
	*ret = r;
	return 0;
}
