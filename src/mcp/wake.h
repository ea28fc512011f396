/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What ends a loop from outside: a descriptor that becomes readable when this process is asked to
 * end. One at a time. */

#include "base/err.h"

#include <stdint.h>

int wake_open(struct err *e);
void wake_close(const int *fd); /* for auto_(); the signals mean again what they usually do */
uint64_t wake_clock_ms(void);
