/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Namespaces. Entering one changes the calling process for good, so these are for children that
 * were made for it. Owns nothing.
 */

#include <stdbool.h>

enum ns_kind { NS_USER, NS_MOUNT, NS_PID, NS_NET, NS_IPC, NS_UTS, NS_CGROUP, NS_TIME, NS_COUNT };

/* Which kinds the kernel has. */
void ns_look(bool ret_there[NS_COUNT]);
/* Leaves for new namespaces: a set of CLONE_NEW*. 0 or a negative errno. */
int ns_enter(int flags);
/*
 * Would a request for a user namespace reach the kernel? Asks for something that no kernel grants,
 * so nothing is made: the kernel's own answer is 0, that of a filter before it a negative errno.
 */
int ns_filtered(void);
/*
 * A new user namespace in which the caller's own ids are mapped to themselves, without the right to
 * drop groups. The caller then holds all capabilities over namespaces that it makes next.
 */
int ns_enter_user(void);
