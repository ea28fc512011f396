/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the commands about changes to a workspace share: whose changes, and which of them. */

#include "cli/boxes.h"
#include "door/cow.h"
#include "state/changes.h"

/* The arguments as paths from the workspace: from the current folder where that lies in it, whole
 * as the host has them, or as the sandbox has them. */
int layers_paths(struct call *c, const struct layer *l, const char ***ret, struct err *e);
/* A path for people, with everything that a terminal could act on made visible. */
void layers_put_path(struct call *c, const char *path);
/* That there is nothing to show, or nothing below the paths that were named. */
void layers_say_none(struct call *c);
/* Folders that could not be looked at. */
void layers_say_skipped(struct call *c, const struct changes *changes);
