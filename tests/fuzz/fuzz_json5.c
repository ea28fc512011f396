/* SPDX-License-Identifier: Apache-2.0 */

/*
 * JSON5 from foreign bytes. Held to: a refusal says where, in characters that are harmless to show;
 * what is taken is within the bounds and knows where it stands; written as JSON it reads back as
 * the same; the same bytes give the same answer.
 */

#include "json/json5.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/show.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_text(const char *text)
{
	require(text && utf8_valid(text, strlen(text)));
}

static void check_refusal(int r, const struct err *e)
{
	size_t len = strlen(e->text);
	uint32_t c;

	require(r < 0 && e->code == -r && strncmp(e->text, "f:", 2) == 0);
	require(e->text[2] >= '1' && e->text[2] <= '9');
	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(e->text + i, len - i, &c);
		require(step > 0 && !utf8_is_deceptive(c));
	}
}

static void write_node(struct buf *out, const struct node *n, unsigned depth);

static void write_items(struct buf *out, const struct node *n, unsigned depth)
{
	buf_putc(out, '[');
	for (uint32_t i = 0; i < n->count; i++) {
		buf_puts(out, i ? "," : "");
		write_node(out, &n->items[i], depth + 1);
	}
	buf_putc(out, ']');
}

static void write_members(struct buf *out, const struct node *n, unsigned depth)
{
	buf_putc(out, '{');
	for (uint32_t i = 0; i < n->count; i++) {
		const struct member *m = &n->members[i];

		check_text(m->key);
		require(m->line > 0 && m->column > 0);
		require(m->line < m->value.line ||
			(m->line == m->value.line && m->column < m->value.column));
		buf_puts(out, i ? "," : "");
		show_string(out, m->key);
		buf_putc(out, ':');
		write_node(out, &m->value, depth + 1);
	}
	buf_putc(out, '}');
}

static void write_node(struct buf *out, const struct node *n, unsigned depth)
{
	require(n->line > 0 && n->column > 0);
	switch (n->type) {
	case NODE_NULL:
		buf_puts(out, "null");
		break;
	case NODE_BOOL:
		buf_puts(out, n->boolean ? "true" : "false");
		break;
	case NODE_NUMBER:
		require(n->text[0] &&
			strspn(n->text, "+-.0123456789abcdefABCDEFxXInityNa") == strlen(n->text));
		buf_puts(out, n->text);
		break;
	case NODE_TEXT:
		check_text(n->text);
		show_string(out, n->text);
		break;
	case NODE_ARRAY:
		require(depth < TREE_MAX_DEPTH);
		write_items(out, n, depth);
		break;
	case NODE_OBJECT:
		require(depth < TREE_MAX_DEPTH);
		write_members(out, n, depth);
		break;
	case NODE_TYPES:
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_(arena_free) struct arena a = {0};
	auto_(buf_free) struct buf first = BUF(SIZE_MAX), second = BUF(SIZE_MAX);
	struct node root, again;
	struct err e = {0}, same = {0};
	int r = json5_parse(&a, "f", (const char *)data, size, &root, &e);

	require(json5_parse(&a, "f", (const char *)data, size, &again, &same) == r);
	if (r < 0) {
		check_refusal(r, &e);
		require(strcmp(e.text, same.text) == 0);
		return 0;
	}
	write_node(&first, &root, 0);
	require(json5_parse(&a, "f", first.data, first.len, &again, &e) == 0);
	write_node(&second, &again, 0);
	require(strcmp(first.data, second.data) == 0);
	return 0;
}
