/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A workspace that is copied on write: the host's folder is read only, and every change to it goes
 * to a layer in ward's own folder. Runs in init; see engine/root.c. The layers stand in the new
 * root until the workspace has been mounted, and have no name in it afterwards.
 */

#include "engine/stage.h"

/* Both return 0 or a negative errno. */
int cow_begin(int layers);
int cow_mount(int workspace, const struct plan_layer *layer, const char *target);
