/* SPDX-License-Identifier: Apache-2.0 */
#include "base/field.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const size_t value_sizes[FIELD_TYPES] = {
	[FIELD_BOOL] = sizeof(struct opt_bool),
	[FIELD_ENUM] = sizeof(struct opt_enum),
	[FIELD_COUNT] = sizeof(struct opt_number),
	[FIELD_SIZE] = sizeof(struct opt_number),
	[FIELD_DURATION] = sizeof(struct opt_number),
	[FIELD_CPUS] = sizeof(struct opt_number),
	[FIELD_RATE] = sizeof(struct opt_rate),
	[FIELD_TEXT] = sizeof(struct opt_text),
	[FIELD_LIST] = sizeof(struct opt_list),
	[FIELD_MAP] = sizeof(struct opt_map),
	[FIELD_LISTMAP] = sizeof(struct opt_map),
	[FIELD_SPECIAL] = sizeof(struct opt_special),
};

/* field_where() reads any value through its first member. */
#define STARTS_WITH_WHERE(type) \
	_Static_assert(offsetof(type, at) == MEMBER_IS(type, at, struct where), #type)
STARTS_WITH_WHERE(struct opt_bool);
STARTS_WITH_WHERE(struct opt_enum);
STARTS_WITH_WHERE(struct opt_number);
STARTS_WITH_WHERE(struct opt_rate);
STARTS_WITH_WHERE(struct opt_text);
STARTS_WITH_WHERE(struct opt_list);
STARTS_WITH_WHERE(struct opt_map);
STARTS_WITH_WHERE(struct opt_special);

size_t field_value_size(enum field_type type)
{
	return (size_t)type < FIELD_TYPES ? value_sizes[type] : 0;
}

/* Inline, because a large configuration asks it for every key and every row. */
static inline bool is_named(const char *row, const char *name, size_t len)
{
	size_t i = 0;

	while (i < len && row[i] == name[i])
		i++;
	return i == len && !row[len];
}

/* The row whose name is exactly these len bytes. */
static const struct field *find(const struct field *table, const char *name, size_t len)
{
	for (const struct field *f = table; f->name; f++)
		if (is_named(f->name, name, len))
			return f;
	return NULL;
}

const struct field *field_find(const struct field *table, const char *name)
{
	return find(table, name, strlen(name));
}

const struct field *field_find_path(
	const struct field *table, const char *path, const void **io_base)
{
	const void *base = io_base ? *io_base : NULL;
	const struct field *f = NULL;

	for (const char *name = path; table;) {
		size_t len = strcspn(name, ".");

		f = len ? find(table, name, len) : NULL;
		if (!f)
			return NULL;
		if (!name[len]) {
			if (io_base)
				*io_base = base;
			return f;
		}
		base = base ? field_at(f, base) : NULL;
		table = f->fields;
		name += len + 1;
	}
	return NULL;
}

static const char *name_of_row(size_t i, const void *table)
{
	return ((const struct field *)table)[i].name;
}

const char *field_nearest(const struct field *table, const char *name)
{
	return str_nearest(name, name_of_row, table);
}

int field_number(enum field_type type, const char *text, uint64_t *ret, struct err *e)
{
	if (type == FIELD_SIZE)
		return number_size(text, ret, e);
	if (type == FIELD_DURATION)
		return number_duration(text, ret, e);
	if (type == FIELD_CPUS)
		return number_cpus(text, ret, e);
	return number_count(text, ret, e);
}

/* path holds len bytes so far: the objects that lead here, each with its dot. */
static int each(const struct field *table, const void *base, field_visit *fn, void *ctx, char *path,
	size_t len)
{
	int r = 0;

	for (const struct field *f = table; f->name && r == 0; f++) {
		bool object = f->type == FIELD_OBJECT;
		int add =
			snprintf(path + len, FIELD_PATH - len, "%s%s", f->name, object ? "." : "");

		if ((size_t)add >= FIELD_PATH - len)
			return -ENAMETOOLONG;
		if (object)
			r = each(f->fields, base ? field_at(f, base) : NULL, fn, ctx, path,
				len + (size_t)add);
		else
			r = fn(path, f, base, ctx);
	}
	return r;
}

int field_each(const struct field *table, const void *base, field_visit *fn, void *ctx)
{
	char path[FIELD_PATH] = "";

	return each(table, base, fn, ctx, path, 0);
}
