/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Files of a workspace that programs on the host run or obey without asking: build files, hooks,
 * settings of editors and package managers. A command may change them, it is often meant to; but
 * nobody should start such a program afterwards without knowing. Pure. Called by the broker.
 */

#include <stddef.h>

/*
 * How much of a path, relative to the workspace, to report: all of it; up to the folder where
 * folders are filled by the thousand, such as node_modules; 0: no such file.
 */
size_t risk_reach(const char *path);
