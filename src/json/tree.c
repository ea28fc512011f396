/* SPDX-License-Identifier: Apache-2.0 */
#include "json/tree.h"

#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

const char *tree_type_name(enum node_type type)
{
	static const char *const names[NODE_TYPES] = {
		[NODE_NULL] = "null",
		[NODE_BOOL] = "true or false",
		[NODE_NUMBER] = "a number",
		[NODE_TEXT] = "a text",
		[NODE_ARRAY] = "a list",
		[NODE_OBJECT] = "an object",
	};

	return names[type];
}

static const struct node *get_len(const struct node *object, const char *key, size_t len)
{
	if (!object || object->type != NODE_OBJECT)
		return NULL;
	for (uint32_t i = 0; i < object->count; i++) {
		const struct member *m = &object->members[i];

		if (strncmp(m->key, key, len) == 0 && m->key[len] == '\0')
			return &m->value;
	}
	return NULL;
}

const struct node *tree_get(const struct node *object, const char *key)
{
	return get_len(object, key, strlen(key));
}

const struct node *tree_path(const struct node *object, const char *dotted)
{
	for (;;) {
		size_t len = strcspn(dotted, ".");

		object = get_len(object, dotted, len);
		if (!object || dotted[len] == '\0')
			return object;
		dotted += len + 1;
	}
}

static int compare_keys(const void *a, const void *b)
{
	const struct member *x = *(const struct member *const *)a;
	const struct member *y = *(const struct member *const *)b;
	int r = strcmp(x->key, y->key);

	/* Equal keys stay in order of the text, so that the second one is the one reported. */
	return r ? r : (x > y) - (x < y);
}

static bool find_by_pairs(const struct member *members, size_t count, size_t *ret_index)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(members[i].key, members[k].key) == 0) {
				*ret_index = i;
				return true;
			}
	return false;
}

#define PROBES 16

static size_t hash_of(const char *key)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
	return (size_t)(h ^ (h >> 32));
}

/* 1: found, 0: none, -1: too many keys share a place, as only chosen ones do. */
static int find_by_hash(const struct member *members, size_t count, size_t *ret_index)
{
	auto_free uint32_t *slots = NULL;
	size_t size = 16;

	while (size < 2 * count)
		size *= 2;
	slots = mem_alloc(size * sizeof *slots);
	for (size_t i = 0; i < count; i++) {
		size_t at = hash_of(members[i].key), probe = 0;

		for (; probe < PROBES && slots[(at + probe) & (size - 1)]; probe++)
			if (strcmp(members[slots[(at + probe) & (size - 1)] - 1].key,
				    members[i].key) == 0) {
				*ret_index = i;
				return 1;
			}
		if (probe == PROBES)
			return -1;
		slots[(at + probe) & (size - 1)] = (uint32_t)i + 1;
	}
	return 0;
}

static bool find_by_order(const struct member *members, size_t count, size_t *ret_index)
{
	auto_free const struct member **sorted = mem_realloc(NULL, count, sizeof *sorted);
	bool found = false;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &members[i];
	qsort(sorted, count, sizeof *sorted, compare_keys);
	for (size_t i = 1; i < count; i++) {
		size_t index = (size_t)(sorted[i] - members);

		if (strcmp(sorted[i]->key, sorted[i - 1]->key) == 0 &&
			(!found || index < *ret_index)) {
			*ret_index = index;
			found = true;
		}
	}
	return found;
}

/* Few keys: each pair. Many: by a hash, and where somebody chose keys to defeat it, by order: a
 * hostile file cannot cost time squared. */
bool tree_has_duplicate(const struct member *members, size_t count, size_t *ret_index)
{
	int found;

	if (count <= 8)
		return find_by_pairs(members, count, ret_index);
	found = find_by_hash(members, count, ret_index);
	return found < 0 ? find_by_order(members, count, ret_index) : found;
}
