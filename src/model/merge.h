/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One section over another: every value that the upper one sets replaces the lower one's; lists of
 * rows marked `append` (deny lists, binds) add up instead, except that what somebody wrote replaces
 * what is built in.
 */

#include "base/mem.h"
#include "model/settings.h"

void merge_settings(struct arena *a, struct settings *lower, const struct settings *upper);
/* Both lists in one, without repeating texts. */
struct opt_list merge_lists(
	struct arena *a, const struct opt_list *first, const struct opt_list *second);
bool merge_list_has(const struct opt_list *list, const char *text);
