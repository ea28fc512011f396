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
	size_t values, values_max; /* strict: how many there are, and may be */
	struct step {
		const char *key; /* NULL: an item */
		size_t index;    /* SIZE_MAX: before its name is known */
	} path[TREE_MAX_DEPTH];
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

/* Which member or item of the innermost level is read now. */
static void step_to(struct reader *r, const char *key, size_t index)
{
	r->path[r->depth - 1] = (struct step){key, index};
}

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
		if (r->scan.strict || r->scan.p >= r->scan.end || *r->scan.p != close)
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
		int rc;

		step_to(r, NULL, r->nodes_top - base);
		rc = read_value(r, &item);
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
	step_to(r, NULL, SIZE_MAX);
	if (*start == '"' || (*start == '\'' && !r->scan.strict))
		rc = scan_string(&r->scan, &ret->key);
	else if (r->scan.strict)
		return scan_unexpected(&r->scan, "a key in quotes");
	else
		rc = scan_key(&r->scan, &ret->key);
	if (rc == 0)
		rc = scan_blank(&r->scan);
	if (rc < 0)
		return rc;
	if (r->scan.p >= r->scan.end || *r->scan.p != ':')
		return scan_unexpected(&r->scan, "':'");
	r->scan.p++;
	step_to(r, ret->key, 0);
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
	step_to(r, NULL, SIZE_MAX);
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

	if (r->depth == TREE_MAX_DEPTH)
		return scan_fail(&r->scan, r->scan.p, "nested more than %d deep", TREE_MAX_DEPTH);
	r->depth++;
	step_to(r, NULL, SIZE_MAX);
	rc = *r->scan.p == '{' ? read_object(r, ret) : read_array(r, ret);
	if (rc == 0) /* else the path stays, for the error */
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
	if (r->scan.strict && ++r->values > r->values_max)
		return scan_fail(&r->scan, r->scan.p, "more than %zu values", r->values_max);
	if (*r->scan.p == '{' || *r->scan.p == '[')
		return read_nested(r, ret);
	if (*r->scan.p == '"' || (*r->scan.p == '\'' && !r->scan.strict)) {
		ret->type = NODE_TEXT;
		return scan_string(&r->scan, &ret->text);
	}
	if ((*r->scan.p >= '0' && *r->scan.p <= '9') ||
		strchr(r->scan.strict ? "-" : "+-.IN", *r->scan.p))
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

static int read_all(struct reader *r, struct node *ret)
{
	int rc = read_value(r, ret);

	if (rc == 0)
		rc = scan_blank(&r->scan);
	if (rc < 0)
		return rc;
	return r->scan.p < r->scan.end ? scan_unexpected(&r->scan, "the end of the text") : 0;
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
		rc = read_all(&r, &root);
	if (rc == 0)
		*ret = root;
	return rc;
}

/* "params.argv[1]: " in front of an error. */
static int put_path(const struct reader *r, int rc, struct err *e)
{
	auto_(buf_free) struct buf path = BUF(120);

	for (unsigned i = 0; i < r->depth; i++) {
		const struct step *s = &r->path[i];

		if (s->key) {
			buf_puts(&path, i ? "." : "");
			escape_text(&path, s->key);
		} else if (s->index != SIZE_MAX) {
			buf_printf(&path, "[%zu]", s->index);
		}
	}
	if (path.len == 0)
		return rc;
	return err_ctx(e, rc, "%s%s", buf_text(&path), path.dropped ? "..." : "");
}

int json5_parse_strict(struct arena *a, const struct json5_limits *limits, const char *text,
	size_t len, struct node *ret, struct err *e)
{
	auto_(reader_free) struct reader r = {
		.scan = {.arena = a, .p = text, .end = text + len, .strict = true, .e = e},
		.values_max = limits->values,
	};
	struct node root = {0};
	struct err drop = {0};
	int rc;

	if (len > limits->bytes)
		return err_set(e, EFBIG, "larger than %zu bytes", limits->bytes);
	rc = scan_start(&r.scan, limits->bytes);
	if (rc == 0) {
		rc = read_all(&r, &root);
	} else { /* a bad byte: what is read up to there says in which member */
		r.scan.e = &drop;
		r.scan.end = r.scan.counted;
		read_all(&r, &root);
	}
	if (rc < 0)
		return put_path(&r, rc, e);
	*ret = root;
	return 0;
}
