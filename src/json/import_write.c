/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_write.h"

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/field.h"
#include "base/str.h"
#include "model/sandbox.h"
#include "model/tools.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * The text of the document. Keys come in the order of the field tables; within an object its notes
 * come first. What cannot be live is a comment in the place where it would stand.
 */

#define WIDTH 100
#define INDENT 2
#define LATER "not yet supported by this version of ward"

static const struct field *const part_fields[IMPORT_PARTS] = {
	[IMPORT_SANDBOX] = sandbox_fields,
	[IMPORT_TOOLS] = tools_fields,
};
static const char *const part_names[IMPORT_PARTS] = {"sandbox", "tools"};

/* How wide the text is on a terminal, near enough. */
static size_t width(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static void put_indent(struct buf *out, unsigned depth)
{
	for (unsigned i = 0; i < depth * INDENT; i++)
		buf_putc(out, ' ');
}

/* One comment, broken between words; what continues is indented below the first line. */
static void put_comment(struct buf *out, unsigned depth, const char *text)
{
	size_t column = WIDTH;
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
		auto_(buf_free) struct buf word = BUF(len + 1);

		buf_add(&word, text, len);
		if (first || column + 1 + width(buf_text(&word)) > WIDTH) {
			if (!first)
				buf_putc(out, '\n');
			put_indent(out, depth);
			buf_puts(out, first ? "//" : "//  ");
			column = depth * INDENT + (first ? 2 : 4);
			first = false;
		}
		buf_printf(out, " %s", buf_text(&word));
		column += 1 + width(buf_text(&word));
		text += len;
		text += strspn(text, " ");
	}
	buf_putc(out, '\n');
}

/* Text and, behind it or when that is too wide above it, a comment. */
static void put_line(struct buf *out, unsigned depth, const char *text, const char *comment)
{
	auto_(buf_free) struct buf shown = BUF(SIZE_MAX);
	size_t columns = depth * INDENT + width(text);

	if (comment) {
		buf_puts(&shown, "  // ");
		escape_text(&shown, comment);
	}
	if (comment && columns + width(buf_text(&shown)) > WIDTH) {
		put_comment(out, depth, buf_text(&shown) + strlen("  // "));
		buf_reset(&shown);
	}
	put_indent(out, depth);
	buf_printf(out, "%s%s\n", text, buf_text(&shown));
}

static void put_note(
	struct buf *out, unsigned depth, const char *system, const struct import_note *note)
{
	auto_(buf_free) struct buf text = BUF(SIZE_MAX);
	bool top = note->parent[0] == '\0', several = note->first->next;

	buf_printf(&text, "%s ", system);
	escape_text(&text, note->parent);
	buf_puts(&text, top ? "" : several ? ".{" : ".");
	for (const struct import_line *key = note->first; key; key = key->next) {
		escape_text(&text, key->text);
		buf_puts(&text, key->next ? ", " : "");
	}
	buf_puts(&text, !top && several ? "}: " : ": ");
	escape_text(&text, note->reason);
	put_comment(out, depth, buf_text(&text));
}

static void put_notes(struct buf *out, unsigned depth, const struct import_doc *d,
	const struct import_notes *notes)
{
	for (const struct import_note *note = notes->first; note; note = note->next)
		put_note(out, depth, d->system, note);
}

static size_t live_lines(const struct import_entry *e)
{
	size_t count = 0;

	for (const struct import_line *line = e->first; line; line = line->next)
		count += !line->refused;
	return count;
}

/* Does the key itself appear, and not only comments? An empty list does. */
static bool is_live(const struct field *f, const struct import_entry *e)
{
	return e && f->support != SUPPORT_NONE && (!e->first || live_lines(e));
}

/* The value without what was refused, on one line. */
static void put_inline(struct buf *out, const struct import_entry *e)
{
	const char *comma = "";

	if (!e->open) {
		buf_puts(out, e->first->text);
		return;
	}
	buf_putc(out, e->open);
	if (e->open == '{')
		buf_putc(out, ' ');
	for (const struct import_line *line = e->first; line; line = line->next) {
		if (line->refused)
			continue;
		buf_printf(out, "%s%s", comma, line->text);
		comma = ", ";
	}
	buf_puts(out, e->open == '{' ? " }" : "]");
}

/* One line as a comment; with a key, as that key would have it. */
static void put_refused(struct buf *out, unsigned depth, const char *key,
	const struct import_entry *e, const struct import_line *line)
{
	auto_(buf_free) struct buf text = BUF(SIZE_MAX);

	buf_puts(&text, "// ");
	if (!key)
		buf_puts(&text, line->text);
	else if (!e->open)
		buf_printf(&text, "%s: %s", key, line->text);
	else
		buf_printf(&text, e->open == '[' ? "%s: [%s]" : "%s: { %s }", key, line->text);
	buf_putc(&text, ',');
	put_line(out, depth, buf_text(&text), line->refused);
}

static bool fits_one_line(unsigned depth, const char *key, const struct import_entry *e)
{
	auto_(buf_free) struct buf text = BUF(SIZE_MAX);

	for (const struct import_line *line = e->first; line; line = line->next)
		if (line->refused)
			return false;
	put_inline(&text, e);
	return depth * INDENT + strlen(key) + width(buf_text(&text)) + 3 <= WIDTH;
}

/* Any key but one that is refused as a whole. */
static void put_live(struct buf *out, unsigned depth, const char *key, const struct import_entry *e)
{
	auto_(buf_free) struct buf text = BUF(SIZE_MAX);

	if (!e->open || fits_one_line(depth, key, e)) {
		buf_printf(&text, "%s: ", key);
		put_inline(&text, e);
		buf_putc(&text, ',');
		put_line(out, depth, buf_text(&text), e->remark);
		return;
	}
	buf_printf(&text, "%s: %c", key, e->open);
	put_line(out, depth, buf_text(&text), e->remark);
	for (const struct import_line *line = e->first; line; line = line->next) {
		if (line->refused) {
			put_refused(out, depth + 1, NULL, e, line);
			continue;
		}
		buf_reset(&text);
		buf_printf(&text, "%s,", line->text);
		put_line(out, depth + 1, buf_text(&text), NULL);
	}
	put_line(out, depth, e->open == '[' ? "]," : "},", NULL);
}

static void put_dead(struct buf *out, unsigned depth, const char *text, const char *remark)
{
	auto_(buf_free) struct buf commented = BUF(SIZE_MAX);
	auto_(buf_free) struct buf why = BUF(SIZE_MAX);

	buf_printf(&commented, "// %s,", text);
	buf_puts(&why, LATER);
	if (remark)
		buf_printf(&why, "; %s", remark);
	put_line(out, depth, buf_text(&commented), buf_text(&why));
}

static void put_entry(
	struct buf *out, unsigned depth, const struct field *f, const struct import_entry *e)
{
	auto_(buf_free) struct buf text = BUF(SIZE_MAX);

	if (is_live(f, e)) {
		put_live(out, depth, f->name, e);
		return;
	}
	for (const struct import_line *line = e->first; line; line = line->next)
		if (line->refused)
			put_refused(out, depth, f->name, e, line);
	if (!live_lines(e) && e->first)
		return;
	buf_printf(&text, "%s: ", f->name);
	put_inline(&text, e);
	put_dead(out, depth, buf_text(&text), e->remark);
}

static const struct import_entry *find_member(
	const struct import_section *s, const struct field *object, const struct field *f)
{
	char path[FIELD_PATH];

	snprintf(path, sizeof path, "%s.%s", object->name, f->name);
	return import_doc_find(s, path);
}

/* One member of an object that is a comment as a whole; NULL when there is nothing to say. */
static const struct import_entry *dead_member(
	const struct import_section *s, const struct field *object, const struct field *f)
{
	const struct import_entry *e = find_member(s, object, f);

	return e && (!e->first || live_lines(e)) ? e : NULL;
}

static void put_dead_lines(
	struct buf *out, unsigned depth, const struct import_section *s, const struct field *object)
{
	put_comment(out, depth, LATER);
	put_indent(out, depth);
	buf_printf(out, "// %s: {\n", object->name);
	for (const struct field *f = object->fields; f->name; f++) {
		const struct import_entry *e = dead_member(s, object, f);

		if (!e)
			continue;
		put_indent(out, depth);
		buf_printf(out, "//   %s: ", f->name);
		put_inline(out, e);
		buf_puts(out, ",\n");
	}
	put_indent(out, depth);
	buf_puts(out, "// },\n");
}

/* What is set of an object, as a comment: on one line where it fits. */
static void put_dead_object(
	struct buf *out, unsigned depth, const struct import_section *s, const struct field *object)
{
	auto_(buf_free) struct buf text = BUF(SIZE_MAX);
	const char *comma = "";

	buf_printf(&text, "%s: { ", object->name);
	for (const struct field *f = object->fields; f->name; f++) {
		const struct import_entry *e = dead_member(s, object, f);

		if (!e)
			continue;
		buf_printf(&text, "%s%s: ", comma, f->name);
		put_inline(&text, e);
		comma = ", ";
	}
	buf_puts(&text, " }");
	if (depth * INDENT + width(buf_text(&text)) + strlen("// ,") > WIDTH)
		put_dead_lines(out, depth, s, object);
	else
		put_dead(out, depth, buf_text(&text), NULL);
}

static void put_object_block(
	struct buf *out, unsigned depth, const struct import_section *s, const struct field *object)
{
	auto_(buf_free) struct buf text = BUF(64);

	buf_printf(&text, "%s: {", object->name);
	put_line(out, depth, buf_text(&text), NULL);
	for (const struct field *f = object->fields; f->name; f++) {
		const struct import_entry *e = find_member(s, object, f);

		if (e)
			put_entry(out, depth + 1, f, e);
	}
	put_line(out, depth, "},", NULL);
}

static void put_refused_members(
	struct buf *out, unsigned depth, const struct import_section *s, const struct field *object)
{
	for (const struct field *f = object->fields; f->name; f++) {
		const struct import_entry *e = find_member(s, object, f);

		for (const struct import_line *line = e ? e->first : NULL; line; line = line->next)
			if (line->refused)
				put_refused(out, depth, e->path, e, line);
	}
}

/* Tables of tables are one deep: an object's members are plain. */
static void put_object(
	struct buf *out, unsigned depth, const struct import_section *s, const struct field *object)
{
	const struct import_entry *shorthand = NULL;
	size_t live = 0, dead = 0;

	for (const struct field *f = object->fields; f->name; f++) {
		const struct import_entry *e = find_member(s, object, f);

		live += is_live(f, e);
		dead += e && !is_live(f, e) && (!e->first || live_lines(e));
		if (e && object->shorthand && str_eq(f->name, object->shorthand))
			shorthand = e;
	}
	if (live > (shorthand ? 1 : 0)) {
		put_object_block(out, depth, s, object);
		return;
	}
	if (shorthand)
		put_live(out, depth, object->name, shorthand);
	if (dead)
		put_dead_object(out, depth, s, object);
	put_refused_members(out, depth, s, object);
}

static void put_section(
	struct buf *out, unsigned depth, const struct import_doc *d, const struct import_section *s)
{
	auto_(buf_free) struct buf text = BUF(64);

	if (!s->first && !s->notes.first)
		return;
	buf_printf(&text, "%s: {", part_names[s->part]);
	put_line(out, depth, buf_text(&text), NULL);
	put_notes(out, depth + 1, d, &s->notes);
	for (const struct field *f = part_fields[s->part]; f->name; f++) {
		const struct import_entry *e = import_doc_find(s, f->name);

		if (f->type == FIELD_OBJECT)
			put_object(out, depth + 1, s, f);
		else if (e)
			put_entry(out, depth + 1, f, e);
	}
	put_line(out, depth, "},", NULL);
}

static void put_agents(struct buf *out, const struct import_doc *d)
{
	put_line(out, 1, "agents: {", NULL);
	put_line(out, 2, "defaults: {", NULL);
	put_section(out, 3, d, &d->all.parts[IMPORT_SANDBOX]);
	put_line(out, 2, "},", NULL);
	if (d->all.next)
		put_line(out, 2, "entries: {", NULL);
	for (const struct import_agent *agent = d->all.next; agent; agent = agent->next) {
		auto_(buf_free) struct buf text = BUF(1024);

		buf_printf(&text, "%s: {", import_doc_key(d->arena, agent->id));
		put_line(out, 3, buf_text(&text), NULL);
		put_notes(out, 4, d, &agent->notes);
		for (size_t i = 0; i < IMPORT_PARTS; i++)
			put_section(out, 4, d, &agent->parts[i]);
		put_line(out, 3, "},", NULL);
	}
	if (d->all.next)
		put_line(out, 2, "},", NULL);
	put_line(out, 1, "},", NULL);
}

void import_write(const struct import_doc *d, struct buf *out)
{
	const char *slash = strrchr(d->from, '/');
	auto_(buf_free) struct buf text = BUF(SIZE_MAX);

	buf_printf(&text, "Imported from %s (", d->system);
	escape_text(&text, slash && slash[1] ? slash + 1 : d->from);
	buf_puts(&text, ").");
	put_comment(out, 0, buf_text(&text));
	put_comment(out, 0,
		"Read it through before you use it: where a key has no equal here, a comment says "
		"so.");
	put_line(out, 0, "{", NULL);
	put_notes(out, 1, d, &d->notes);
	put_agents(out, d);
	put_section(out, 1, d, &d->all.parts[IMPORT_TOOLS]);
	if (d->tool_profiles.first)
		put_line(out, 1, "toolProfiles: {", NULL);
	for (const struct import_entry *e = d->tool_profiles.first; e; e = e->next)
		put_live(out, 2, import_doc_key(d->arena, e->path), e);
	if (d->tool_profiles.first)
		put_line(out, 1, "},", NULL);
	put_line(out, 0, "}", NULL);
}
