/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What enforces each layer of a sandbox that is being built, in words for the result; and whether
 * that is what the plan requires. The answer comes from what was really had, not from the probe.
 */

#include "engine/stage.h"

int enforced_check(struct stage *s, struct err *e);
void enforced_fill(const struct stage *s, struct result *r);
