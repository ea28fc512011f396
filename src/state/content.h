/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the two sides of a change hold. Nothing but regular files is read, and no link followed. */

#include "state/changes.h"

/* To read; a negative errno. */
int content_of_base(const struct changes *c, const struct change *k);
int content_of_layer(const struct changes *c, const struct change *k);
/* What a link says, with a NUL behind it; longer than `size`: -ESTALE. */
int content_of_link(int folder, const char *path, char *out, off_t size);
/* Of both sides; what cannot be read is not the same. */
bool content_is_same(const struct changes *c, struct change *k);
