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

/* Few keys: compare each pair. Many: sort, so that a hostile file cannot cost time squared. */
bool tree_has_duplicate(const struct member *members, size_t count, size_t *ret_index)
{
	auto_free const struct member **sorted = NULL;
	bool found = false;

	if (count <= 8) {
		for (size_t i = 1; i < count; i++)
			for (size_t k = 0; k < i; k++)
				if (strcmp(members[i].key, members[k].key) == 0) {
					*ret_index = i;
					return true;
				}
		return false;
	}
	sorted = mem_realloc(NULL, count, sizeof *sorted);
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
