/* SPDX-License-Identifier: Apache-2.0 */
#include "json/args.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"

#include <errno.h>
#include <string.h>

static const struct arg *find(const struct arg *table, const char *name)
{
	for (; table->name; table++)
		if (str_eq(table->name, name))
			return table;
	return NULL;
}

static void *at(const struct arg *g, void *base)
{
	return (char *)base + g->offset;
}

static const char *name_at(size_t i, const void *table)
{
	return ((const struct arg *)table)[i].name;
}

static int fail_unknown(const struct arg *table, const char *name, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(80), all = BUF(200);
	const char *near = str_nearest(name, name_at, table);

	escape_text(&shown, name);
	if (near)
		return err_set(e, EINVAL, "there is no argument '%s'; did you mean '%s'?",
			buf_text(&shown), near);
	for (const struct arg *g = table; g->name; g++)
		buf_printf(&all, "%s%s", g == table ? "" : ", ", g->name);
	return err_set(e, EINVAL, "there is no argument '%s', only: %s", buf_text(&shown),
		all.len ? buf_text(&all) : "none");
}

static int fail_type(const char *name, const char *wanted, const struct node *n, struct err *e)
{
	return err_set(e, EINVAL, "argument '%s' must be %s, not %s", name, wanted,
		tree_type_name(n->type));
}

/* Whole and plain: no sign, no fraction, no exponent. */
static int read_number(
	const struct arg *g, const struct node *n, struct arg_number *ret, struct err *e)
{
	uint64_t v;

	if (n->type != NODE_NUMBER)
		return fail_type(g->name, "a whole number", n, e);
	if (n->text[strspn(n->text, "0123456789")] || number_count(n->text, &v, NULL) < 0)
		return err_set(e, EINVAL, "argument '%s' must be a whole number, not %.40s",
			g->name, n->text);
	if (v < g->min || (g->max && v > g->max))
		return err_set(e, ERANGE, "argument '%s' must be from %llu to %llu", g->name,
			(unsigned long long)g->min,
			(unsigned long long)(g->max ? g->max : UINT64_MAX));
	*ret = (struct arg_number){true, v};
	return 0;
}

static int read_texts(const struct arg *g, const struct node *n, struct arena *a,
	struct arg_texts *ret, struct err *e)
{
	const char **texts;

	if (n->type != NODE_ARRAY)
		return fail_type(g->name, "a list of texts", n, e);
	if (n->count > ARGS_MOST_ITEMS)
		return err_set(
			e, E2BIG, "argument '%s' has more than %u items", g->name, ARGS_MOST_ITEMS);
	texts = arena_array(a, n->count + 1u, sizeof *texts);
	for (uint32_t i = 0; i < n->count; i++) {
		if (n->items[i].type != NODE_TEXT)
			return fail_type(g->name, "a list of texts", &n->items[i], e);
		texts[i] = arena_text(a, n->items[i].text, strlen(n->items[i].text));
	}
	*ret = (struct arg_texts){texts, n->count};
	return 0;
}

static int read_map(const struct arg *g, const struct node *n, struct arena *a,
	struct arg_texts *ret, struct err *e)
{
	const char **texts;

	if (n->type != NODE_OBJECT)
		return fail_type(g->name, "an object of texts", n, e);
	if (n->count > ARGS_MOST_ITEMS)
		return err_set(e, E2BIG, "argument '%s' has more than %u members", g->name,
			ARGS_MOST_ITEMS);
	texts = arena_array(a, n->count + 1u, sizeof *texts);
	for (uint32_t i = 0; i < n->count; i++) {
		const struct member *m = &n->members[i];

		if (m->value.type != NODE_TEXT)
			return fail_type(g->name, "an object of texts", &m->value, e);
		if (!*m->key || strchr(m->key, '='))
			return err_set(e, EINVAL,
				"argument '%s': a name must not be empty or hold '='", g->name);
		texts[i] = arena_printf(a, "%s=%s", m->key, m->value.text);
	}
	*ret = (struct arg_texts){texts, n->count};
	return 0;
}

static int read_choice(const struct arg *g, const struct node *n, int *ret, struct err *e)
{
	auto_(buf_free) struct buf list = BUF(200);

	for (int i = 0; g->names[i]; i++) {
		if (n->type == NODE_TEXT && str_eq(g->names[i], n->text)) {
			*ret = i;
			return 0;
		}
		buf_printf(&list, "%s'%s'", i ? ", " : "", g->names[i]);
	}
	return err_set(e, EINVAL, "argument '%s' must be one of %s", g->name, buf_text(&list));
}

static int read_one(
	const struct arg *g, const struct node *n, struct arena *a, void *to, struct err *e)
{
	switch (g->type) {
	case ARG_TEXT:
		if (n->type != NODE_TEXT)
			return fail_type(g->name, "a text", n, e);
		*(const char **)to = arena_text(a, n->text, strlen(n->text));
		return 0;
	case ARG_BOOL:
		if (n->type != NODE_BOOL)
			return fail_type(g->name, "true or false", n, e);
		*(bool *)to = n->boolean;
		return 0;
	case ARG_NUMBER:
		return read_number(g, n, to, e);
	case ARG_TEXTS:
		return read_texts(g, n, a, to, e);
	case ARG_MAP:
		return read_map(g, n, a, to, e);
	case ARG_CHOICE:
		return read_choice(g, n, to, e);
	case ARG_TYPES:
		break;
	}
	return -EINVAL;
}

int args_read(const struct arg *table, const struct node *object, struct arena *a, void *ret,
	struct err *e)
{
	int r = 0;

	for (const struct arg *g = table; g->name; g++)
		if (g->type == ARG_CHOICE)
			*(int *)at(g, ret) = -1;
	if (object && object->type != NODE_OBJECT)
		return err_set(e, EINVAL, "the arguments must be an object, not %s",
			tree_type_name(object->type));
	for (uint32_t i = 0; object && i < object->count && r == 0; i++) {
		const struct member *m = &object->members[i];
		const struct arg *g = find(table, m->key);

		r = g ? read_one(g, &m->value, a, at(g, ret), e) : fail_unknown(table, m->key, e);
	}
	for (const struct arg *g = table; g->name && r == 0; g++)
		if (g->required && !tree_get(object, g->name))
			r = err_set(e, EINVAL, "the argument '%s' is missing", g->name);
	return r;
}

static void write_arg(const struct arg *g, struct writer *w)
{
	static const char *const types[ARG_TYPES] = {
		[ARG_TEXT] = "string",
		[ARG_NUMBER] = "integer",
		[ARG_BOOL] = "boolean",
		[ARG_TEXTS] = "array",
		[ARG_MAP] = "object",
		[ARG_CHOICE] = "string",
	};
	const char *inner = g->type == ARG_TEXTS ? "items"
			    : g->type == ARG_MAP ? "additionalProperties"
						 : NULL;

	write_object(w, g->name);
	write_text(w, "type", types[g->type]);
	write_text(w, "description", g->help);
	if (g->type == ARG_NUMBER)
		write_unsigned(w, "minimum", g->min);
	if (g->type == ARG_NUMBER && g->max)
		write_unsigned(w, "maximum", g->max);
	if (g->type == ARG_CHOICE)
		write_texts(w, "enum", g->names);
	if (inner) {
		write_object(w, inner);
		write_text(w, "type", "string");
		write_end_object(w);
	}
	write_end_object(w);
}

void args_schema(const struct arg *table, struct writer *w, const char *key)
{
	bool any = false;

	write_object(w, key);
	write_text(w, "type", "object");
	write_object(w, "properties");
	for (const struct arg *g = table; g->name; g++) {
		write_arg(g, w);
		any |= g->required;
	}
	write_end_object(w);
	if (any) {
		write_list(w, "required");
		for (const struct arg *g = table; g->name; g++)
			if (g->required)
				write_text(w, NULL, g->name);
		write_end_list(w);
	}
	write_bool(w, "additionalProperties", false);
	write_end_object(w);
}
