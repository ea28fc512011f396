/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Security modules: which are active, and what AppArmor says about this process. Owns nothing. */

#include <stdbool.h>

bool lsm_apparmor_enabled(void);
/* No profile is laid on the calling process; false also where AppArmor is not there. */
bool lsm_apparmor_unconfined(void);
