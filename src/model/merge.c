/* SPDX-License-Identifier: Apache-2.0 */
#include "model/merge.h"

#include <string.h>

static size_t find_item(const struct opt_list *list, const char *text)
{
	size_t i = 0;

	while (i < list->count && strcmp(list->items[i].text, text) != 0)
		i++;
	return i;
}

bool merge_list_has(const struct opt_list *list, const char *text)
{
	return find_item(list, text) < list->count;
}

struct opt_list merge_lists(
	struct arena *a, const struct opt_list *first, const struct opt_list *second)
{
	struct item *items = arena_array(a, first->count + second->count, sizeof *items);
	struct opt_list out = {.at = second->at, .items = items, .count = first->count};

	for (size_t i = 0; i < first->count; i++)
		items[i] = first->items[i];
	for (size_t i = 0; i < second->count; i++) {
		const struct item *item = &second->items[i];
		size_t at = find_item(&out, item->text);

		if (at == out.count)
			items[out.count++] = *item;
		else if (item->at.source && item->at.source->level == LEVEL_CALLER)
			items[at] = *item; /* the caller wants it, whoever else does */
	}
	return out;
}

static bool adds_up(const struct field *f, const struct where *lower)
{
	return f->append && lower->source && lower->source->level != LEVEL_BUILTIN;
}

static bool same_items(const struct opt_list *a, const struct opt_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i].text, b->items[i].text) != 0)
			return false;
	return true;
}

static struct opt_map merge_maps(struct arena *a, const struct field *f,
	const struct opt_map *first, const struct opt_map *second)
{
	struct entry *entries = arena_array(a, first->count + second->count, sizeof *entries);
	struct opt_map out = {.at = second->at, .entries = entries, .count = first->count};

	for (size_t i = 0; i < first->count; i++)
		entries[i] = first->entries[i];
	for (size_t i = 0; i < second->count; i++) {
		const struct entry *e = &second->entries[i];
		size_t at = 0;

		while (at < first->count && strcmp(entries[at].key, e->key) != 0)
			at++;
		if (at == first->count)
			entries[out.count++] = *e;
		else if (f->type == FIELD_MAP)
			entries[at] = *e;
		else if (!same_items(&entries[at].list, &e->list))
			entries[out.count++] = *e;
	}
	return out;
}

void merge_fields(struct arena *a, const struct field *table, void *lower, const void *upper)
{
	for (const struct field *f = table; f->name; f++) {
		void *dst = field_at(f, lower);
		const void *src = field_at(f, upper);

		if (f->type == FIELD_OBJECT)
			merge_fields(a, f->fields, dst, src);
		else if (!field_where(f, upper)->source)
			continue;
		else if (adds_up(f, dst))
			*(struct opt_list *)dst = merge_lists(a, dst, src);
		else if (f->type == FIELD_MAP || f->type == FIELD_LISTMAP)
			*(struct opt_map *)dst = merge_maps(a, f, dst, src);
		else
			memcpy(dst, src, field_value_size(f->type));
	}
}

void merge_settings(struct arena *a, struct settings *lower, const struct settings *upper)
{
	merge_fields(a, settings_fields, lower, upper);
	/* A mode that is written without a list means exactly that mode, not the list of a lower
	 * level. */
	if (upper->sandbox.network.mode.at.source && !upper->sandbox.network.allow.at.source)
		lower->sandbox.network.allow = (struct opt_list){0};
}
