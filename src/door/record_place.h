/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which folder the audit log lies in: the one that `audit.path` names, else `audit` in the folder
 * of ward's state. Looks at the configuration only; nothing is opened or made. Called by whoever
 * writes the log and by whoever reads it, so that both mean the same one.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/config.h"

/* -ENOENT: nothing names one, and there is no home. */
int record_place(const struct config *c, struct arena *a, const char **ret_folder, struct err *e);
