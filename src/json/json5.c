/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json5.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "json/json5_scan.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * A recursive reader, at most TREE_MAX_DEPTH deep, over the words of json5_scan.h. Children are
 * collected on two stacks that all levels share and copied to the arena when their array or object
 * ends.
 */
struct reader {
	struct scan scan;
	unsigned depth;
	struct node *nodes;
	size_t nodes_top, nodes_cap;
	struct member *members;
	size_t members_top, members_cap;
};

static void reader_free(struct reader *r)
{
	free(r->nodes);
	free(r->members);
	scan_end(&r->scan);
}

static int read_value(struct reader *r, struct node *ret);

static int read_number(struct reader *r, struct node *ret)
{
	ret->type = NODE_NUMBER;
	return scan_number(&r->scan, &ret->text);
}

static void push_node(struct reader *r, const struct node *node)
{
	if (r->nodes_top == r->nodes_cap) {
		r->nodes_cap = r->nodes_cap ? 2 * r->nodes_cap : 32;
		r->nodes = mem_realloc(r->nodes, r->nodes_cap, sizeof *r->nodes);
	}
	r->nodes[r->nodes_top++] = *node;
}

static void push_member(struct reader *r, const struct member *member)
{
	if (r->members_top == r->members_cap) {
		r->members_cap = r->members_cap ? 2 * r->members_cap : 32;
		r->members = mem_realloc(r->members, r->members_cap, sizeof *r->members);
	}
	r->members[r->members_top++] = *member;
}

/* After an item: 1 = another one may follow, 0 = the closing character was read. */
static int read_separator(struct reader *r, char close, const char *wanted)
{
	int rc = scan_blank(&r->scan);

	if (rc < 0)
		return rc;
	if (r->scan.p < r->scan.end && *r->scan.p == ',') {
		r->scan.p++;
		rc = scan_blank(&r->scan);
		if (rc < 0)
			return rc;
		if (r->scan.p >= r->scan.end || *r->scan.p != close)
			return 1;
	}
	if (r->scan.p >= r->scan.end || *r->scan.p != close)
		return scan_unexpected(&r->scan, wanted);
	r->scan.p++;
	return 0;
}

static int read_array(struct reader *r, struct node *ret)
{
	size_t base = r->nodes_top;
	int more = 1;

	r->scan.p++;
	more = scan_blank(&r->scan);
	if (more == 0 && (r->scan.p >= r->scan.end || *r->scan.p != ']'))
		more = 1;
	else if (more == 0)
		r->scan.p++;
	while (more > 0) {
		struct node item = {0};
		int rc = read_value(r, &item);

		if (rc < 0)
			return rc;
		push_node(r, &item);
		more = read_separator(r, ']', "',' or ']'");
	}
	if (more < 0)
		return more;
	ret->type = NODE_ARRAY;
	ret->count = (uint32_t)(r->nodes_top - base);
	if (ret->count > 0)
		ret->items =
			arena_copy(r->scan.arena, r->nodes + base, ret->count * sizeof *ret->items);
	r->nodes_top = base;
	return 0;
}

static int read_member(struct reader *r, struct member *ret)
{
	const char *start = r->scan.p;
	int rc;

	if (r->scan.p >= r->scan.end)
		return scan_unexpected(&r->scan, "a key or '}'");
	scan_count(&r->scan, start);
	ret->line = r->scan.line;
	ret->column = r->scan.column;
	if (*start == '"' || *start == '\'')
		rc = scan_string(&r->scan, &ret->key);
	else
		rc = scan_key(&r->scan, &ret->key);
	if (rc == 0)
		rc = scan_blank(&r->scan);
	if (rc < 0)
		return rc;
	if (r->scan.p >= r->scan.end || *r->scan.p != ':')
		return scan_unexpected(&r->scan, "':'");
	r->scan.p++;
	return read_value(r, &ret->value);
}

static int check_duplicates(struct reader *r, size_t base)
{
	auto_(buf_free) struct buf shown = BUF(120);
	const struct member *second;
	char what[160];
	size_t index;

	if (r->members_top == base ||
		!tree_has_duplicate(r->members + base, r->members_top - base, &index))
		return 0;
	second = &r->members[base + index];
	escape_text(&shown, second->key);
	snprintf(what, sizeof what, "duplicate key '%s%s'", buf_text(&shown),
		shown.dropped ? "..." : "");
	return scan_fail_at(&r->scan, EINVAL, second->line, second->column, what);
}

static int read_object(struct reader *r, struct node *ret)
{
	size_t base = r->members_top;
	int more, rc;

	r->scan.p++;
	more = scan_blank(&r->scan);
	if (more == 0 && (r->scan.p >= r->scan.end || *r->scan.p != '}'))
		more = 1;
	else if (more == 0)
		r->scan.p++;
	while (more > 0) {
		struct member member = {0};

		rc = read_member(r, &member);
		if (rc < 0)
			return rc;
		push_member(r, &member);
		more = read_separator(r, '}', "',' or '}'");
	}
	if (more < 0)
		return more;
	rc = check_duplicates(r, base);
	if (rc < 0)
		return rc;
	ret->type = NODE_OBJECT;
	ret->count = (uint32_t)(r->members_top - base);
	if (ret->count > 0)
		ret->members = arena_copy(
			r->scan.arena, r->members + base, ret->count * sizeof *ret->members);
	r->members_top = base;
	return 0;
}

static int read_nested(struct reader *r, struct node *ret)
{
	int rc;

	if (++r->depth > TREE_MAX_DEPTH)
		return scan_fail(&r->scan, r->scan.p, "nested more than %d deep", TREE_MAX_DEPTH);
	rc = *r->scan.p == '{' ? read_object(r, ret) : read_array(r, ret);
	r->depth--;
	return rc;
}

static int read_value(struct reader *r, struct node *ret)
{
	int rc = scan_blank(&r->scan);

	if (rc < 0)
		return rc;
	scan_count(&r->scan, r->scan.p);
	ret->line = r->scan.line;
	ret->column = r->scan.column;
	if (r->scan.p >= r->scan.end)
		return scan_unexpected(&r->scan, "a value");
	if (*r->scan.p == '{' || *r->scan.p == '[')
		return read_nested(r, ret);
	if (*r->scan.p == '"' || *r->scan.p == '\'') {
		ret->type = NODE_TEXT;
		return scan_string(&r->scan, &ret->text);
	}
	if ((*r->scan.p >= '0' && *r->scan.p <= '9') || strchr("+-.IN", *r->scan.p))
		return read_number(r, ret);
	if (scan_word(&r->scan, "null")) {
		ret->type = NODE_NULL;
		return 0;
	}
	ret->type = NODE_BOOL;
	ret->boolean = scan_word(&r->scan, "true");
	if (ret->boolean || scan_word(&r->scan, "false"))
		return 0;
	return scan_unexpected(&r->scan, "a value");
}

int json5_parse(struct arena *a, const char *name, const char *text, size_t len, struct node *ret,
	struct err *e)
{
	auto_(reader_free) struct reader r = {
		.scan = {.arena = a, .name = name, .p = text, .end = text + len, .e = e},
	};
	struct node root = {0};
	int rc = scan_start(&r.scan, TREE_MAX_BYTES);

	if (rc == 0)
		rc = read_value(&r, &root);
	if (rc == 0)
		rc = scan_blank(&r.scan);
	if (rc < 0)
		return rc;
	if (r.scan.p < r.scan.end)
		return scan_unexpected(&r.scan, "the end of the text");
	*ret = root;
	return 0;
}
