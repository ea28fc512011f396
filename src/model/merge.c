/* SPDX-License-Identifier: Apache-2.0 */
#include "model/merge.h"

#include <string.h>

bool merge_list_has(const struct opt_list *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].text, text) == 0)
			return true;
	return false;
}

struct opt_list merge_lists(
	struct arena *a, const struct opt_list *first, const struct opt_list *second)
{
	struct item *items = arena_array(a, first->count + second->count, sizeof *items);
	struct opt_list out = {.at = second->at, .items = items, .count = first->count};

	for (size_t i = 0; i < first->count; i++)
		items[i] = first->items[i];
	for (size_t i = 0; i < second->count; i++)
		if (!merge_list_has(&out, second->items[i].text))
			items[out.count++] = second->items[i];
	return out;
}

static bool adds_up(const struct field *f, const struct where *lower)
{
	return f->append && lower->source && lower->source->level != LEVEL_BUILTIN;
}

static void merge_table(struct arena *a, const struct field *table, void *lower, const void *upper)
{
	for (const struct field *f = table; f->name; f++) {
		void *dst = field_at(f, lower);
		const void *src = field_at(f, upper);

		if (f->type == FIELD_OBJECT)
			merge_table(a, f->fields, dst, src);
		else if (!field_where(f, upper)->source)
			continue;
		else if (adds_up(f, dst))
			*(struct opt_list *)dst = merge_lists(a, dst, src);
		else
			memcpy(dst, src, field_value_size(f->type));
	}
}

void merge_settings(struct arena *a, struct settings *lower, const struct settings *upper)
{
	merge_table(a, settings_fields, lower, upper);
	/* A mode that is written without a list means exactly that mode, not the list of a lower
	 * level. */
	if (upper->sandbox.network.mode.at.source && !upper->sandbox.network.allow.at.source)
		lower->sandbox.network.allow = (struct opt_list){0};
}
