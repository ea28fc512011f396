/* SPDX-License-Identifier: Apache-2.0 */

/* The file tools with longer answers: patches, and what stands where. */

#include "base/escape.h"
#include "door/tool.h"
#include "files/files_patch.h"
#include "files/files_search.h"

#include <string.h>

static const char *const op_names[PATCH_OPS] = {
	[PATCH_ADD] = "added", [PATCH_UPDATE] = "updated", [PATCH_DELETE] = "deleted"};

static void write_change(struct tool_work *w, const struct files_change *c)
{
	write_object(w->json, NULL);
	write_text(w->json, "path", c->path);
	write_text(w->json, "change", op_names[c->op]);
	if (c->new_path)
		write_text(w->json, "newPath", c->new_path);
	if (c->op != PATCH_DELETE)
		write_unsigned(w->json, "size", c->size);
	write_unsigned(w->json, "hunks", c->hunks);
	write_end_object(w->json);
	buf_printf(w->text, "%s ", op_names[c->op]);
	escape_text(w->text, c->path);
	if (c->new_path) {
		buf_puts(w->text, " -> ");
		escape_text(w->text, c->new_path);
	}
	buf_putc(w->text, '\n');
}

int tool_patch(struct tool_work *w, struct err *e)
{
	const char *text = w->args->patch;
	struct files_patched done;
	int r = files_patch(w->files, text, strlen(text), w->arena, &done, e);

	if (r < 0)
		return r;
	write_list(w->json, "files");
	for (size_t i = 0; i < done.count; i++) {
		write_change(w, &done.changes[i]);
		w->bytes += done.changes[i].size;
	}
	write_end_list(w->json);
	return 0;
}

static void write_match(struct tool_work *w, const struct files_match *m)
{
	write_object(w->json, NULL);
	write_text(w->json, "path", m->path);
	write_unsigned(w->json, "line", m->line);
	if (m->column)
		write_unsigned(w->json, "column", m->column);
	write_bytes(w->json, "text", m->text, m->len);
	if (m->cut)
		write_bool(w->json, "cut", true);
	write_end_object(w->json);
	escape_text(w->text, m->path);
	buf_printf(w->text, "%c%zu%c", m->column ? ':' : '-', m->line, m->column ? ':' : '-');
	buf_add(w->text, m->text, m->len);
	buf_putc(w->text, '\n');
}

static void write_found(struct tool_work *w, const struct files_found *f)
{
	write_list(w->json, "matches");
	for (size_t i = 0; i < f->count; i++)
		write_match(w, &f->matches[i]);
	write_end_list(w->json);
	write_unsigned(w->json, "matchCount", f->match_count);
	write_unsigned(w->json, "filesSearched", f->searched);
	write_unsigned(w->json, "filesLeftOut", f->binary + f->large + f->unreadable);
}

static void write_names(struct tool_work *w, const struct files_found *f)
{
	write_list(w->json, "names");
	for (size_t i = 0; i < f->entry_count; i++) {
		write_text(w->json, NULL, f->entries[i].path);
		escape_text(w->text, f->entries[i].path);
		buf_putc(w->text, '\n');
	}
	write_end_list(w->json);
}

int tool_search(struct tool_work *w, struct err *e)
{
	const struct tool_args *g = w->args;
	struct files_search q = {.text = g->pattern,
		.regex = g->regex,
		.ignore_case = g->ignore_case,
		.path = g->path,
		.glob = g->names,
		.context = (unsigned)g->context.v,
		.limit = (size_t)g->limit.v};
	struct files_found f;
	int r = files_search(w->files, &q, w->arena, &f, e);

	if (r < 0)
		return r;
	if (g->pattern)
		write_found(w, &f);
	else
		write_names(w, &f);
	write_bool(w->json, "more", f.more);
	if (w->text->len == 0)
		buf_puts(w->text, "Nothing was found.\n");
	if (f.more)
		buf_puts(w->text, f.late ? "[the time was over: there may be more]\n"
					 : "[the limit was met: there may be more]\n");
	w->bytes = f.bytes;
	return 0;
}
