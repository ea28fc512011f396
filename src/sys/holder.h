/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Who holds a socket: whether its inode is among the descriptors of the processes below one, as
 * /proc shows them at this moment. The work is bounded, over several calls. Owns nothing, keeps
 * nothing open.
 *
 * Should: touch none of the files that a program holds (a server of theirs could keep us waiting):
 * only their names are read. A thread that has a table of descriptors of its own is not seen.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* That may still be looked at: threads and descriptors. */
struct holder_room {
	unsigned threads, descriptors;
};

/* 1: one of them does; 0: none does; -E2BIG: nobody knows, there is more to look at than room. */
int holder_below(pid_t top, const uint32_t *inodes, size_t count, struct holder_room *io);
