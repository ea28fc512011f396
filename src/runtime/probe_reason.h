/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an error of the kernel says about a facility; both probes ask. */

#include "model/machine.h"

/* error: 0 or a negative errno. */
enum reason probe_reason(int error);
