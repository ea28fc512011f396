/* SPDX-License-Identifier: Apache-2.0 */
#include "json/toml_table.h"

#include <stdlib.h>
#include <string.h>

static struct toml_pair **find_slot(
	const struct toml_tables *ts, const struct toml_table *t, const char *key)
{
	uint64_t hash = 0xcbf29ce484222325u ^ t->id;

	hash *= 0x100000001b3u;
	for (const char *c = key; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	for (size_t i = (size_t)(hash ^ hash >> 32);; i++) {
		struct toml_pair **slot = &ts->slots[i & (ts->slot_count - 1)];

		if (!*slot || ((*slot)->owner == t && strcmp((*slot)->key.text, key) == 0))
			return slot;
	}
}

static void grow_slots(struct toml_tables *ts)
{
	struct toml_pair **old = ts->slots;
	size_t old_count = ts->slot_count;

	ts->slot_count = old_count ? 2 * old_count : 64;
	ts->slots = mem_alloc(ts->slot_count * sizeof *ts->slots);
	for (size_t i = 0; i < old_count; i++)
		if (old[i])
			*find_slot(ts, old[i]->owner, old[i]->key.text) = old[i];
	free(old);
}

void toml_tables_init(struct toml_tables *ts, struct arena *a)
{
	*ts = (struct toml_tables){.arena = a};
	grow_slots(ts);
}

void toml_tables_free(struct toml_tables *ts)
{
	free(ts->slots);
}

struct toml_table *toml_table_new(
	struct toml_tables *ts, enum toml_kind kind, unsigned depth, uint32_t line, uint32_t column)
{
	struct toml_table *t = arena_alloc(ts->arena, sizeof *t);

	t->kind = kind;
	t->depth = depth;
	t->id = ts->table_count++;
	t->line = line;
	t->column = column;
	return t;
}

struct toml_pair *toml_table_find(
	const struct toml_tables *ts, const struct toml_table *t, const char *key)
{
	return *find_slot(ts, t, key);
}

struct toml_pair *toml_table_add(
	struct toml_tables *ts, struct toml_table *t, const struct toml_key *key)
{
	struct toml_pair *pair = arena_alloc(ts->arena, sizeof *pair);

	pair->owner = t;
	pair->key = *key;
	if (t->last)
		t->last->next = pair;
	else
		t->first = pair;
	t->last = pair;
	t->count++;
	if (2 * ++ts->pair_count > ts->slot_count)
		grow_slots(ts);
	*find_slot(ts, t, key->text) = pair;
	return pair;
}

void toml_table_append(struct toml_tables *ts, struct toml_pair *pair, struct toml_table *element)
{
	if (!pair->list) {
		pair->list = arena_alloc(ts->arena, sizeof *pair->list);
		pair->list->first = element;
	} else {
		pair->list->last->next = element;
	}
	pair->list->last = element;
	pair->list->count++;
}

static void freeze_list(struct toml_tables *ts, const struct toml_list *list, struct node *ret)
{
	struct node *items = arena_array(ts->arena, list->count, sizeof *items);
	uint32_t i = 0;

	for (const struct toml_table *t = list->first; t; t = t->next)
		toml_table_freeze(ts, t, &items[i++]);
	ret->type = NODE_ARRAY;
	ret->line = list->first->line;
	ret->column = list->first->column;
	ret->count = list->count;
	ret->items = items;
}

void toml_table_freeze(struct toml_tables *ts, const struct toml_table *t, struct node *ret)
{
	struct member *members = arena_array(ts->arena, t->count, sizeof *members);
	uint32_t i = 0;

	for (const struct toml_pair *p = t->first; p; p = p->next, i++) {
		members[i].key = p->key.text;
		members[i].line = p->key.line;
		members[i].column = p->key.column;
		if (p->table)
			toml_table_freeze(ts, p->table, &members[i].value);
		else if (p->list)
			freeze_list(ts, p->list, &members[i].value);
		else
			members[i].value = p->value;
	}
	ret->type = NODE_OBJECT;
	ret->line = t->line;
	ret->column = t->column;
	ret->count = t->count;
	ret->members = members;
}
