/* SPDX-License-Identifier: Apache-2.0 */
#include "json/machine_json.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "base/number.h"
#include "base/str.h"
#include "json/json5.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The keys of doctor's report besides "machine": tells them from typing errors. */
static const char *const report_keys[] = {
	"complete", "trial", "layers", "missing", "warnings", NULL};

enum row_type {
	ROW_BOOL,
	ROW_UNSIGNED,
	ROW_BYTES,
	ROW_TEXT,
	ROW_KERNEL, /* a text that is taken apart */
	ROW_DATE,   /* YYYYMMDD, written with dashes */
	ROW_LAYOUT,
	ROW_REASON,
	ROW_SETTING, /* a number, or null */
};

/* One value: the object it lies in (section, sub; NULL = further out), its key, its place in the
 * struct. */
struct row {
	const char *section;
	const char *sub;
	const char *name;
	enum row_type type;
	size_t offset;
	size_t size; /* of a text */
};

#define AT(member, kind) offsetof(struct machine, member) + MEMBER_IS(struct machine, member, kind)
#define TEXT_AT(member, kind) \
	kind, offsetof(struct machine, member), sizeof(((struct machine *)0)->member)

static const struct row fixed_rows[] = {
	{NULL, NULL, "kernel", TEXT_AT(kernel, ROW_KERNEL)},
	{NULL, NULL, "architecture", TEXT_AT(arch, ROW_TEXT)},
	{NULL, NULL, "distribution", TEXT_AT(distribution, ROW_TEXT)},
	{NULL, NULL, "distributionVersion", TEXT_AT(distribution_version, ROW_TEXT)},
	{NULL, NULL, "container", TEXT_AT(container, ROW_TEXT)},
	{NULL, NULL, "date", ROW_DATE, AT(date, unsigned), 0},
	{NULL, NULL, "tried", ROW_BOOL, AT(tried, bool), 0},
	{NULL, NULL, "root", ROW_BOOL, AT(root, bool), 0},
	{NULL, NULL, "apparmor", ROW_BOOL, AT(apparmor, bool), 0},
	{NULL, NULL, "cpus", ROW_UNSIGNED, AT(cpus, unsigned), 0},
	{NULL, NULL, "memory", ROW_BYTES, AT(memory, uint64_t), 0},
	{NULL, NULL, "landlockAbi", ROW_UNSIGNED, AT(landlock_abi, unsigned), 0},
	{"cgroup", NULL, "layout", ROW_LAYOUT, AT(cgroup, enum cgroup_layout), 0},
	{"cgroup", NULL, "memory", ROW_UNSIGNED, AT(cgroup_memory, unsigned), 0},
	{"cgroup", NULL, "cpu", ROW_UNSIGNED, AT(cgroup_cpu, unsigned), 0},
	{"cgroup", NULL, "pids", ROW_UNSIGNED, AT(cgroup_pids, unsigned), 0},
};

static const struct row engine_parts[] = {
	{"engines", NULL, "path", ROW_TEXT, offsetof(struct machine_engine, path), MACHINE_PATH},
	{"engines", NULL, "version", ROW_TEXT, offsetof(struct machine_engine, version),
		ENGINE_VERSION_TEXT},
	{"engines", NULL, "reachable", ROW_BOOL, offsetof(struct machine_engine, reachable), 0},
};

/* All rows in the order of the text: the fixed ones, then those that come from tables of the model.
 */
static bool row_at(size_t i, struct row *ret)
{
	if (i < ARRAY_LEN(fixed_rows)) {
		*ret = fixed_rows[i];
		return true;
	}
	i -= ARRAY_LEN(fixed_rows);
	if (i < FACILITY_COUNT) {
		*ret = (struct row){"facilities", NULL, facility_rows[i].key, ROW_REASON,
			offsetof(struct machine, facility) + i * sizeof(enum reason), 0};
		return true;
	}
	i -= FACILITY_COUNT;
	if (i < SETTING_COUNT) {
		*ret = (struct row){"settings", NULL, setting_rows[i].key, ROW_SETTING,
			offsetof(struct machine, setting) + i * sizeof(int64_t), 0};
		return true;
	}
	i -= SETTING_COUNT;
	if (i >= ENGINE_COUNT * ARRAY_LEN(engine_parts))
		return false;
	*ret = engine_parts[i % ARRAY_LEN(engine_parts)];
	i /= ARRAY_LEN(engine_parts);
	ret->sub = engine_rows[i].name;
	ret->offset += offsetof(struct machine, engine) + i * sizeof(struct machine_engine);
	return true;
}

static void date_text(unsigned date, char out[16])
{
	snprintf(out, 16, "%04u-%02u-%02u", date / 10000 % 10000, date / 100 % 100, date % 100);
}

static void write_row(struct writer *w, const struct row *row, const struct machine *m)
{
	const void *at = (const char *)m + row->offset;
	char date[16];

	switch (row->type) {
	case ROW_BOOL:
		write_bool(w, row->name, *(const bool *)at);
		break;
	case ROW_UNSIGNED:
		write_unsigned(w, row->name, *(const unsigned *)at);
		break;
	case ROW_BYTES:
		write_unsigned(w, row->name, *(const uint64_t *)at);
		break;
	case ROW_TEXT:
	case ROW_KERNEL:
		write_text(w, row->name, at);
		break;
	case ROW_DATE:
		date_text(*(const unsigned *)at, date);
		write_text(w, row->name, date);
		break;
	case ROW_LAYOUT:
		write_text(w, row->name, cgroup_layout_names[*(const enum cgroup_layout *)at]);
		break;
	case ROW_REASON:
		write_text(w, row->name, reason_names[*(const enum reason *)at]);
		break;
	case ROW_SETTING:
		if (*(const int64_t *)at == MACHINE_NO_SETTING)
			write_text(w, row->name, NULL);
		else
			write_number(w, row->name, *(const int64_t *)at);
		break;
	}
}

/* Closes the objects that the next row does not lie in, opens those that it does. */
static void move_to(struct writer *w, const char **section, const char **sub, const struct row *row)
{
	bool other = !str_eq(*section, row->section);

	if (*sub && (other || !str_eq(*sub, row->sub)))
		write_end_object(w);
	if (*section && other)
		write_end_object(w);
	if (row->section && other)
		write_object(w, row->section);
	if (row->sub && (other || !str_eq(*sub, row->sub)))
		write_object(w, row->sub);
	*section = row->section;
	*sub = row->sub;
}

static bool is_absent_engine(const struct machine *m, const struct row *row)
{
	for (enum engine e = 0; row->sub && e < ENGINE_COUNT; e++)
		if (str_eq(row->sub, engine_rows[e].name))
			return !m->engine[e].path[0];
	return false;
}

void machine_json_write(struct writer *w, const char *key, const struct machine *m)
{
	const char *section = NULL, *sub = NULL;
	struct row row, outside = {0};

	write_object(w, key);
	for (size_t i = 0; row_at(i, &row); i++) {
		if (is_absent_engine(m, &row))
			continue;
		move_to(w, &section, &sub, &row);
		write_row(w, &row, m);
	}
	move_to(w, &section, &sub, &outside);
	write_end_object(w);
}

/* A text being read: what is read into, and where, for errors. */
struct reading {
	const char *name;
	struct machine *machine;
	const char *section;
	const char *sub;
	struct err *e;
};

printf_like(5, 6) static int fail(const struct reading *r, uint32_t line, uint32_t column,
	const char *key, const char *fmt, ...)
{
	auto_(buf_free) struct buf path = BUF(120), file = BUF(120);
	char text[200];
	va_list ap;

	escape_text(&file, r->name);
	if (r->section)
		buf_printf(&path, "%s.", r->section);
	if (r->sub)
		buf_printf(&path, "%s.", r->sub);
	escape_text(&path, key);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(r->e, EINVAL, "%s:%u:%u: %s: %s", buf_text(&file), line, column,
		buf_text(&path), text);
}

static int fail_at(const struct reading *r, const struct member *m, const char *what)
{
	return fail(r, m->line, m->column, m->key, "%s", what);
}

/* The keys of the object that is read now; the same one may come several times. */
static const char *key_at(size_t i, const void *ctx)
{
	const struct reading *r = ctx;
	struct row row;

	for (size_t n = 0; row_at(n, &row); n++) {
		const char *key = NULL;

		if (str_eq(row.section, r->section) && str_eq(row.sub, r->sub))
			key = row.name;
		else if (!r->section && row.section)
			key = row.section;
		else if (!r->sub && row.sub && str_eq(row.section, r->section))
			key = row.sub;
		if (key && !i--)
			return key;
	}
	return NULL;
}

static int unknown_key(const struct reading *r, const struct member *m)
{
	const char *near = str_nearest(m->key, key_at, r);

	if (near)
		return fail(r, m->line, m->column, m->key, "unknown key: did you mean '%s'?", near);
	return fail_at(r, m, "unknown key");
}

static int read_number(const struct reading *r, const struct member *m, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	if (m->value.type != NODE_NUMBER || m->value.text[strspn(m->value.text, "0123456789")] ||
		number_count(m->value.text, &value, NULL) < 0 || value > max)
		return fail_at(r, m, "must be a whole number, and not too large");
	*ret = value;
	return 0;
}

static int read_text(const struct reading *r, const struct member *m, char *out, size_t size)
{
	if (m->value.type != NODE_TEXT)
		return fail_at(r, m, "must be a text");
	if (strlen(m->value.text) >= size)
		return fail(r, m->line, m->column, m->key, "is longer than %zu bytes", size - 1);
	memcpy(out, m->value.text, strlen(m->value.text) + 1);
	return 0;
}

/* The index of a word in a list of names. */
static int read_word(
	const struct reading *r, const struct member *m, const char *const *names, unsigned *ret)
{
	auto_(buf_free) struct buf all = BUF(180);

	for (unsigned i = 0; names[i]; i++) {
		if (m->value.type == NODE_TEXT && str_eq(m->value.text, names[i])) {
			*ret = i;
			return 0;
		}
		buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	}
	return fail(r, m->line, m->column, m->key, "must be one of %s", buf_text(&all));
}

static int read_date(const struct reading *r, const struct member *m, unsigned *ret)
{
	static const char shape[] = "0000-00-00";
	const char *text = m->value.type == NODE_TEXT ? m->value.text : "";
	unsigned date = 0;

	for (size_t i = 0; i < sizeof(shape); i++) {
		bool digit = text[i] >= '0' && text[i] <= '9';

		if (shape[i] == '0' ? !digit : text[i] != shape[i])
			return fail_at(r, m, "must be a date like 2025-11-15");
		if (digit)
			date = date * 10 + (unsigned)(text[i] - '0');
	}
	*ret = date;
	return 0;
}

static int read_bool(const struct reading *r, const struct member *m, bool *ret)
{
	if (m->value.type != NODE_BOOL)
		return fail_at(r, m, "must be true or false");
	*ret = m->value.boolean;
	return 0;
}

static int read_kernel(const struct reading *r, const struct member *m)
{
	char text[MACHINE_TEXT];
	int result = read_text(r, m, text, sizeof(text));

	if (result == 0 && !machine_set_kernel(r->machine, text))
		return fail_at(r, m, "must start with a version like 6.1");
	return result;
}

/* Numbers of all three types, into the member's own. */
static int read_numeric(const struct reading *r, const struct member *m, const struct row *row)
{
	static const uint64_t limits[] = {
		[ROW_UNSIGNED] = UINT32_MAX, [ROW_BYTES] = UINT64_MAX, [ROW_SETTING] = INT64_MAX};
	void *at = (char *)r->machine + row->offset;
	uint64_t value = 0;
	int result;

	if (row->type == ROW_SETTING && m->value.type == NODE_NULL) {
		*(int64_t *)at = MACHINE_NO_SETTING;
		return 0;
	}
	result = read_number(r, m, limits[row->type], &value);
	if (result < 0)
		return result;
	if (row->type == ROW_UNSIGNED)
		*(unsigned *)at = (unsigned)value;
	else if (row->type == ROW_BYTES)
		*(uint64_t *)at = value;
	else
		*(int64_t *)at = (int64_t)value;
	return 0;
}

static int read_row(const struct reading *r, const struct member *m, const struct row *row)
{
	void *at = (char *)r->machine + row->offset;
	unsigned word = 0;
	int result = 0;

	switch (row->type) {
	case ROW_BOOL:
		return read_bool(r, m, at);
	case ROW_UNSIGNED:
	case ROW_BYTES:
	case ROW_SETTING:
		return read_numeric(r, m, row);
	case ROW_TEXT:
		return read_text(r, m, at, row->size);
	case ROW_KERNEL:
		return read_kernel(r, m);
	case ROW_DATE:
		return read_date(r, m, at);
	case ROW_LAYOUT:
		result = read_word(r, m, cgroup_layout_names, &word);
		if (result == 0)
			*(enum cgroup_layout *)at = word;
		break;
	case ROW_REASON:
		result = read_word(r, m, reason_names, &word);
		if (result == 0)
			*(enum reason *)at = word;
		break;
	}
	return result;
}

static int read_object(const struct reading *r, const struct node *node);

/* One member: a value of this object, or an object in it. */
static int read_member(const struct reading *r, const struct member *m)
{
	struct reading inner = *r;
	struct row row;

	for (size_t i = 0; row_at(i, &row); i++) {
		if (str_eq(row.section, r->section) && str_eq(row.sub, r->sub) &&
			str_eq(row.name, m->key))
			return read_row(r, m, &row);
		if (!r->section && row.section && str_eq(row.section, m->key))
			inner.section = row.section;
		else if (r->section && !r->sub && row.sub && str_eq(row.section, r->section) &&
			 str_eq(row.sub, m->key))
			inner.sub = row.sub;
		else
			continue;
		if (m->value.type != NODE_OBJECT)
			return fail_at(r, m, "must be an object");
		return read_object(&inner, &m->value);
	}
	return unknown_key(r, m);
}

static int read_object(const struct reading *r, const struct node *node)
{
	for (uint32_t i = 0; i < node->count; i++) {
		int result = read_member(r, &node->members[i]);

		if (result < 0)
			return result;
	}
	return 0;
}

/* The machine inside doctor's report; the document itself otherwise. NULL: neither, and the error
 * says so. */
static const struct node *find_machine(const struct reading *r, const struct node *document)
{
	const struct node *machine = tree_get(document, "machine");

	for (uint32_t i = 0; machine && i < document->count; i++) {
		const struct member *m = &document->members[i];

		if (str_eq(m->key, "machine") || str_in(m->key, report_keys))
			continue;
		fail_at(r, m, "unknown key");
		return NULL;
	}
	if (!machine)
		machine = document;
	if (machine->type == NODE_OBJECT)
		return machine;
	fail(r, machine->line, machine->column, "machine", "must be an object");
	return NULL;
}

int machine_json_read(
	const char *name, const char *text, size_t len, struct machine *ret, struct err *e)
{
	auto_(arena_free) struct arena arena = {0};
	struct machine m;
	struct reading r = {.name = name, .machine = &m, .e = e};
	const struct node *node;
	struct node document;
	int result = json5_parse(&arena, name, text, len, &document, e);

	if (result < 0)
		return result;
	machine_init(&m);
	node = find_machine(&r, &document);
	if (!node)
		return -EINVAL;
	result = read_object(&r, node);
	if (result < 0)
		return result;
	if (!m.kernel[0])
		return fail(&r, node->line, node->column, "kernel", "is missing");
	*ret = m;
	return 0;
}
