/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The chain of a layer in the file of its folder: exchanged in one step. */

#include "base/err.h"
#include "base/mem.h"
#include "model/chain.h"

/* -ENOENT: there is none. */
int chain_file_read(int folder, struct arena *a, struct chain *ret, struct err *e);
/* sure: also when the machine loses its power. */
int chain_file_write(int folder, struct chain *c, bool sure, struct err *e);
