/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The importers, one a system. Each gets the whole document and fills im->doc. Called by
 * import_config. */

#include "json/import_walk.h"

import_fn import_openclaw;
import_fn import_wonopcode;
import_fn import_ash;
import_fn import_monkey;
import_fn import_pi;

/* Parts of openclaw's format, of one agent or of all. */
import_fn import_openclaw_sandbox;       /* sandbox */
import_fn import_openclaw_docker;        /* sandbox.docker */
import_fn import_openclaw_binds;         /* sandbox.binds */
import_fn import_openclaw_tools;         /* tools */
import_fn import_openclaw_sandbox_tools; /* tools.sandbox.tools */
