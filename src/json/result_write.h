/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The result of a command as JSON, the same at every entrance. */

#include "json/write.h"
#include "model/result.h"

/* sandbox NULL: it ran on the host. approval: the id of the one that it needed; NULL or "": none.
 */
void result_write(
	struct writer *w, const struct result *r, const char *sandbox, const char *approval);
/* The name of a system call, or its number. */
const char *result_call_name(int number, char room[16]);
