/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The workspace of a session, opened for the file tools. */

#include "door/exec.h"
#include "files/files.h"

struct workspace_root {
	struct files files;
};

#define WORKSPACE_CLOSED ((struct workspace_root){.files.root = -1})

/* session: as exec_plan() has planned it; the verdict says whether the tool works on the host. */
int workspace_open(const struct exec_answer *session, const struct verdict *v, struct arena *a,
	struct workspace_root *ret, struct err *e);
void workspace_close(struct workspace_root *w);
/* Opening it may take its time: a sandbox may have to be started. */
bool workspace_is_slow(const struct exec_answer *session);
/* A folder of it to work in; NULL: itself. */
int workspace_folder(const struct workspace_root *w, const char *path, int *ret, struct err *e);
