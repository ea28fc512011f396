/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The words of a command as they travel to a living sandbox; see struct slot_command. */

#include "base/err.h"
#include "engine/post.h"
#include "model/plan.h"

/*
 * Folder, argv and environment of the plan into the message; where they are too long for it, into a
 * file in memory, which is added to the descriptors and is the caller's to close.
 */
int parcel_put(const struct plan *p, struct post_exec *x, struct packet_fds *io_fds, int *ret_file,
	struct err *e);
