/* SPDX-License-Identifier: Apache-2.0 */
#include "json/node_write.h"

#include "base/str.h"

static bool is_named(const char *const *names, const char *key)
{
	for (; names && *names; names++)
		if (str_eq(*names, key))
			return true;
	return false;
}

void node_write_but(struct writer *w, const char *key, const struct node *n, const char *const *but)
{
	write_object(w, key);
	for (uint32_t i = 0; n && n->type == NODE_OBJECT && i < n->count; i++)
		if (!is_named(but, n->members[i].key))
			node_write(w, n->members[i].key, &n->members[i].value);
	write_end_object(w);
}

void node_write(struct writer *w, const char *key, const struct node *n)
{
	switch (n->type) {
	case NODE_NULL:
	case NODE_TYPES:
		write_text(w, key, NULL);
		break;
	case NODE_BOOL:
		write_bool(w, key, n->boolean);
		break;
	case NODE_NUMBER:
		write_raw(w, key, n->text);
		break;
	case NODE_TEXT:
		write_text(w, key, n->text);
		break;
	case NODE_ARRAY:
		write_list(w, key);
		for (uint32_t i = 0; i < n->count; i++)
			node_write(w, NULL, &n->items[i]);
		write_end_list(w);
		break;
	case NODE_OBJECT:
		node_write_but(w, key, n, NULL);
		break;
	}
}
