/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The workspace of a session, opened for the file tools. What programs of the session see is what
 * is opened: the folder of the host, or ward's own one for the scope; and where it exists only
 * inside (copied on write, or a file system in memory) as its sandbox hands it over, which is
 * started if need be. While a sandbox lives, the folder that it was made with counts, whatever
 * stands under that name by now.
 *
 * Opened for one call and closed after it: a layer stays locked and mounted as long.
 */

#include "door/exec.h"
#include "files/files.h"

struct workspace_root {
	struct files files; /* but for the limit */
	int root, lock;     /* its descriptors; -1 */
	bool inside;        /* the sandbox has handed it over */
	struct arena names; /* of patterns that links have added */
};

#define WORKSPACE_CLOSED ((struct workspace_root){.root = -1, .lock = -1})

/*
 * Of what exec_plan() has planned. Where a sandbox has to be started, it is the one that exec_start
 * would start for the request. Texts live in the answer's plan, or here.
 */
int workspace_open(const struct run_request *q, const struct exec_answer *planned, struct arena *a,
	struct workspace_root *ret, struct err *e);
/* One on the host, for sessions without a sandbox: a folder by its path. */
int workspace_open_host(const char *path, struct workspace_root *ret, struct err *e);
/* What may be done in it, by the plan; all: protected names also where a layer keeps changes. */
int workspace_take_rules(struct workspace_root *w, const struct plan *p, bool all, struct err *e);
void workspace_close(struct workspace_root *w);
