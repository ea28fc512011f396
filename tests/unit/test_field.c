/* SPDX-License-Identifier: Apache-2.0 */
#include "base/field.h"

#include "base/macro.h"
#include "test.h"

#include <errno.h>

/* One member of each type, and objects in objects. */
struct deep {
	struct opt_number size;
	struct opt_text text;
};
struct inner {
	struct opt_bool flag;
	struct deep deep;
	struct opt_list list;
};
struct outer {
	struct opt_enum mode;
	struct inner inner;
	struct opt_number count;
	struct opt_number duration;
	struct opt_number cpus;
	struct opt_rate rate;
	struct opt_map map;
	struct opt_map listmap;
	struct opt_special special;
};

static const char *const mode_names[] = {"off", "on", NULL};

static const struct field deep_fields[] = {
	{"size", F_SIZE(struct deep, size, .zero = true)},
	{"text", F_TEXT(struct deep, text, .help = "a text")},
	{0},
};
static const struct field inner_fields[] = {
	{"flag", F_BOOL(struct inner, flag, .order = ORDER_FALSE)},
	{"deep", F_OBJECT(struct inner, deep, deep_fields, .shorthand = "size")},
	{"list", F_LIST(struct inner, list, .order = ORDER_MORE, .append = true)},
	{0},
};
static const struct field outer_fields[] = {
	{"mode", F_ENUM(struct outer, mode, mode_names, .letter = 'm')},
	{"inner", F_OBJECT(struct outer, inner, inner_fields, .help = "an object")},
	{"count", F_COUNT(struct outer, count, .help = "")},
	{"duration", F_DURATION(struct outer, duration, .help = "")},
	{"cpus", F_CPUS(struct outer, cpus, .help = "")},
	{"rate", F_RATE(struct outer, rate, .help = "")},
	{"map", F_MAP(struct outer, map, .help = "")},
	{"listmap", F_LISTMAP(struct outer, listmap, .help = "")},
	{"special", F_SPECIAL(struct outer, special, .help = "")},
	{0},
};
static const struct field no_fields[] = {{0}};

static void rows_know_their_members(void)
{
	struct outer o = {0};
	const struct field *f = field_find(outer_fields, "cpus");

	check(f && f->type == FIELD_CPUS);
	check(f && field_at(f, &o) == (void *)&o.cpus);
	check(f && field_where(f, &o) == &o.cpus.at);
	check(f && f->offset == offsetof(struct outer, cpus));
	f = field_find(outer_fields, "mode");
	check(f && f->names == mode_names && f->letter == 'm');
}

static void find(void)
{
	static const struct {
		const char *name;
		int row; /* -1: none */
	} rows[] = {
		{"mode", 0},
		{"inner", 1},
		{"map", 6},
		{"listmap", 7},
		{"special", 8},
		{"", -1},
		{"mod", -1},
		{"modes", -1},
		{"Mode", -1},
		{"inner.flag", -1},
		{"x", -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct field *want = rows[i].row < 0 ? NULL : &outer_fields[rows[i].row];

		test_row("'%s'", rows[i].name);
		check(field_find(outer_fields, rows[i].name) == want);
	}
	check(field_find(no_fields, "mode") == NULL);
}

static void find_path(void)
{
	static struct outer o;
	static const struct {
		const char *path;
		const struct field *want;
		const void *base; /* afterwards */
	} rows[] = {
		{"mode", &outer_fields[0], &o},
		{"inner", &outer_fields[1], &o},
		{"inner.flag", &inner_fields[0], &o.inner},
		{"inner.deep", &inner_fields[1], &o.inner},
		{"inner.deep.size", &deep_fields[0], &o.inner.deep},
		{"inner.deep.text", &deep_fields[1], &o.inner.deep},
		{"special", &outer_fields[8], &o},
		{"", NULL, &o},
		{".", NULL, &o},
		{".mode", NULL, &o},
		{"mode.", NULL, &o},
		{"mode.x", NULL, &o},
		{"inner.", NULL, &o},
		{"inner..flag", NULL, &o},
		{"inner.x", NULL, &o},
		{"inner.deep.size.x", NULL, &o},
		{"inner.deep.sizes", NULL, &o},
		{"inne.flag", NULL, &o},
		{"flag", NULL, &o},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const void *base = &o, *none = NULL;

		test_row("'%s'", rows[i].path);
		check(field_find_path(outer_fields, rows[i].path, &base) == rows[i].want);
		check(base == rows[i].base);
		check(field_find_path(outer_fields, rows[i].path, &none) == rows[i].want);
		check(none == NULL);
		check(field_find_path(outer_fields, rows[i].path, NULL) == rows[i].want);
	}
}

static void found_base_reaches_the_value(void)
{
	struct outer o = {.inner.deep.size.v = 42};
	const void *base = &o;
	const struct field *f = field_find_path(outer_fields, "inner.deep.size", &base);

	if (check(f != NULL))
		check_u64(((struct opt_number *)field_at(f, base))->v, 42);
}

static void nearest(void)
{
	check_str(field_nearest(outer_fields, "specail"), "special");
	check_str(field_nearest(outer_fields, "Duraton"), "duration");
	check(field_nearest(outer_fields, "nothing like it") == NULL);
	check(field_nearest(no_fields, "mode") == NULL);
}

static void value_sizes(void)
{
	static const size_t want[FIELD_TYPES] = {
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

	for (int type = FIELD_END; type < FIELD_TYPES; type++) {
		bool has_value = type != FIELD_END && type != FIELD_OBJECT;

		test_row("type %d", type);
		check_u64(field_value_size((enum field_type)type), want[type]);
		check((want[type] != 0) == has_value);
	}
	check_u64(field_value_size(FIELD_TYPES), 0);
}

static void numbers_by_type(void)
{
	static const struct {
		enum field_type type;
		const char *text;
		uint64_t want;
	} rows[] = {
		{FIELD_COUNT, "2k", 2000},
		{FIELD_SIZE, "2k", 2048},
		{FIELD_DURATION, "2", 2000},
		{FIELD_CPUS, "0.5", 500},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t got = 0;

		test_row("%s", rows[i].text);
		check_int(field_number(rows[i].type, rows[i].text, &got, NULL), 0);
		check_u64(got, rows[i].want);
	}
	check_int(field_number(FIELD_CPUS, "2k", &(uint64_t){0}, NULL), -EINVAL);
}

struct visits {
	char paths[512];
	const char *stop_at;
	const void *base_of_size;
	int count;
};

static int visit(const char *path, const struct field *f, const void *base, void *ctx)
{
	struct visits *v = ctx;
	size_t len = strlen(v->paths);

	snprintf(v->paths + len, sizeof(v->paths) - len, "%s ", path);
	v->count++;
	if (strcmp(f->name, "size") == 0)
		v->base_of_size = base;
	return v->stop_at && strcmp(path, v->stop_at) == 0 ? -EBUSY : 0;
}

static void each_visits_leaves_in_order(void)
{
	struct outer o = {0};
	struct visits v = {0};

	check_int(field_each(outer_fields, &o, visit, &v), 0);
	check_str(v.paths,
		"mode inner.flag inner.deep.size inner.deep.text inner.list count duration cpus "
		"rate map listmap special ");
	check(v.base_of_size == &o.inner.deep);
}

static void each_needs_no_base(void)
{
	struct visits v = {.base_of_size = &v};

	check_int(field_each(outer_fields, NULL, visit, &v), 0);
	check_int(v.count, 12);
	check(v.base_of_size == NULL);
	check_int(field_each(no_fields, NULL, visit, &v), 0);
	check_int(v.count, 12);
}

static void each_stops_at_the_first_answer(void)
{
	struct visits v = {.stop_at = "inner.deep.size"};

	check_int(field_each(outer_fields, NULL, visit, &v), -EBUSY);
	check_str(v.paths, "mode inner.flag inner.deep.size ");
}

static void each_refuses_long_paths(void)
{
	char name[FIELD_PATH + 8];
	struct field leaf[] = {{.name = name, .type = FIELD_TEXT}, {0}};
	struct field object[] = {{.name = name, .type = FIELD_OBJECT, .fields = deep_fields}, {0}};
	struct visits v = {0};

	memset(name, 'n', sizeof(name));
	name[FIELD_PATH - 1] = '\0';
	check_int(field_each(leaf, NULL, visit, &v), 0);
	check_int(field_each(object, NULL, visit, &v), -ENAMETOOLONG);
	name[FIELD_PATH - 1] = 'n';
	name[FIELD_PATH] = '\0';
	check_int(field_each(leaf, NULL, visit, &v), -ENAMETOOLONG);
	name[FIELD_PATH - 6] = '\0'; /* room for the dot and "size" */
	check_int(field_each(object, NULL, visit, &v), 0);
	check_int(v.count, 3);
	name[FIELD_PATH - 6] = 'n';
	name[FIELD_PATH - 5] = '\0';
	check_int(field_each(object, NULL, visit, &v), -ENAMETOOLONG);
}

static const struct test tests[] = {
	{"rows know their members", rows_know_their_members},
	{"find", find},
	{"find by path", find_path},
	{"the base found reaches the value", found_base_reaches_the_value},
	{"nearest", nearest},
	{"value sizes", value_sizes},
	{"numbers by type", numbers_by_type},
	{"each visits leaves in order", each_visits_leaves_in_order},
	{"each needs no base", each_needs_no_base},
	{"each stops at the first answer", each_stops_at_the_first_answer},
	{"each refuses long paths", each_refuses_long_paths},
};

TEST_MAIN(tests)
