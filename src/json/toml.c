/* SPDX-License-Identifier: Apache-2.0 */
#include "json/toml.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "json/toml_lex.h"
#include "json/toml_table.h"

#include <errno.h>

struct reader {
	struct toml_lex lex;
	struct toml_tables tables;
	unsigned sections; /* how many headers and inline tables there were */
	unsigned section;  /* whose lines are being read */
};

struct key_path {
	size_t count;
	struct toml_key parts[TREE_MAX_DEPTH];
};

/* Values of an array that has not ended yet. */
struct link {
	struct link *next;
	struct node node;
};

static void reader_free(struct reader *r)
{
	toml_tables_free(&r->tables);
	buf_free(&r->lex.text);
}

static int fail_key(
	struct reader *r, const struct toml_key *key, const char *before, const char *after)
{
	auto_(buf_free) struct buf shown = BUF(120);

	escape_text(&shown, key->text);
	return toml_lex_fail_key(&r->lex, key, "%s '%s'%s", before, buf_text(&shown), after);
}

static int check_depth(struct reader *r, unsigned depth)
{
	if (depth > TREE_MAX_DEPTH)
		return toml_lex_fail(&r->lex, r->lex.p, "nested more than %d deep", TREE_MAX_DEPTH);
	return 0;
}

static int new_table(struct reader *r, enum toml_kind kind, const struct toml_key *key,
	unsigned depth, struct toml_table **ret)
{
	int rc = check_depth(r, depth);

	if (rc < 0)
		return rc;
	*ret = toml_table_new(&r->tables, kind, depth, key->line, key->column);
	(*ret)->section = r->section;
	return 0;
}

/* A table below t, under that key. */
static int add_table(struct reader *r, struct toml_table *t, const struct toml_key *key,
	enum toml_kind kind, struct toml_table **ret)
{
	int rc = new_table(r, kind, key, t->depth + 1, ret);

	if (rc == 0)
		toml_table_add(&r->tables, t, key)->table = *ret;
	return rc;
}

static int read_path(struct reader *r, struct key_path *path)
{
	path->count = 0;
	for (;;) {
		int rc = check_depth(r, (unsigned)path->count + 1);

		toml_lex_blank(&r->lex);
		if (rc == 0)
			rc = toml_lex_key(&r->lex, &path->parts[path->count]);
		if (rc < 0)
			return rc;
		path->count++;
		toml_lex_blank(&r->lex);
		if (!toml_lex_at(&r->lex, "."))
			return 0;
		r->lex.p++;
	}
}

/* One step of a dotted key: the table below t, made when it is not there yet. */
static int step_dotted(
	struct reader *r, struct toml_table *t, const struct toml_key *key, struct toml_table **ret)
{
	struct toml_pair *pair = toml_table_find(&r->tables, t, key->text);
	struct toml_table *next;

	if (!pair)
		return add_table(r, t, key, TOML_DOTTED, ret);
	next = pair->table;
	if (!next)
		return fail_key(r, key, "key", " is already a value, not a table");
	if (next->kind == TOML_IMPLICIT) {
		next->kind = TOML_DOTTED;
		next->section = r->section;
	}
	if (next->kind == TOML_HEADER || next->section != r->section)
		return fail_key(r, key, "table", " is defined elsewhere; add to it there");
	*ret = next;
	return 0;
}

/* One step of a header; of an array of tables the last element counts. */
static int step_header(
	struct reader *r, struct toml_table *t, const struct toml_key *key, struct toml_table **ret)
{
	struct toml_pair *pair = toml_table_find(&r->tables, t, key->text);

	if (!pair)
		return add_table(r, t, key, TOML_IMPLICIT, ret);
	if (!pair->table && !pair->list)
		return fail_key(r, key, "key", " is already a value, not a table");
	*ret = pair->table ? pair->table : pair->list->last;
	return 0;
}

typedef int step_fn(struct reader *r, struct toml_table *t, const struct toml_key *key,
	struct toml_table **ret);

/* The table that the last part of the path stands in. */
static int enter(
	struct reader *r, const struct key_path *path, step_fn *step, struct toml_table **io_table)
{
	for (size_t i = 0; i + 1 < path->count; i++) {
		int rc = step(r, *io_table, &path->parts[i], io_table);

		if (rc < 0)
			return rc;
	}
	return 0;
}

/* [key] below t. */
static int define_table(
	struct reader *r, struct toml_table *t, const struct toml_key *key, struct toml_table **ret)
{
	struct toml_pair *pair = toml_table_find(&r->tables, t, key->text);

	if (!pair)
		return add_table(r, t, key, TOML_HEADER, ret);
	if (!pair->table || pair->table->kind != TOML_IMPLICIT)
		return fail_key(r, key, "duplicate table", "");
	pair->table->kind = TOML_HEADER;
	*ret = pair->table;
	return 0;
}

/* [[key]] below t. */
static int define_element(
	struct reader *r, struct toml_table *t, const struct toml_key *key, struct toml_table **ret)
{
	struct toml_pair *pair = toml_table_find(&r->tables, t, key->text);
	int rc;

	if (pair && !pair->list)
		return fail_key(r, key, "duplicate:", " exists and is no array of tables");
	rc = new_table(r, TOML_HEADER, key, t->depth + 2, ret);
	if (rc < 0)
		return rc;
	if (!pair)
		pair = toml_table_add(&r->tables, t, key);
	toml_table_append(&r->tables, pair, *ret);
	return 0;
}

/* [a.b] or [[a.b]]; the lines below it go to *ret. */
static int read_header(struct reader *r, struct toml_table *root, struct toml_table **ret)
{
	bool element = toml_lex_at(&r->lex, "[[");
	struct toml_table *t = root;
	struct key_path path;
	int rc;

	r->lex.p += element ? 2 : 1;
	rc = read_path(r, &path);
	if (rc < 0)
		return rc;
	if (!toml_lex_at(&r->lex, element ? "]]" : "]"))
		return toml_lex_unexpected(&r->lex, element ? "']]'" : "']'");
	r->lex.p += element ? 2 : 1;
	r->section = ++r->sections;
	rc = enter(r, &path, step_header, &t);
	if (rc < 0)
		return rc;
	return (element ? define_element : define_table)(r, t, &path.parts[path.count - 1], ret);
}

static int read_value(struct reader *r, unsigned depth, struct node *ret);

/* key = value, into that table. */
static int read_pair(struct reader *r, struct toml_table *t)
{
	const struct toml_key *last;
	struct node value = {0};
	struct key_path path;
	int rc = read_path(r, &path);

	if (rc < 0)
		return rc;
	if (!toml_lex_at(&r->lex, "="))
		return toml_lex_unexpected(&r->lex, "'=' or '.'");
	r->lex.p++;
	rc = enter(r, &path, step_dotted, &t);
	if (rc < 0)
		return rc;
	last = &path.parts[path.count - 1];
	if (toml_table_find(&r->tables, t, last->text))
		return fail_key(r, last, "duplicate key", "");
	toml_lex_blank(&r->lex);
	rc = read_value(r, t->depth, &value);
	if (rc < 0)
		return rc;
	toml_table_add(&r->tables, t, last)->value = value;
	return 0;
}

/* The pairs of { ... }: on one line, no comma after the last. */
static int read_inline_pairs(struct reader *r, struct toml_table *t)
{
	toml_lex_blank(&r->lex);
	if (toml_lex_at(&r->lex, "}")) {
		r->lex.p++;
		return 0;
	}
	for (;;) {
		int rc = read_pair(r, t);

		if (rc < 0)
			return rc;
		toml_lex_blank(&r->lex);
		if (!toml_lex_at(&r->lex, ",") && !toml_lex_at(&r->lex, "}"))
			return toml_lex_unexpected(&r->lex, "',' or '}'");
		if (*r->lex.p++ == '}')
			return 0;
	}
}

static int read_inline_table(struct reader *r, unsigned depth, struct node *ret)
{
	const struct toml_key here = {.text = "", .line = ret->line, .column = ret->column};
	unsigned outer = r->section;
	struct toml_table *t;
	int rc;

	r->section = ++r->sections;
	rc = new_table(r, TOML_HEADER, &here, depth, &t);
	r->lex.p++;
	if (rc == 0)
		rc = read_inline_pairs(r, t);
	r->section = outer;
	if (rc < 0)
		return rc;
	toml_table_freeze(&r->tables, t, ret);
	return 0;
}

static int read_items(struct reader *r, unsigned depth, struct link **tail, uint32_t *ret_count)
{
	for (*ret_count = 0;; ++*ret_count) {
		int rc;

		toml_lex_lines(&r->lex);
		if (toml_lex_at(&r->lex, "]"))
			break;
		*tail = arena_alloc(r->lex.arena, sizeof **tail);
		rc = read_value(r, depth, &(*tail)->node);
		if (rc < 0)
			return rc;
		tail = &(*tail)->next;
		toml_lex_lines(&r->lex);
		if (!toml_lex_at(&r->lex, ",") && !toml_lex_at(&r->lex, "]"))
			return toml_lex_unexpected(&r->lex, "',' or ']'");
		if (*r->lex.p == ',')
			r->lex.p++;
	}
	r->lex.p++;
	return 0;
}

static int read_array(struct reader *r, unsigned depth, struct node *ret)
{
	struct link *first = NULL;
	struct node *items;
	uint32_t count, i = 0;
	int rc = check_depth(r, depth);

	if (rc < 0)
		return rc;
	r->lex.p++;
	rc = read_items(r, depth, &first, &count);
	if (rc < 0)
		return rc;
	items = arena_array(r->lex.arena, count, sizeof *items);
	for (const struct link *item = first; item; item = item->next)
		items[i++] = item->node;
	ret->type = NODE_ARRAY;
	ret->count = count;
	ret->items = items;
	return 0;
}

/* depth is that of what the value stands in. */
static int read_value(struct reader *r, unsigned depth, struct node *ret)
{
	toml_lex_here(&r->lex, &ret->line, &ret->column);
	if (toml_lex_at(&r->lex, "["))
		return read_array(r, depth + 1, ret);
	if (toml_lex_at(&r->lex, "{"))
		return read_inline_table(r, depth + 1, ret);
	return toml_lex_scalar(&r->lex, ret);
}

static int read_document(struct reader *r, struct toml_table *root)
{
	struct toml_table *t = root;

	for (;;) {
		int rc;

		toml_lex_lines(&r->lex);
		if (r->lex.p >= r->lex.end)
			return 0;
		rc = toml_lex_at(&r->lex, "[") ? read_header(r, root, &t) : read_pair(r, t);
		if (rc == 0)
			rc = toml_lex_line_end(&r->lex);
		if (rc < 0)
			return rc;
	}
}

int toml_parse(struct arena *a, const char *name, const char *text, size_t len, struct node *ret,
	struct err *e)
{
	auto_(reader_free) struct reader r = {
		.lex.arena = a,
		.lex.name = name,
		.lex.p = text,
		.lex.end = text + len,
		.lex.counted = text,
		.lex.line = 1,
		.lex.column = 1,
		.lex.text = BUF(TREE_MAX_BYTES),
		.lex.e = e,
	};
	struct toml_table *root;
	int rc;

	if (len > TREE_MAX_BYTES)
		return toml_lex_fail(&r.lex, text, "larger than %u MiB", TREE_MAX_BYTES >> 20);
	rc = toml_lex_check(&r.lex);
	if (rc < 0)
		return rc;
	toml_tables_init(&r.tables, a);
	root = toml_table_new(&r.tables, TOML_HEADER, 1, 1, 1);
	rc = read_document(&r, root);
	if (rc < 0)
		return rc;
	toml_table_freeze(&r.tables, root, ret);
	return 0;
}
