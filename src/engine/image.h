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
int image_fill(int tree, struct err *e);
/* What the host has at the row's source, with a throw-away layer over it that takes all changes. */
int image_layer(struct stage *s, const struct plan_row *row);
