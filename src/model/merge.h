/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One section over another: every value that the upper one sets replaces the lower one's, maps key
 * by key; lists of rows marked `append` (deny lists, binds) add up instead, except that what
 * somebody wrote replaces what is built in. A map of lists (own groups) keeps both when they differ
 * about a name: what was denied by that name must not change its meaning, and whoever checks the
 * result refuses it.
 */

#include "base/mem.h"
#include "model/settings.h"

void merge_settings(struct arena *a, struct settings *lower, const struct settings *upper);
/* The same for any table. */
void merge_fields(struct arena *a, const struct field *table, void *lower, const void *upper);
/* Both lists in one, without repeating texts. */
struct opt_list merge_lists(
	struct arena *a, const struct opt_list *first, const struct opt_list *second);
bool merge_list_has(const struct opt_list *list, const char *text);
