/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Sockets of another network namespace, for whoever owns the user namespace that it belongs to. The
 * caller stays where it is: a child of it goes there, makes them, and hands them back. The caller
 * owns the descriptors.
 */

#include <stddef.h>

#define NETSOCK_MOST 8

/* So many for TCP, of both families, not waiting; or a negative errno and none. */
int netsock_make(int namespace, int ret[NETSOCK_MOST]);
