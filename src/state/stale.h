/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether somebody has changed the workspace since the layer upon it began. Judged by when the
 * kernel last changed a file's inode, which nobody can set; what ward itself put there is known.
 * Where it is not certain, somebody has.
 */

#include "model/chain.h"

#include <sys/stat.h>

/* The workspace's own at that path, mode 0: it has none. */
bool stale_is(const struct chain *c, const char *path, const struct stat *base);
/* A folder that came here from elsewhere: its entries are as they were, and it is not. */
bool stale_moved(const struct chain *c, const char *path, const struct stat *base);
/* Names were taken from or put in the folder that the path lies in. */
bool stale_folder(const struct chain *c, int base, const char *path);
