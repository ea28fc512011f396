/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Every key of the schema with values for it: reads tests/data/tighten.case, writes the texts of
 * files that set one key, and loads them. Used by the tests that are made of all keys.
 */

#include "base/show.h"
#include "base/str.h"
#include "cases.h"
#include "json/config_read.h"
#include "json/schema.h"
#include "model/resolve.h"

#define KEYS_FILE "tests/data/tighten.case"
#define KEYS_MAX 256
#define KEYS_TEXT 1024

struct key_row {
	char key[128];
	char tight[160];
	char loose[160];
	bool fixed, never;
};

struct key_rows {
	struct key_row rows[KEYS_MAX];
	size_t count;
};

static inline void keys_add(char *line, void *ctx)
{
	struct key_rows *all = ctx;
	const char *key = cases_column(&line), *tight = cases_column(&line);
	const char *loose = cases_column(&line), *mark = cases_column(&line);
	struct key_row *row = &all->rows[all->count];

	if (!check(key && tight && loose && !line && all->count < KEYS_MAX))
		return;
	snprintf(row->key, sizeof row->key, "%s", key);
	snprintf(row->tight, sizeof row->tight, "%s", tight);
	snprintf(row->loose, sizeof row->loose, "%s", loose);
	row->fixed = str_eq(mark, "FIXED");
	row->never = str_eq(mark, "NEVER");
	check(!mark || row->fixed || row->never);
	all->count++;
}

static inline bool keys_has(const struct key_rows *all, const char *key)
{
	for (size_t i = 0; i < all->count; i++)
		if (str_eq(all->rows[i].key, key))
			return true;
	return false;
}

static inline int keys_check_one(const char *path, const struct field *f, void *ctx)
{
	(void)f;
	test_check(keys_has(ctx, path), __FILE__, __LINE__, "%s has no row in " KEYS_FILE, path);
	return 0;
}

static inline void keys_read(struct key_rows *all)
{
	all->count = 0;
	cases_read(KEYS_FILE, keys_add, all);
	schema_each(keys_check_one, all);
	check(all->count > 80);
}

/* The path below a section ("sandbox.mode", "tools.deny"); NULL for keys that are in none. */
static inline const char *keys_below(const char *key)
{
	if (str_starts(key, "agents.defaults."))
		return key + strlen("agents.defaults.");
	return str_starts(key, "tools.") ? key : NULL;
}

static inline const struct field *keys_field(const char *key, const void **io_base)
{
	return field_find_path(settings_fields, keys_below(key), io_base);
}

/* The key of one agent, or of a profile: "agents.entries.x.sandbox.mode". */
static inline void keys_of(const char *section, const char *key, char out[KEYS_TEXT])
{
	snprintf(out, KEYS_TEXT, "%s.%s", section, keys_below(key));
}

/* a.b.c and a value: "a: {b: {c: value}}". Names with dots do not occur. */
static inline void keys_nest(struct buf *out, const char *key, const char *value)
{
	size_t depth = 0;

	for (const char *p = key; *p; p++) {
		if (*p != '.') {
			buf_putc(out, *p);
			continue;
		}
		buf_puts(out, ": {");
		depth++;
	}
	buf_printf(out, ": %s", value);
	while (depth-- > 0)
		buf_putc(out, '}');
}

/* A configuration in the making; every level may be given in several texts. */
struct keys_config {
	struct config config;
	struct arena arena;
	struct err e;
	int r; /* the first failure */
};

static inline void keys_begin(struct keys_config *k)
{
	*k = (struct keys_config){0};
	snprintf(k->config.home, sizeof k->config.home, "/home/user");
}

static inline void keys_end(struct keys_config *k)
{
	config_free(&k->config);
	arena_free(&k->arena);
}

static inline void keys_load(struct keys_config *k, enum level level, const char *text)
{
	static const char *const names[LEVEL_COUNT] = {
		"built in", "system.json5", "user.json5", "workspace.json5", "command line"};
	struct config_wish wish = {.all = true, .take_unsupported = true};

	if (k->r == 0)
		k->r = config_read(
			&k->config, level, names[level], text, strlen(text), &wish, &k->e);
}

/* A file that sets this key, and what `more` says beside it ("" is nothing). */
static inline void keys_write(struct keys_config *k, enum level level, const char *key,
	const char *value, const char *more)
{
	auto_(buf_free) struct buf text = BUF(1 << 16);

	buf_putc(&text, '{');
	keys_nest(&text, key, value);
	buf_printf(&text, "%s%s}", *more ? ", " : "", more);
	keys_load(k, level, buf_text(&text));
}

static inline void keys_set(struct keys_config *k, const char *key, const char *value)
{
	struct config_wish wish = {.all = true, .take_unsupported = true};

	if (k->r == 0)
		k->r = config_set(
			&k->config, arena_printf(&k->arena, "%s=%s", key, value), &wish, &k->e);
}

static inline int keys_resolve(struct keys_config *k, const char *agent, struct effective *ret)
{
	if (k->r == 0)
		k->r = config_check(&k->config, &k->e);
	if (k->r == 0)
		k->r = resolve_agent(&k->config, agent, &k->arena, ret, &k->e);
	return k->r;
}

/* How the value reads once it is parsed. */
static inline const char *keys_shown(struct arena *a, const char *key, const char *value)
{
	auto_(buf_free) struct buf text = BUF(1 << 16);
	struct keys_config k;
	const void *base;
	const struct field *f;
	const char *shown = "";

	keys_begin(&k);
	keys_write(&k, LEVEL_USER, key, value, "");
	base = &k.config.levels[LEVEL_USER].defaults;
	f = keys_field(key, &base);
	if (test_check(k.r == 0, __FILE__, __LINE__, "%s: %s", value, k.e.text) &&
		check(f != NULL)) {
		show_value(&text, f, field_at(f, base));
		shown = arena_text(a, buf_text(&text), text.len);
	}
	keys_end(&k);
	return shown;
}

/* The value that holds is the one that was written as `value`. */
static inline void keys_check_value(
	struct keys_config *k, const struct effective *eff, const char *key, const char *value)
{
	auto_(buf_free) struct buf text = BUF(1 << 16);
	const void *base = &eff->s;
	const struct field *f = keys_field(key, &base);

	if (!check(f != NULL))
		return;
	show_value(&text, f, field_at(f, base));
	check_str(buf_text(&text), keys_shown(&k->arena, key, value));
}
