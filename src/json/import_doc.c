/* SPDX-License-Identifier: Apache-2.0 */
#include "json/import_doc.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/show.h"
#include "base/str.h"

#include <ctype.h>
#include <stdint.h>

void import_doc_init(struct import_doc *d, struct arena *a, const char *system, const char *from)
{
	*d = (struct import_doc){.arena = a, .system = system, .from = from};
	d->all.parts[IMPORT_TOOLS].part = IMPORT_TOOLS;
	d->last = &d->all;
}

struct import_agent *import_doc_agent(struct import_doc *d, const char *id)
{
	struct import_agent *agent;

	for (agent = d->all.next; agent; agent = agent->next)
		if (str_eq(agent->id, id))
			return NULL;
	agent = arena_alloc(d->arena, sizeof *agent);
	agent->id = id;
	agent->parts[IMPORT_TOOLS].part = IMPORT_TOOLS;
	d->last->next = agent;
	d->last = agent;
	return agent;
}

struct import_entry *import_doc_find(const struct import_section *s, const char *path)
{
	for (struct import_entry *e = s->first; e; e = e->next)
		if (str_eq(e->path, path))
			return e;
	return NULL;
}

struct import_entry *import_doc_entry(struct import_doc *d, struct import_section *s,
	const char *path, char open, const char *remark)
{
	struct import_entry *entry;

	if (import_doc_find(s, path))
		return NULL;
	entry = arena_alloc(d->arena, sizeof *entry);
	entry->path = path;
	entry->open = open;
	entry->remark = remark;
	if (s->last)
		s->last->next = entry;
	else
		s->first = entry;
	s->last = entry;
	s->used = true;
	return entry;
}

void import_doc_line(
	struct import_doc *d, struct import_entry *entry, const char *text, const char *refused)
{
	struct import_line *line = arena_alloc(d->arena, sizeof *line);

	line->text = text;
	line->refused = refused;
	if (entry->last)
		entry->last->next = line;
	else
		entry->first = line;
	entry->last = line;
}

bool import_doc_value(struct import_doc *d, struct import_section *s, const char *path,
	const char *text, const char *remark)
{
	struct import_entry *entry = import_doc_entry(d, s, path, 0, remark);

	if (!entry)
		return false;
	import_doc_line(d, entry, text, NULL);
	return true;
}

static struct import_note *new_note(struct import_doc *d, struct import_notes *notes)
{
	struct import_note *note = arena_alloc(d->arena, sizeof *note);

	if (notes->last)
		notes->last->next = note;
	else
		notes->first = note;
	notes->last = note;
	return note;
}

void import_doc_note(struct import_doc *d, struct import_notes *notes, const char *parent,
	const char *key, const char *reason)
{
	struct import_line *line = arena_alloc(d->arena, sizeof *line);
	struct import_note *note = notes->last;

	if (!note || !str_eq(note->parent, parent) || !str_eq(note->reason, reason)) {
		note = new_note(d, notes);
		note->parent = parent;
		note->reason = reason;
	}
	line->text = key;
	if (note->last)
		note->last->next = line;
	else
		note->first = line;
	note->last = line;
}

const char *import_doc_quote(struct arena *a, const char *text)
{
	auto_(buf_free) struct buf out = BUF(SIZE_MAX);

	show_string(&out, text);
	return arena_text(a, buf_text(&out), out.len);
}

const char *import_doc_key(struct arena *a, const char *text)
{
	const char *p = text;

	if (isdigit((unsigned char)*p))
		return import_doc_quote(a, text);
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return *p || p == text ? import_doc_quote(a, text) : text;
}
