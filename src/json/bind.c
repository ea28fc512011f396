/* SPDX-License-Identifier: Apache-2.0 */
#include "json/bind.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "json/bind_special.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bind_enter(struct bind *b, const char *key)
{
	if (b->depth < BIND_DEPTH)
		b->keys[b->depth] = key;
	b->depth++;
}

void bind_leave(struct bind *b)
{
	b->depth--;
}

struct where bind_where(const struct bind *b, uint32_t line, uint32_t column)
{
	return (struct where){b->source, line, column};
}

int bind_fail(struct bind *b, uint32_t line, uint32_t column, const char *fmt, ...)
{
	auto_(buf_free) struct buf path = BUF(160);
	struct where at = bind_where(b, line, column);
	char where[WHERE_TEXT], what[sizeof b->e->text];
	va_list ap;

	for (unsigned i = 0; i < b->depth && i < BIND_DEPTH; i++) {
		if (i > 0)
			buf_putc(&path, '.');
		escape_text(&path, b->keys[i]);
	}
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	where_text(&at, where);
	return err_set(
		b->e, EINVAL, "%s: %s%s%s", where, buf_text(&path), path.len ? ": " : "", what);
}

int bind_wrong_type(struct bind *b, const struct node *node, const char *wanted)
{
	if (node->type == NODE_NULL)
		return bind_fail(b, node->line, node->column,
			"null is not a value; leave the key out, or write %s", wanted);
	return bind_fail(b, node->line, node->column, "must be %s, not %s", wanted,
		tree_type_name(node->type));
}

int bind_unknown_key(struct bind *b, const struct member *m, const char *nearest)
{
	bind_enter(b, m->key);
	if (nearest)
		return bind_fail(b, m->line, m->column, "unknown key; did you mean '%s'?", nearest);
	return bind_fail(
		b, m->line, m->column, "unknown key; 'ward config schema --support' lists all");
}

static int bind_bool(struct bind *b, const struct node *node, struct opt_bool *ret)
{
	if (node->type != NODE_BOOL)
		return bind_wrong_type(b, node, "true or false");
	ret->v = node->boolean;
	return 0;
}

static const char *name_at(size_t i, const void *names)
{
	return ((const char *const *)names)[i];
}

static int fail_enum(struct bind *b, const struct field *f, const struct node *node)
{
	auto_(buf_free) struct buf list = BUF(200), shown = BUF(60);
	const char *near = str_nearest(node->text, name_at, f->names);

	for (int i = 0; f->names[i]; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", f->names[i]);
	escape_text(&shown, node->text);
	return bind_fail(b, node->line, node->column, "'%s' is none of %s%s%s%s", buf_text(&shown),
		buf_text(&list), near ? "; did you mean '" : "", near ? near : "",
		near ? "'?" : "");
}

static int bind_enum(
	struct bind *b, const struct field *f, const struct node *node, struct opt_enum *ret)
{
	if (node->type != NODE_TEXT)
		return bind_wrong_type(b, node, "a text");
	for (int i = 0; f->names[i]; i++) {
		if (strcmp(f->names[i], node->text) == 0) {
			ret->v = i;
			return 0;
		}
	}
	return fail_enum(b, f, node);
}

/* JSON5 spells numbers in more ways than people spell sizes: +1, .5, 5. and 0x10 become plain
 * decimals. */
static int plain_number(struct bind *b, const struct node *node, char out[64])
{
	const char *p = node->text + (*node->text == '+');
	size_t len = strlen(p);
	unsigned long long hex;

	if (*p == '-')
		return bind_fail(b, node->line, node->column, "%.40s is negative", node->text);
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		if (len > 2 + 16)
			return bind_fail(
				b, node->line, node->column, "%.40s is too large", node->text);
		hex = strtoull(p + 2, NULL, 16);
		snprintf(out, 64, "%llu", hex);
		return 0;
	}
	if (len > 60)
		return bind_fail(
			b, node->line, node->column, "%.40s... has too many digits", node->text);
	out[0] = '0';
	memcpy(out + (*p == '.'), p, len + 1);
	if (p[len - 1] == '.')
		out[(*p == '.') + len - 1] = '\0';
	return 0;
}

static int bind_number(
	struct bind *b, const struct field *f, const struct node *node, struct opt_number *ret)
{
	char plain[64];
	struct err why;
	uint64_t v;
	int r = 0;

	if (node->type == NODE_NUMBER)
		r = plain_number(b, node, plain);
	else if (node->type != NODE_TEXT)
		return bind_wrong_type(b, node, "a number or a text");
	if (r < 0)
		return r;
	r = field_number(f->type, node->type == NODE_NUMBER ? plain : node->text, &v, &why);
	if (r < 0)
		return bind_fail(b, node->line, node->column, "%s", why.text);
	if (v == 0 && !f->zero)
		return bind_fail(b, node->line, node->column, "0 is not allowed; write at least 1");
	ret->v = v;
	return 0;
}

static int bind_rate(struct bind *b, const struct node *node, struct opt_rate *ret)
{
	struct err why;

	if (node->type != NODE_TEXT)
		return bind_wrong_type(b, node, "a text such as 60/m");
	if (number_rate(node->text, &ret->v, &why) < 0)
		return bind_fail(b, node->line, node->column, "%s", why.text);
	return 0;
}

static int check_text(struct bind *b, const struct field *f, const char *text, struct err *why)
{
	uint32_t hash = 5381;
	struct known_text *known;
	int r;

	for (const char *p = text; *p; p++)
		hash = hash * 33 + (unsigned char)*p;
	known = &b->known[hash % BIND_KNOWN];
	if (known->check == f->check && strcmp(known->text, text) == 0)
		return 0;
	r = f->check(text, why);
	if (r == 0)
		*known = (struct known_text){f->check, text};
	return r;
}

static int bind_text(
	struct bind *b, const struct field *f, const struct node *node, const char **ret)
{
	const char *text = node->text;
	struct err why;

	if (b->words && node->type == NODE_BOOL)
		text = node->boolean ? "true" : "false";
	else if (node->type != NODE_TEXT)
		return bind_wrong_type(b, node, "a text");
	/* Values of maps, such as environment variables, may be empty. */
	if (*text == '\0' && f->type != FIELD_MAP)
		return bind_fail(b, node->line, node->column, "an empty text is not allowed");
	if (f->check && check_text(b, f, text, &why) < 0)
		return bind_fail(b, node->line, node->column, "%s", why.text);
	*ret = text;
	return 0;
}

int bind_count(struct bind *b, const struct node *node)
{
	if (node->count > BIND_MAX_ITEMS)
		return bind_fail(
			b, node->line, node->column, "more than %d of them", BIND_MAX_ITEMS);
	return 0;
}

int bind_list(struct bind *b, const struct field *f, const struct node *node, struct opt_list *ret)
{
	struct item *items;
	int r;

	if (node->type != NODE_ARRAY)
		return bind_wrong_type(b, node, "a list of texts");
	r = bind_count(b, node);
	if (r < 0)
		return r;
	items = arena_array(b->arena, node->count, sizeof *items);
	for (uint32_t i = 0; i < node->count; i++) {
		const struct node *n = &node->items[i];

		r = bind_text(b, f, n, &items[i].text);
		if (r < 0)
			return r;
		items[i].at = bind_where(b, n->line, n->column);
	}
	ret->items = items;
	ret->count = node->count;
	return 0;
}

static int bind_entry(
	struct bind *b, const struct field *f, const struct member *m, struct entry *ret)
{
	struct err why;
	int r;

	ret->key = m->key;
	ret->at = bind_where(b, m->line, m->column);
	if (*m->key == '\0')
		return bind_fail(b, m->line, m->column, "an empty key is not allowed");
	if (f->check_key && f->check_key(m->key, &why) < 0)
		return bind_fail(b, m->line, m->column, "%s", why.text);
	bind_enter(b, m->key);
	ret->list.at = ret->text.at = bind_where(b, m->value.line, m->value.column);
	if (f->type == FIELD_LISTMAP)
		r = bind_list(b, f, &m->value, &ret->list);
	else
		r = bind_text(b, f, &m->value, &ret->text.text);
	bind_leave(b);
	return r;
}

static int bind_map(
	struct bind *b, const struct field *f, const struct node *node, struct opt_map *ret)
{
	struct entry *entries;
	int r;

	if (node->type != NODE_OBJECT)
		return bind_wrong_type(b, node, "an object");
	r = bind_count(b, node);
	if (r < 0)
		return r;
	entries = arena_array(b->arena, node->count, sizeof *entries);
	for (uint32_t i = 0; i < node->count && r == 0; i++)
		r = bind_entry(b, f, &node->members[i], &entries[i]);
	ret->entries = entries;
	ret->count = node->count;
	return r;
}

static int bind_value(struct bind *b, const struct field *f, void *value, const struct node *node)
{
	switch (f->type) {
	case FIELD_BOOL:
		return bind_bool(b, node, value);
	case FIELD_ENUM:
		return bind_enum(b, f, node, value);
	case FIELD_COUNT:
	case FIELD_SIZE:
	case FIELD_DURATION:
	case FIELD_CPUS:
		return bind_number(b, f, node, value);
	case FIELD_RATE:
		return bind_rate(b, node, value);
	case FIELD_TEXT:
		return bind_text(b, f, node, &((struct opt_text *)value)->v);
	case FIELD_LIST:
		return bind_list(b, f, node, value);
	case FIELD_MAP:
	case FIELD_LISTMAP:
		return bind_map(b, f, node, value);
	case FIELD_SPECIAL:
		return bind_special(b, f, node, value);
	case FIELD_END:
	case FIELD_OBJECT:
	case FIELD_TYPES:
		break;
	}
	return -EINVAL;
}

static int bind_leaf(struct bind *b, const struct field *f, void *base, const struct node *node,
	uint32_t line, uint32_t column)
{
	int r;

	if (f->support == SUPPORT_NONE && !b->take_unsupported)
		return bind_fail(b, line, column,
			"not yet supported: this version of ward knows the key but does nothing "
			"with it; "
			"take it out ('ward config schema --support' lists such keys)");
	r = bind_value(b, f, field_at(f, base), node);
	if (r == 0)
		*(struct where *)field_at(f, base) = bind_where(b, node->line, node->column);
	return r;
}

/* A key that was written without the objects it stands in: "memory" for "resources.memory". */
struct deeper {
	const char *key;
	char path[FIELD_PATH];
};

static int is_deeper(const char *path, const struct field *f, const void *base, void *ctx)
{
	struct deeper *d = (struct deeper *)ctx;

	(void)base;
	if (!str_eq(f->name, d->key))
		return 0;
	snprintf(d->path, sizeof d->path, "%s", path);
	return 1;
}

int bind_member(struct bind *b, const struct field *table, void *base, const struct member *m)
{
	const struct field *f = field_find(table, m->key);
	struct deeper d = {.key = m->key};
	int r;

	if (!f && field_each(table, NULL, is_deeper, &d) == 1)
		return bind_unknown_key(b, m, d.path);
	if (!f)
		return bind_unknown_key(b, m, field_nearest(table, m->key));
	bind_enter(b, m->key);
	if (f->type != FIELD_OBJECT) {
		r = bind_leaf(b, f, base, &m->value, m->line, m->column);
	} else if (f->shorthand && m->value.type != NODE_OBJECT) {
		const struct field *meant = field_find(f->fields, f->shorthand);

		r = bind_leaf(b, meant, field_at(f, base), &m->value, m->line, m->column);
	} else {
		r = bind_object(b, f->fields, field_at(f, base), &m->value);
	}
	bind_leave(b);
	return r;
}

int bind_object(struct bind *b, const struct field *table, void *base, const struct node *node)
{
	int r = 0;

	if (node->type != NODE_OBJECT)
		return bind_wrong_type(b, node, "an object");
	for (uint32_t i = 0; i < node->count && r == 0; i++)
		r = bind_member(b, table, base, &node->members[i]);
	return r;
}
