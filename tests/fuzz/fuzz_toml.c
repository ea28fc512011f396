/* SPDX-License-Identifier: Apache-2.0 */

/* TOML reader over any bytes: it answers with a tree or with an error that names a place, never
 * both. */

#include "base/cleanup.h"
#include "json/toml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Looks at every byte that the tree holds, so that a sanitizer sees them too. */
static size_t walk(const struct node *n, unsigned depth)
{
	size_t sum = n->line + n->column;

	if (depth > TREE_MAX_DEPTH || n->line == 0 || n->column == 0)
		abort();
	if (n->type == NODE_TEXT || n->type == NODE_NUMBER)
		sum += strlen(n->text);
	for (uint32_t i = 0; n->type == NODE_ARRAY && i < n->count; i++)
		sum += walk(&n->items[i], depth + 1);
	for (uint32_t i = 0; n->type == NODE_OBJECT && i < n->count; i++)
		sum += strlen(n->members[i].key) + walk(&n->members[i].value, depth + 1);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(arena_free) struct arena a = {0};
	struct node root = {0};
	struct err e = {0};
	int rc = toml_parse(&a, "fuzz", (const char *)data, size, &root, &e);

	if (rc == 0 ? root.type != NODE_OBJECT || e.code != 0 : strncmp(e.text, "fuzz:", 5) != 0)
		abort();
	if (rc == 0 && walk(&root, 0) == 0)
		abort();
	return 0;
}
