/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the levels of a configuration say of the audit log, taken together. Pure. */

#include "base/mem.h"
#include "model/config.h"

/* Later levels win; patterns of secrets add up. path.v NULL: nobody has named a folder. */
void audit_resolve(const struct config *c, struct arena *a, struct audit *ret);
