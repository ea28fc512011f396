/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What one section of the configuration can say: agents.defaults, an agent's entry, a profile. */

#include "model/sandbox.h"
#include "model/tools.h"

struct settings {
	struct sandbox sandbox;
	struct tools tools;
};

extern const struct field settings_fields[];

/* What ward itself sets before any file is read, and the built-in profiles (NULL: no such profile).
 */
extern const struct settings builtin_defaults;
extern const struct source builtin_source;
const struct settings *builtin_profile(const char *name);
