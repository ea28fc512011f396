/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What this machine offers. The quick probe reads settings and asks a handful of harmless
 * questions, cheap enough for every command; the deep one tries things in children that end
 * afterwards, and asks the engines for their versions. Neither leaves anything behind. Called by
 * explain, run and doctor. Owns nothing.
 */

#include "model/machine.h"

void probe_kernel(struct machine *ret); /* the quick one without a search for engines */
/*
 * Looks only at what decides how a sandbox is built, and takes the rest for granted: to build it
 * shows whether it is there, and costs less than to ask first. When that fails, ask.
 */
void probe_hopeful(struct machine *ret);
void probe_quick(struct machine *ret);
void probe_deep(struct machine *ret);
