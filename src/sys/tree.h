/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Mounts by descriptor: a part of the file system is copied into a detached tree, its attributes
 * are set, and it is attached somewhere. What was opened and checked is what gets mounted. All
 * return a descriptor or 0, or a negative errno. The caller owns the descriptors.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum tree_flag {
	TREE_READ_ONLY = 1 << 0,
	TREE_NOEXEC = 1 << 1,
};

/* A detached copy of the mount below path, submounts included; path "" means dirfd itself. */
int tree_open(int dirfd, const char *path);
/*
 * Sets the attributes of all mounts of the tree, never setuid, never passing on mounts. With a user
 * namespace (idmap >= 0) owners are translated by its map.
 */
int tree_set(int tree, unsigned flags, int idmap);
/* Puts the tree on the file or folder `target` below dirfd; symbolic links are not followed. */
int tree_attach(int tree, int dirfd, const char *target);
/* Mounts a file system on a folder. flags: MS_*. */
int tree_mount(const char *type, const char *target, unsigned long flags, const char *options);
/* Makes the current folder, which must be a mount, the root, and detaches the old one. */
int tree_pivot(void);
/* The same in two steps: the old one can be reached by its descriptor, until it is detached. */
int tree_swap(int *ret_old);
int tree_detach(int old);

/*
 * A user namespace that maps the owner of a folder to the ids of a sandbox, for tree_set. Needs the
 * right to change ids. The caller owns the descriptor.
 */
int tree_idmap(uid_t disk_uid, gid_t disk_gid, uid_t host_uid, gid_t host_gid);
