/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_walk.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/where.h"
#include "json/import_put.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static const char *path_of(struct import *im, const struct import_at *at)
{
	if (!at->parent[0])
		return at->key;
	return arena_printf(&im->arena, "%s.%s", at->parent, at->key);
}

int import_fail(struct import *im, const struct import_at *at, const char *fmt, ...)
{
	const struct source source = {.name = im->name, .level = LEVEL_CALLER};
	const struct where where = {
		.source = &source, .line = at->node->line, .column = at->node->column};
	auto_(buf_free) struct buf path = BUF(160);
	char place[WHERE_TEXT], what[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	where_text(&where, place);
	escape_text(&path, path_of(im, at));
	return err_set(im->e, EINVAL, "%s: %s%s%s", place, buf_text(&path),
		buf_text(&path)[0] ? ": " : "", what);
}

int import_wrong_type(struct import *im, const struct import_at *at, const char *wanted)
{
	return import_fail(im, at, "must be %s, not %s", wanted, tree_type_name(at->node->type));
}

void import_note(struct import *im, const struct import_at *at, const char *fmt, ...)
{
	struct import_notes *notes = at->notes;
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!notes)
		notes = &at->agent->parts[at->part].notes;
	import_doc_note(&im->doc, notes, at->parent, at->key, arena_printf(&im->arena, "%s", text));
}

static const struct import_key *find_row(const struct import_key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (str_eq(keys->name, name))
			return keys;
	return NULL;
}

static int put_row(struct import *im, const struct import_at *at)
{
	const struct import_key *row = at->row;
	const struct import_word *word;
	int rc;

	if (!row->words)
		return import_put(im, at, row->to, row->unit, row->remark);
	rc = import_find_word(im, at, row->words, &word);
	if (rc < 0)
		return rc;
	return import_put_text(
		im, at, row->to, word->to, word->remark ? word->remark : row->remark);
}

static int read_row(struct import *im, const struct import_at *at)
{
	const struct import_key *row = at->row;

	if (!row) {
		import_note(im, at, "not known to this import; ignored");
		return 0;
	}
	if (row->note) {
		import_note(im, at, "%s", row->note);
		return 0;
	}
	if (at->node->type == NODE_NULL) {
		import_note(im, at, "null, so it is not set");
		return 0;
	}
	if (row->keys)
		return import_walk(im, at, row->keys);
	return row->read ? row->read(im, at) : put_row(im, at);
}

int import_walk(struct import *im, const struct import_at *object, const struct import_key *keys)
{
	const char *parent = path_of(im, object);
	int rc = import_object(im, object);

	for (uint32_t i = 0; rc == 0 && i < object->node->count; i++) {
		const struct member *m = &object->node->members[i];
		struct import_at at = *object;

		at.parent = parent;
		at.key = m->key;
		at.node = &m->value;
		at.row = find_row(keys, m->key);
		rc = read_row(im, &at);
	}
	return rc;
}

int import_skip(struct import *im, const struct import_at *at)
{
	(void)im;
	(void)at;
	return 0;
}

static bool enter(struct import *im, const struct import_at *object, const char *key,
	const struct node *node, struct import_at *ret)
{
	if (!node || node->type == NODE_NULL)
		return false;
	*ret = *object;
	ret->parent = path_of(im, object);
	ret->key = key;
	ret->node = node;
	ret->row = NULL;
	return true;
}

bool import_member(
	struct import *im, const struct import_at *object, const char *key, struct import_at *ret)
{
	return enter(im, object, key, tree_get(object->node, key), ret);
}

bool import_member_at(
	struct import *im, const struct import_at *object, uint32_t i, struct import_at *ret)
{
	const struct member *m = &object->node->members[i];

	return enter(im, object, m->key, &m->value, ret);
}

struct import_at import_item(struct import *im, const struct import_at *list, uint32_t i)
{
	struct import_at item = *list;

	item.key = arena_printf(&im->arena, "%s[%u]", list->key, i);
	item.node = &list->node->items[i];
	item.row = NULL;
	return item;
}

int import_text(struct import *im, const struct import_at *at, const char **ret)
{
	if (at->node->type != NODE_TEXT)
		return import_wrong_type(im, at, "a text");
	*ret = at->node->text;
	return 0;
}

int import_bool(struct import *im, const struct import_at *at, bool *ret)
{
	if (at->node->type != NODE_BOOL)
		return import_wrong_type(im, at, "true or false");
	*ret = at->node->boolean;
	return 0;
}

int import_object(struct import *im, const struct import_at *at)
{
	return at->node->type == NODE_OBJECT ? 0 : import_wrong_type(im, at, "an object");
}

int import_list(struct import *im, const struct import_at *at)
{
	return at->node->type == NODE_ARRAY ? 0 : import_wrong_type(im, at, "a list");
}

int import_find_word(struct import *im, const struct import_at *at, const struct import_word *words,
	const struct import_word **ret)
{
	auto_(buf_free) struct buf list = BUF(160);
	auto_(buf_free) struct buf shown = BUF(60);
	const char *text = NULL;
	int rc = import_text(im, at, &text);

	if (rc < 0)
		return rc;
	for (const struct import_word *w = words; w->from; w++) {
		if (str_eq(w->from, text)) {
			*ret = w;
			return 0;
		}
		buf_printf(&list, "%s%s", w == words ? "" : ", ", w->from);
	}
	escape_text(&shown, text);
	return import_fail(im, at, "'%s' is none of %s", buf_text(&shown), buf_text(&list));
}
