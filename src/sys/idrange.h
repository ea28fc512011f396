/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Ids of the kernel that sandboxes of root may take: far from those of people and services, and
 * such that this process may become them. Owns nothing.
 */

#include <stdint.h>

/* count 0: there is none. */
void idrange_find(uint32_t *ret_first, uint32_t *ret_count);
