/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Does the kernel have a system call? Each asks in a way that changes nothing. 0: it is there;
 * -ENOSYS: it is not; another negative errno: something refuses it. Owns nothing.
 */

int calls_openat2(void);
int calls_pidfd(void);
int calls_close_range(void);
int calls_mount_api(void);     /* open_tree, move_mount, fsopen and their kin */
int calls_mount_setattr(void); /* what id-mapped mounts are made with */
