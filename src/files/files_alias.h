/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Protected and hidden names that are links. Patterns are held against true paths, and behind a
 * link these are others: what such a name leads to inside the workspace becomes a pattern too, as
 * the broker of the sandbox has it. Also a .git that is a file and names its folder. Called once by
 * whoever opens a workspace; nobody inside can make such a link.
 */

#include "files/files.h"

/*
 * Lengthens the lists of `f`, which live in the arena then; host: the folder's name there, or NULL.
 * -ELOOP: there are too many such links to look after them.
 */
int files_alias(struct files *f, const char *host, struct arena *a, struct err *e);
