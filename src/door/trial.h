/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The proof that commands can be run here: one that does nothing, in a sandbox with the default
 * policy and without a workspace. Fails with the reason of the first step that does.
 */

#include "base/err.h"
#include "base/mem.h"

int trial_run(struct arena *a, struct err *e);
