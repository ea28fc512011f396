/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_put.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/field.h"
#include "base/show.h"
#include "base/str.h"
#include "model/sandbox.h"
#include "model/tools.h"

#include <stdlib.h>
#include <string.h>

static const struct field *find_field(enum import_part part, const char *to)
{
	return field_find_path(part == IMPORT_SANDBOX ? sandbox_fields : tools_fields, to, NULL);
}

int import_put_open(struct import *im, const struct import_at *at, const char *to, char open,
	const char *remark, struct import_entry **ret)
{
	*ret = import_doc_entry(&im->doc, &at->agent->parts[at->part], to, open, remark);
	if (*ret)
		return 0;
	return import_fail(im, at, "another key of this file has set '%s' already", to);
}

struct import_entry *import_put_extend(struct import *im, const struct import_at *at,
	const char *to, char open, const char *remark)
{
	struct import_section *s = &at->agent->parts[at->part];
	struct import_entry *entry = import_doc_find(s, to);

	return entry ? entry : import_doc_entry(&im->doc, s, to, open, remark);
}

int import_put_raw(struct import *im, const struct import_at *at, const char *to, const char *json5,
	const char *remark)
{
	struct import_entry *entry;
	int rc = import_put_open(im, at, to, 0, remark, &entry);

	if (rc == 0)
		import_doc_line(&im->doc, entry, json5, NULL);
	return rc;
}

void import_put_default(struct import *im, struct import_agent *agent, enum import_part part,
	const char *to, const char *json5, const char *remark)
{
	import_doc_value(&im->doc, &agent->parts[part], to, json5, remark);
}

/* Why the key does not take this text; NULL when it does. */
static const char *refusal(struct import *im, const struct field *f, const char *text)
{
	struct err why = {0};

	if (!text[0] && f->type != FIELD_MAP)
		return "empty";
	if (f->check && f->check(text, &why) < 0)
		return arena_printf(&im->arena, "refused: %s", why.text);
	return NULL;
}

void import_put_item(
	struct import *im, const struct import_at *at, struct import_entry *list, const char *text)
{
	const struct field *f = find_field(at->part, list->path);

	import_doc_line(&im->doc, list, import_doc_quote(&im->arena, text), refusal(im, f, text));
}

void import_put_pair(struct import *im, const struct import_at *at, struct import_entry *map,
	const char *key, const char *text)
{
	const struct field *f = find_field(at->part, map->path);
	const char *refused = refusal(im, f, text);
	struct err why = {0};

	if (!key[0])
		refused = "empty";
	else if (f->check_key && f->check_key(key, &why) < 0)
		refused = arena_printf(&im->arena, "refused: %s", why.text);
	import_doc_line(&im->doc, map,
		arena_printf(&im->arena, "%s: %s", import_doc_key(&im->arena, key),
			import_doc_quote(&im->arena, text)),
		refused);
}

/* The home directory that a path lies in, so that its secret folders are recognised. */
static const char *home_of(struct import *im, const char *source)
{
	static const char homes[] = "/home/";

	if (!str_starts(source, homes))
		return NULL;
	return arena_text(
		&im->arena, source, strlen(homes) + strcspn(source + strlen(homes), "/:"));
}

void import_put_bind(struct import *im, struct import_entry *list,
	const struct bindspec_rules *exceptions, const char *text)
{
	struct bindspec_rules rules = *exceptions;
	const char *refused = NULL;
	struct bindspec bind;
	struct err why = {0};

	rules.home = home_of(im, text);
	if (str_starts(text, "~"))
		refused = "whose home this is depends on who runs ward; write it from '/' on";
	else if (bindspec_parse(&im->arena, text, rules.home, &bind, &why) < 0 ||
		 bindspec_source_allowed(bind.source, &rules, &why) < 0)
		refused = arena_printf(&im->arena, "refused: %s", why.text);
	import_doc_line(&im->doc, list, import_doc_quote(&im->arena, text), refused);
}

int import_put_text(struct import *im, const struct import_at *at, const char *to, const char *text,
	const char *remark)
{
	struct import_entry *entry;
	int rc = import_put_open(im, at, to, 0, remark, &entry);

	if (rc == 0)
		import_put_item(im, at, entry, text);
	return rc;
}

/* 1.0 as a count, 5., .5, +1 and 0x10 as plain decimals. */
static const char *plain_number(struct import *im, const char *text)
{
	size_t len;
	char *plain;

	text += *text == '+';
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && strlen(text) <= 18)
		return arena_printf(&im->arena, "%llu", strtoull(text + 2, NULL, 16));
	plain = arena_printf(&im->arena, "%s%s", *text == '.' ? "0" : "", text);
	if (!strchr(plain, '.'))
		return plain;
	len = strlen(plain);
	while (plain[len - 1] == '0')
		plain[--len] = '\0';
	if (plain[len - 1] == '.')
		plain[--len] = '\0';
	return plain;
}

/* Where others write 0 or -1 there is no limit; here there always is one. */
static bool is_unlimited(const struct field *f, const char *text, uint64_t value)
{
	return str_eq(text, "-1") || (value == 0 && !f->zero && !str_starts(text, "-"));
}

static int put_number(struct import *im, const struct import_at *at, const struct field *f,
	const char *to, const char *unit, const char *remark)
{
	auto_(buf_free) struct buf shown = BUF(64);
	struct opt_number number = {0};
	const char *text;
	struct err why = {0};
	int rc;

	if (at->node->type != NODE_NUMBER && at->node->type != NODE_TEXT)
		return import_wrong_type(im, at, "a number");
	text = at->node->text;
	if (at->node->type == NODE_NUMBER)
		text = plain_number(im, text);
	if (at->node->type == NODE_NUMBER && unit)
		text = arena_printf(&im->arena, "%s%s", text, unit);
	rc = field_number(f->type, text, &number.v, &why);
	if (is_unlimited(f, at->node->text, rc < 0 ? 1 : number.v)) {
		import_note(
			im, at, "no limit there; ward always has one, by default %s", f->fallback);
		return 0;
	}
	if (rc < 0)
		return import_fail(im, at, "%s", why.text);
	show_value(&shown, f, &number);
	return import_put_raw(
		im, at, to, arena_text(&im->arena, buf_text(&shown), shown.len), remark);
}

static int put_list(
	struct import *im, const struct import_at *at, const char *to, const char *remark)
{
	struct import_entry *list;
	int rc = import_list(im, at);

	if (rc == 0)
		rc = import_put_open(im, at, to, '[', remark, &list);
	for (uint32_t i = 0; rc == 0 && i < at->node->count; i++) {
		struct import_at item = import_item(im, at, i);
		const char *text;

		rc = import_text(im, &item, &text);
		if (rc == 0)
			import_put_item(im, at, list, text);
	}
	return rc;
}

static int put_bool(
	struct import *im, const struct import_at *at, const char *to, const char *remark)
{
	bool value;
	int rc = import_bool(im, at, &value);

	return rc < 0 ? rc : import_put_raw(im, at, to, value ? "true" : "false", remark);
}

static int put_text(
	struct import *im, const struct import_at *at, const char *to, const char *remark)
{
	const char *text;
	int rc = import_text(im, at, &text);

	return rc < 0 ? rc : import_put_text(im, at, to, text, remark);
}

int import_put(struct import *im, const struct import_at *at, const char *to, const char *unit,
	const char *remark)
{
	const struct field *f = find_field(at->part, to);

	switch (f->type) {
	case FIELD_COUNT:
	case FIELD_SIZE:
	case FIELD_DURATION:
	case FIELD_CPUS:
		return put_number(im, at, f, to, unit, remark);
	case FIELD_LIST:
		return put_list(im, at, to, remark);
	case FIELD_BOOL:
	case FIELD_SPECIAL: /* persistCaches, the only one that a foreign key goes to */
		return put_bool(im, at, to, remark);
	case FIELD_TEXT:
	case FIELD_ENUM:
		return put_text(im, at, to, remark);
	case FIELD_RATE:
	case FIELD_MAP:
	case FIELD_LISTMAP:
	case FIELD_OBJECT:
	case FIELD_END:
	case FIELD_TYPES:
		break;
	}
	return import_fail(im, at, "no value of this kind can be imported as '%s'", to);
}

int import_put_workspace_place(struct import *im, const struct import_at *at)
{
	const char *path;
	int rc = import_text(im, at, &path);

	if (rc == 0)
		import_note(im, at, "%s",
			str_eq(path, "/workspace") ? "where ward shows the workspace anyway"
						   : "ward shows the workspace at /workspace");
	return rc;
}
