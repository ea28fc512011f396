/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Roots that do not come from the host's own folders as they are. Runs in init; see engine/root.c.
 */

#include "engine/stage.h"

/*
 * Fills the new root (the current folder) with what a folder holds, read-only: names that stand
 * there already win, and folders that hold such names are filled one level deeper. Nothing in the
 * image is followed: links are copied as they are.
 */
int image_fill(int tree, bool layered, struct err *e);

/*
 * Throw-away layers that take the changes to read-only folders: room for them is made before the
 * rows are put in place, and loses its name afterwards. image_layer() does nothing for what is not
 * a folder.
 */
int image_layers_begin(const struct plan *p, struct err *e);
int image_layer(const char *target);
int image_layers_end(struct err *e);
