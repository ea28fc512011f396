/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "json/config_read.h"
#include "json/import_systems.h"
#include "json/import_words.h"
#include "json/import_write.h"
#include "json/json5.h"
#include "json/toml.h"

#include <errno.h>
#include <string.h>

/* COMMAND: a command line, or JSON5 when it starts with a brace. */
enum form { FORM_JSON5, FORM_TOML, FORM_COMMAND };

struct system {
	const char *name;
	enum form form;
	import_fn *read;
	const char *const *flags; /* COMMAND: options without a value */
};

static const char *const monkey_flags[] = {"--docker", "--verbose", "--yes", "-v", "-y", NULL};
static const char *const pi_flags[] = {"--help", "--version", "-h", NULL};

static const struct system systems[] = {
	{"openclaw", FORM_JSON5, import_openclaw, NULL},
	{"clawdbot", FORM_JSON5, import_openclaw, NULL},
	{"wonopcode", FORM_JSON5, import_wonopcode, NULL},
	{"ash", FORM_TOML, import_ash, NULL},
	{"monkey", FORM_COMMAND, import_monkey, monkey_flags},
	{"pi", FORM_COMMAND, import_pi, pi_flags},
	{"archer", FORM_COMMAND, import_pi, pi_flags},
};

const char *const import_systems[] = {
	"openclaw", "clawdbot", "wonopcode", "ash", "monkey", "pi", "archer", NULL};
_Static_assert(ARRAY_LEN(systems) + 1 == ARRAY_LEN(import_systems), "a name for each row");

static const char *system_name(size_t i, const void *ctx)
{
	(void)ctx;
	return import_systems[i];
}

/* NULL, with e filled in, when there is no such system. */
static const struct system *find_system(const char *name, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(60);
	auto_(buf_free) struct buf list = BUF(200);
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(systems); i++) {
		if (str_eq(systems[i].name, name))
			return &systems[i];
		buf_printf(&list, "%s%s", i ? ", " : "", systems[i].name);
	}
	escape_text(&shown, name);
	near = str_nearest(name, system_name, NULL);
	err_set(e, EINVAL, "cannot import from '%s': the systems are %s%s%s%s", buf_text(&shown),
		buf_text(&list), near ? "; did you mean '" : "", near ? near : "",
		near ? "'?" : "");
	return NULL;
}

/* The first character that is neither blank nor in a comment of JSON5 or of a shell. */
static bool starts_with_brace(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		bool comment =
			text[i] == '#' || (text[i] == '/' && i + 1 < len && text[i + 1] == '/');

		while (comment && i < len && text[i] != '\n')
			i++;
		if (i < len && !strchr(" \t\r\n", text[i]))
			return text[i] == '{';
	}
	return false;
}

static int parse(
	struct import *im, const struct system *s, const char *text, size_t len, struct node *ret)
{
	if (s->form == FORM_TOML)
		return toml_parse(&im->arena, im->name, text, len, ret, im->e);
	if (s->form == FORM_COMMAND && !starts_with_brace(text, len))
		return import_words(&im->arena, im->name, text, len, s->flags, ret, im->e);
	return json5_parse(&im->arena, im->name, text, len, ret, im->e);
}

/* What was written must load: a mistake of an importer must not become a broken configuration. */
static int check_result(struct import *im, const struct buf *text)
{
	auto_(config_free) struct config config = {0};
	const struct config_wish wish = {.all = true};
	int rc = config_read(
		&config, LEVEL_USER, "the result", buf_text(text), text->len, &wish, im->e);

	if (rc == 0)
		rc = config_check(&config, im->e);
	return rc < 0 ? err_ctx(im->e, rc, "import of '%s' from %s", im->name, im->system) : 0;
}

static void import_free(struct import *im)
{
	arena_free(&im->arena);
}

int import_config(const char *system, const char *name, const char *text, size_t len,
	struct buf *out, struct err *e)
{
	struct node root = {0};
	auto_(import_free) struct import im = {
		.system = system, .name = name, .root = &root, .e = e};
	auto_(buf_free) struct buf result = BUF(TREE_MAX_BYTES);
	const struct import_at at = {.parent = "",
		.key = "",
		.node = &root,
		.agent = &im.doc.all,
		.notes = &im.doc.notes};
	const struct system *s = find_system(system, e);
	int rc;

	if (!s)
		return -EINVAL;
	rc = parse(&im, s, text, len, &root);
	if (rc < 0)
		return rc;
	import_doc_init(&im.doc, &im.arena, system, name);
	rc = s->read(&im, &at);
	if (rc < 0)
		return rc;
	import_write(&im.doc, &result);
	if (result.dropped)
		return import_fail(&im, &at, "too large to import: the result is above %u MiB",
			TREE_MAX_BYTES >> 20);
	rc = check_result(&im, &result);
	if (rc < 0)
		return rc;
	buf_add(out, buf_text(&result), result.len);
	return 0;
}
