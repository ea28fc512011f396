/* SPDX-License-Identifier: Apache-2.0 */
#include "json/schema.h"

#include "base/str.h"
#include "json/bind.h"
#include "json/write.h"
#include "model/config.h"

#include <stdio.h>

const char *const schema_support_names[] = {
	[SUPPORT_NONE] = "not yet supported",
	[SUPPORT_EXPLAIN] = "explained, not yet enforced",
	[SUPPORT_FULL] = "takes effect",
};

static void write_table(struct writer *w, const struct field *table);

static void write_type(struct writer *w, const char *type)
{
	write_text(w, "type", type);
}

/* A fraction needs a unit to be a fraction of. */
#define COUNT "([0-9]+|[0-9]+(\\.[0-9]+)?[kKmMgG])"
#define SIZE "([0-9]+|[0-9]+(\\.[0-9]+)?[kKmMgGtT]i?[bB]?)"
#define DURATION "[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?"
#define CPUS "[0-9]+(\\.[0-9]{1,3})?"
#define RATE COUNT "/(s|sec|m|min|h|hour)"

/* Numbers with units may be written as a number or as a text. */
static void write_number_type(struct writer *w, const struct field *f)
{
	static const char *const whole[] = {"integer", "string", NULL};
	static const char *const any[] = {"number", "string", NULL};
	static const char *const patterns[FIELD_TYPES] = {
		[FIELD_COUNT] = "^" COUNT "$",
		[FIELD_SIZE] = "^" SIZE "$",
		[FIELD_DURATION] = "^" DURATION "$",
		[FIELD_CPUS] = "^" CPUS "$",
	};

	write_texts(w, "type", f->type == FIELD_COUNT || f->type == FIELD_SIZE ? whole : any);
	write_unsigned(w, f->zero ? "minimum" : "exclusiveMinimum", 0);
	write_text(w, "pattern", patterns[f->type]);
}

static void write_text_type(struct writer *w)
{
	write_type(w, "string");
	write_unsigned(w, "minLength", 1);
}

static void write_list_type(struct writer *w)
{
	write_type(w, "array");
	write_unsigned(w, "maxItems", BIND_MAX_ITEMS);
	write_object(w, "items");
	write_text_type(w);
	write_end_object(w);
}

static void write_map_type(struct writer *w, bool lists)
{
	write_type(w, "object");
	write_unsigned(w, "maxProperties", BIND_MAX_ITEMS);
	write_object(w, "additionalProperties");
	if (lists)
		write_list_type(w);
	else
		write_type(w, "string");
	write_end_object(w);
}

static void write_rules(struct writer *w)
{
	static const char *const required[] = {"pattern", NULL};

	write_type(w, "array");
	write_unsigned(w, "maxItems", BIND_MAX_ITEMS);
	write_object(w, "items");
	write_texts(w, "required", required);
	write_table(w, rule_fields);
	write_end_object(w);
}

static void write_budget(struct writer *w)
{
	write_type(w, "object");
	write_unsigned(w, "maxProperties", BIND_MAX_ITEMS);
	write_object(w, "additionalProperties");
	write_table(w, budget_fields);
	write_end_object(w);
}

static void write_caches(struct writer *w)
{
	write_list(w, "anyOf");
	write_object(w, NULL);
	write_type(w, "boolean");
	write_end_object(w);
	write_object(w, NULL);
	write_list_type(w);
	write_end_object(w);
	write_end_list(w);
}

/* The shapes that json/bind_special.c reads. */
static void write_special(struct writer *w, const struct field *f)
{
	static const struct {
		const char *name;
		void (*write)(struct writer *w);
	} shapes[] = {
		{"rules", write_rules}, {"budget", write_budget}, {"persistCaches", write_caches}};

	for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
		if (str_eq(shapes[i].name, f->name))
			shapes[i].write(w);
}

static void write_field_type(struct writer *w, const struct field *f)
{
	switch (f->type) {
	case FIELD_BOOL:
		write_type(w, "boolean");
		break;
	case FIELD_ENUM:
		write_texts(w, "enum", f->names);
		break;
	case FIELD_COUNT:
	case FIELD_SIZE:
	case FIELD_DURATION:
	case FIELD_CPUS:
		write_number_type(w, f);
		break;
	case FIELD_RATE:
		write_type(w, "string");
		write_text(w, "pattern", "^" RATE "$");
		break;
	case FIELD_TEXT:
		write_text_type(w);
		break;
	case FIELD_LIST:
		write_list_type(w);
		break;
	case FIELD_MAP:
	case FIELD_LISTMAP:
		write_map_type(w, f->type == FIELD_LISTMAP);
		break;
	case FIELD_SPECIAL:
		write_special(w, f);
		break;
	case FIELD_OBJECT:
		write_table(w, f->fields);
		break;
	case FIELD_END:
	case FIELD_TYPES:
		break;
	}
}

static void describe(struct writer *w, const struct field *f)
{
	char text[400];
	bool later = f->type != FIELD_OBJECT && f->support == SUPPORT_NONE;

	snprintf(text, sizeof text, "%s%s%s%s%s", f->help, f->fallback ? " (default: " : "",
		f->fallback ? f->fallback : "", f->fallback ? ")" : "",
		later ? "; not yet supported" : "");
	write_text(w, "description", text);
}

static void write_field(struct writer *w, const struct field *f)
{
	const struct field *meant = NULL;

	write_object(w, f->name);
	describe(w, f);
	if (f->shorthand)
		meant = field_find(f->fields, f->shorthand);
	if (!meant) {
		write_field_type(w, f);
		write_end_object(w);
		return;
	}
	write_list(w, "anyOf");
	write_object(w, NULL);
	write_field_type(w, meant);
	write_end_object(w);
	write_object(w, NULL);
	write_field_type(w, f);
	write_end_object(w);
	write_end_list(w);
	write_end_object(w);
}

static void write_properties(struct writer *w, const struct field *table)
{
	for (; table->name; table++)
		write_field(w, table);
}

static void write_table(struct writer *w, const struct field *table)
{
	write_type(w, "object");
	write_bool(w, "additionalProperties", false);
	write_object(w, "properties");
	write_properties(w, table);
	write_end_object(w);
}

static void write_reference(struct writer *w, const char *key, const char *to)
{
	write_object(w, key);
	write_text(w, "$ref", to);
	write_end_object(w);
}

static void write_sections(struct writer *w, const char *key, const char *description)
{
	write_object(w, key);
	write_text(w, "description", description);
	write_type(w, "object");
	write_unsigned(w, "maxProperties", CONFIG_MAX_SECTIONS);
	write_object(w, "propertyNames");
	write_text(w, "pattern", "^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,62}[A-Za-z0-9_-])?$");
	write_end_object(w);
	write_reference(w, "additionalProperties", "#/$defs/section");
	write_end_object(w);
}

static void write_agents(struct writer *w)
{
	write_object(w, "agents");
	write_type(w, "object");
	write_bool(w, "additionalProperties", false);
	write_object(w, "properties");
	write_object(w, "defaults");
	write_type(w, "object");
	write_bool(w, "additionalProperties", false);
	write_object(w, "properties");
	write_reference(w, "sandbox", "#/$defs/sandbox");
	write_end_object(w);
	write_end_object(w);
	write_sections(w, "entries", "what holds for one agent, by its name");
	write_end_object(w);
	write_end_object(w);
}

static void write_definition(struct writer *w, const char *name, const struct field *table)
{
	write_object(w, name);
	write_table(w, table);
	write_end_object(w);
}

static void write_definitions(struct writer *w)
{
	write_object(w, "$defs");
	write_definition(w, "sandbox", sandbox_fields);
	write_definition(w, "tools", tools_fields);
	write_object(w, "section");
	write_type(w, "object");
	write_bool(w, "additionalProperties", false);
	write_object(w, "properties");
	write_reference(w, "sandbox", "#/$defs/sandbox");
	write_reference(w, "tools", "#/$defs/tools");
	write_end_object(w);
	write_end_object(w);
	write_end_object(w);
}

void schema_write(struct buf *out)
{
	struct writer w = WRITER(out);

	write_object(&w, NULL);
	write_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
	write_text(&w, "title", "ward.json5");
	write_type(&w, "object");
	write_bool(&w, "additionalProperties", false);
	write_object(&w, "properties");
	write_object(&w, "$schema");
	write_type(&w, "string");
	write_end_object(&w);
	write_agents(&w);
	write_sections(&w, "profiles", "sets to start from, by name");
	write_reference(&w, "tools", "#/$defs/tools");
	write_properties(&w, global_fields);
	write_end_object(&w);
	write_definitions(&w);
	write_end_object(&w);
}

struct walk {
	const char *prefix;
	schema_visit *fn;
	void *ctx;
};

static int visit(const char *path, const struct field *f, const void *base, void *ctx)
{
	const struct walk *walk = ctx;
	char whole[FIELD_PATH + 32];

	(void)base;
	snprintf(whole, sizeof whole, "%s%s", walk->prefix, path);
	return walk->fn(whole, f, walk->ctx);
}

int schema_each(schema_visit *fn, void *ctx)
{
	const struct {
		const char *prefix;
		const struct field *table;
	} parts[] = {
		{"agents.defaults.sandbox.", sandbox_fields},
		{"tools.", tools_fields},
		{"", global_fields},
	};
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(parts) && r == 0; i++) {
		struct walk walk = {parts[i].prefix, fn, ctx};

		r = field_each(parts[i].table, NULL, visit, &walk);
	}
	return r;
}
