/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One change of a layer, carried out in the workspace: as a whole or not at all, by a rename that
 * takes the place of exactly what was compared. No link is followed. -ESTALE: the workspace's own
 * is another one by now.
 */

#include "state/changes.h"

/* What was added or modified. A folder can be written in afterwards, whatever its mode will be. */
int put_there(const struct changes *c, const struct change *k);
/* What was deleted; a folder must be empty: -ENOTEMPTY. */
int put_away(const struct changes *c, const struct change *k);
