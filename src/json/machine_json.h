/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A machine as JSON, in both directions by the same rows. `ward doctor --json` writes it; `ward
 * explain --machine` reads it, and so do tests that must not depend on the machine they run on.
 * Owns nothing.
 */

#include "base/err.h"
#include "json/write.h"
#include "model/machine.h"

#include <stddef.h>

/* As an object; key NULL for the whole document. Engines that were not found are left out. */
void machine_json_write(struct writer *w, const char *key, const struct machine *m);

/*
 * Reads a machine, or the whole report of doctor, of which only the machine counts. What is missing
 * is unknown and so counts as not there; unknown keys, wrong types and words are errors at
 * file:line:column.
 */
int machine_json_read(
	const char *name, const char *text, size_t len, struct machine *ret, struct err *e);
