/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Trying kinds of mounts. All but mount_try_idmap are for a child that is alone in its user and
 * mount namespaces: what they mount ends with it. Owns nothing.
 */

/* A tmpfs, made and attached by descriptor. */
int mount_try_tmpfs(void);
/* An overlay whose layers lie on a tmpfs of its own. */
int mount_try_overlay(void);
/*
 * An id-mapped copy of the mount that holds the current folder; never attached anywhere. Needs
 * rights over that file system. -EINVAL: the file system refuses.
 */
int mount_try_idmap(void);
