/* SPDX-License-Identifier: Apache-2.0 */
#include "json/config_read.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/bind.h"
#include "json/json5.h"
#include "model/merge.h"

#include <errno.h>
#include <string.h>

static int read_section(struct bind *b, const struct field *table, void *base, const char *name,
	const struct node *node)
{
	int r;

	bind_enter(b, name);
	r = bind_object(b, table, base, node);
	bind_leave(b);
	return r;
}

/* One of agents.entries or profiles. Only what is wanted is kept; everything is read. */
static int read_named(struct bind *b, const struct member *m, bool keep, struct section *ret)
{
	struct settings scratch = {0};
	struct settings *s = keep ? arena_alloc(b->arena, sizeof *s) : &scratch;
	int r;

	bind_enter(b, m->key);
	if (!str_is_name(m->key))
		return bind_fail(b, m->line, m->column,
			"a name is [A-Za-z0-9_][A-Za-z0-9_.-]*, at most 64 characters");
	r = bind_object(b, settings_fields, s, &m->value);
	bind_leave(b);
	if (r < 0)
		return r;
	*ret = (struct section){
		.name = m->key,
		.at = bind_where(b, m->line, m->column),
		.settings = keep ? s : NULL,
	};
	return 0;
}

static int read_sections(struct bind *b, const char *key, const struct node *node,
	const struct config_wish *wish, struct sections *io)
{
	struct section *items;
	int r = 0;

	bind_enter(b, key);
	if (node->type != NODE_OBJECT)
		return bind_wrong_type(b, node, "an object");
	if (node->count + io->count > CONFIG_MAX_SECTIONS)
		return bind_fail(
			b, node->line, node->column, "more than %d of them", CONFIG_MAX_SECTIONS);
	items = arena_array(b->arena, node->count + io->count, sizeof *items);
	for (size_t i = 0; i < io->count; i++)
		items[i] = io->items[i];
	for (uint32_t i = 0; i < node->count && r == 0; i++) {
		bool keep = wish->all || str_eq(key, "profiles") ||
			    str_eq(node->members[i].key, wish->agent);

		r = read_named(b, &node->members[i], keep, &items[io->count + i]);
	}
	bind_leave(b);
	if (r < 0)
		return r;
	io->items = items;
	io->count += node->count;
	return 0;
}

static const char *name_at(size_t i, const void *names)
{
	return ((const char *const *)names)[i];
}

/* agents.defaults: only the sandbox; tools stand at the top of the file. */
static int read_defaults(struct bind *b, struct config_level *level, const struct node *node)
{
	static const char *const names[] = {"sandbox", NULL};
	int r = 0;

	bind_enter(b, "defaults");
	if (node->type != NODE_OBJECT)
		return bind_wrong_type(b, node, "an object");
	for (uint32_t i = 0; i < node->count && r == 0; i++) {
		const struct member *m = &node->members[i];

		if (str_eq(m->key, "sandbox"))
			r = read_section(
				b, sandbox_fields, &level->defaults.sandbox, m->key, &m->value);
		else if (str_eq(m->key, "tools"))
			r = bind_fail(
				b, m->line, m->column, "'tools' belongs at the top of the file");
		else
			r = bind_unknown_key(b, m, str_nearest(m->key, name_at, names));
	}
	bind_leave(b);
	return r;
}

static int read_agents(struct bind *b, struct config_level *level, const struct node *node,
	const struct config_wish *wish)
{
	static const char *const names[] = {"defaults", "entries", NULL};
	int r = 0;

	bind_enter(b, "agents");
	if (node->type != NODE_OBJECT)
		return bind_wrong_type(b, node, "an object");
	for (uint32_t i = 0; i < node->count && r == 0; i++) {
		const struct member *m = &node->members[i];

		if (str_eq(m->key, "defaults"))
			r = read_defaults(b, level, &m->value);
		else if (str_eq(m->key, "entries"))
			r = read_sections(b, m->key, &m->value, wish, &level->entries);
		else
			r = bind_unknown_key(b, m, str_nearest(m->key, name_at, names));
	}
	bind_leave(b);
	return r;
}

static const char *top_key(size_t i, const void *ctx)
{
	static const char *const own[] = {"agents", "profiles", "tools"};

	(void)ctx;
	return i < ARRAY_LEN(own) ? own[i] : global_fields[i - ARRAY_LEN(own)].name;
}

static int read_top(struct bind *b, struct config_level *level, const struct member *m,
	const struct config_wish *wish)
{
	if (str_eq(m->key, "agents"))
		return read_agents(b, level, &m->value, wish);
	if (str_eq(m->key, "profiles"))
		return read_sections(b, m->key, &m->value, wish, &level->profiles);
	if (str_eq(m->key, "tools"))
		return read_section(b, tools_fields, &level->defaults.tools, m->key, &m->value);
	if (str_eq(m->key, "$schema")) /* for editors */
		return m->value.type == NODE_TEXT ? 0 : bind_wrong_type(b, &m->value, "a text");
	if (field_find(global_fields, m->key))
		return bind_member(b, global_fields, &level->globals, m);
	return bind_unknown_key(b, m, str_nearest(m->key, top_key, NULL));
}

static int read_document(struct bind *b, struct config_level *level, const struct node *root,
	const struct config_wish *wish)
{
	int r = 0;

	if (root->type != NODE_OBJECT)
		return bind_wrong_type(b, root, "an object");
	for (uint32_t i = 0; i < root->count && r == 0; i++)
		r = read_top(b, level, &root->members[i], wish);
	return r;
}

/* A level gets its source with the first text that is read for it. */
static const struct source *set_source(struct config *c, enum level level, const char *name)
{
	struct source *source = arena_alloc(&c->arena, sizeof *source);

	*source = (struct source){.name = name, .level = level};
	c->levels[level].source = source;
	return source;
}

int config_read(struct config *c, enum level level, const char *name, const char *text, size_t len,
	const struct config_wish *wish, struct err *e)
{
	struct bind b = {
		.arena = &c->arena,
		.source = set_source(c, level, name),
		.take_unsupported = wish->take_unsupported,
		.e = e,
	};
	struct node root;
	int r = json5_parse(&c->arena, name, text, len, &root, e);

	config_add_text(c, level, text, len);
	return r < 0 ? r : read_document(&b, &c->levels[level], &root, wish);
}

/* The value of an assignment as a node; texts that are JSON5 are parsed, words and numbers taken as
 * they are. */
static int parse_value(struct arena *a, const char *text, struct node *ret, struct err *e)
{
	if (*text && strchr("[{\"'", *text))
		return json5_parse(a, "command line", text, strlen(text), ret, e);
	if (str_eq(text, "true") || str_eq(text, "false"))
		*ret = (struct node){.type = NODE_BOOL, .boolean = *text == 't'};
	else
		*ret = (struct node){.type = NODE_TEXT, .text = text};
	return 0;
}

/* a.b.c=v as the tree {a: {b: {c: v}}}, so that it is read exactly like a file. */
static const struct node *nest(struct arena *a, char *path, const struct node *value)
{
	char *dot;

	while ((dot = strrchr(path, '.')) != NULL) {
		struct member *m = arena_alloc(a, sizeof *m);
		struct node *n = arena_alloc(a, sizeof *n);

		*dot = '\0';
		*m = (struct member){.key = dot + 1, .value = *value};
		*n = (struct node){.type = NODE_OBJECT, .count = 1, .members = m};
		value = n;
	}
	return value;
}

static bool is_top(const char *key)
{
	for (size_t i = 0; top_key(i, NULL); i++)
		if (str_eq(top_key(i, NULL), key))
			return true;
	return false;
}

/* The row that a whole path names, if it is one of a section. */
static const struct field *find_row(const char *path)
{
	static const char *const sections[] = {"agents.entries.", "profiles."};
	const char *dot;

	if (str_starts(path, "agents.defaults."))
		path += strlen("agents.defaults.");
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (str_starts(path, sections[i])) {
			dot = strchr(path + strlen(sections[i]), '.');
			path = dot ? dot + 1 : "";
		}
	return field_find_path(settings_fields, path, NULL);
}

/* A single value where a list is wanted counts as a list of one. */
static void as_list(struct arena *a, const char *path, struct node *value)
{
	const struct field *f = field_find_path(sandbox_fields, path, NULL);
	struct node *item;

	if (!f)
		f = find_row(path);
	if (!f || f->type != FIELD_LIST || value->type != NODE_TEXT)
		return;
	item = arena_alloc(a, sizeof *item);
	*item = *value;
	*value = (struct node){.type = NODE_ARRAY, .count = 1, .items = item};
}

static struct sections join(
	struct arena *a, const struct sections *first, const struct sections *second)
{
	size_t count = first->count + second->count;
	struct section *items = arena_array(a, count, sizeof *items);

	for (size_t i = 0; i < count; i++)
		items[i] = i < first->count ? first->items[i] : second->items[i - first->count];
	return (struct sections){items, count};
}

/* One assignment after the other is like one level over the other: denials and binds add up. */
static void add_level(struct arena *a, struct config_level *io, const struct config_level *more)
{
	merge_settings(a, &io->defaults, &more->defaults);
	merge_settings(a, &io->override, &more->override);
	merge_fields(a, global_fields, &io->globals, &more->globals);
	io->entries = join(a, &io->entries, &more->entries);
	io->profiles = join(a, &io->profiles, &more->profiles);
}

static int bad_assignment(const char *assignment, const char *why, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(120);

	escape_text(&shown, assignment);
	return err_set(
		e, EINVAL, "--set '%s%s': %s", buf_text(&shown), shown.dropped ? "..." : "", why);
}

#define SANDBOX "sandbox."

int config_set(
	struct config *c, const char *assignment, const struct config_wish *wish, struct err *e)
{
	struct config_level *level = &c->levels[LEVEL_CALLER], more = {0};
	const char *equals = strchr(assignment, '=');
	struct bind b = {
		.arena = &c->arena,
		.take_unsupported = wish->take_unsupported,
		.words = true,
		.e = e,
	};
	struct member top = {0};
	struct node value;
	char *path;
	int r;

	if (!equals || equals == assignment)
		return bad_assignment(assignment, "write key=value, for example network=none", e);
	if (!utf8_valid(assignment, strlen(assignment)))
		return bad_assignment(assignment, "not UTF-8", e);
	/* A copy: the words of a command line are overwritten in a sandbox's first process. */
	assignment = arena_text(&c->arena, assignment, strlen(assignment));
	config_add_text(c, LEVEL_CALLER, assignment, strlen(assignment));
	equals = strchr(assignment, '=');
	b.source = level->source ? level->source : set_source(c, LEVEL_CALLER, "command line");
	/* 'config show' prints these keys with the section that a file writes them in. */
	if (str_starts(assignment, SANDBOX))
		assignment += strlen(SANDBOX);
	path = arena_text(&c->arena, assignment, (size_t)(equals - assignment));
	r = parse_value(&c->arena, equals + 1, &value, e);
	if (r < 0)
		return err_ctx(e, r, "--set");
	as_list(&c->arena, path, &value);
	/* nest() cuts the path at its first dot: what is left names the top. */
	top.value = *nest(&c->arena, path, &value);
	top.key = path;
	if (is_top(path))
		r = read_top(&b, &more, &top, wish);
	else
		r = bind_member(&b, sandbox_fields, &more.override.sandbox, &top);
	if (r < 0)
		return err_ctx(e, r, "--set");
	add_level(&c->arena, level, &more);
	return 0;
}
