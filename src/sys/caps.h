/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Capabilities of the calling process. 0 or a negative errno. Owns nothing. */

#include <stdint.h>

/* Nothing that is executed later can gain a capability, and uid 0 means nothing special. */
int caps_forbid_gain(void);
/* Keeps exactly these (a set of 1 << CAP_*) in the permitted and effective set. */
int caps_keep(uint64_t set);
