/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Changes to the layer itself, which nobody else uses meanwhile: frozen layers below it are put
 * into one, so that single names can be taken out; and a name is taken out so that the workspace's
 * own is seen again.
 */

#include "state/changes.h"

/* Afterwards nothing lies below. */
int flatten(struct layer *l, struct err *e);
/* The workspace's own is seen at that path again. Only of a layer that is flat. */
int flatten_forget(struct layer *l, int base, const char *path, struct err *e);
