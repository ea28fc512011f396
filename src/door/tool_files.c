/* SPDX-License-Identifier: Apache-2.0 */

/* The file tools: from arguments to files/, and what came of it as text and as JSON. */

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "door/tool.h"
#include "files/files_edit.h"
#include "files/files_list.h"
#include "files/files_read.h"
#include "files/files_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *path_or_all(const char *path)
{
	return path ? path : ".";
}

static int find_range(const struct tool_args *g, struct files_range *ret, struct err *e)
{
	bool lines = g->first.given || g->count.given, bytes = g->offset.given || g->bytes.given;

	if (lines && bytes)
		return err_set(e, EINVAL, "give a range of lines or of bytes, not of both");
	*ret = (struct files_range){.lines = !bytes,
		.from = bytes            ? g->offset.v
			: g->first.given ? g->first.v
					 : 1,
		.count = bytes ? g->bytes.v : g->count.v};
	return lines || bytes;
}

static void write_content(struct tool_work *w, const struct files_data *d, bool base64)
{
	if (!base64) {
		w->shown.at = write_bytes(w->json, "content", d->data, d->len);
		w->shown.len = w->json->out->len - w->shown.at;
		buf_add(w->text, d->data, d->len);
	} else {
		auto_(buf_free) struct buf coded = BUF(SIZE_MAX);

		base64_encode(&coded, d->data, d->len);
		write_text(w->json, "contentBase64", buf_text(&coded));
		buf_add(w->text, coded.data, coded.len);
	}
}

int tool_read(struct tool_work *w, struct err *e)
{
	const struct tool_args *g = w->args;
	struct files_range range;
	struct files_data d;
	int part = find_range(g, &range, e);
	int r = part < 0 ? part
			 : files_read(w->files, g->path, part ? &range : NULL, w->arena, &d, e);

	if (r < 0)
		return r;
	if (!d.text && g->encoding == TOOL_TEXT)
		return err_set(e, EILSEQ, "it is no text in UTF-8; read it with encoding base64");
	write_text(w->json, "path", d.path);
	write_unsigned(w->json, "size", d.size);
	if (part) {
		write_unsigned(w->json, range.lines ? "line" : "offset", d.from);
		write_unsigned(w->json, range.lines ? "lines" : "bytes", d.count);
	}
	write_bool(w->json, "more", d.more);
	write_content(w, &d, g->encoding == TOOL_BASE64 || !d.text);
	w->bytes = d.len;
	return 0;
}

int tool_write(struct tool_work *w, struct err *e)
{
	const struct tool_args *g = w->args;
	struct files_text t = {.data = g->content,
		.len = strlen(g->content),
		.create_only = g->create_only,
		.parents = g->make_parents};
	struct files_written done;
	int r;

	if (g->encoding == TOOL_BASE64) {
		char *data = arena_alloc(w->arena, t.len + 1);

		if (base64_decode(g->content, data, &t.len) < 0)
			return err_set(e, EINVAL, "argument 'content' is not base64");
		t.data = data;
	}
	r = files_write(w->files, g->path, &t, w->arena, &done, e);
	if (r < 0)
		return r;
	write_text(w->json, "path", done.path);
	write_unsigned(w->json, "size", done.size);
	write_bool(w->json, "created", done.created);
	buf_puts(w->text, done.created ? "Created " : "Wrote ");
	escape_text(w->text, done.path);
	buf_printf(w->text, " (%llu bytes).", (unsigned long long)done.size);
	w->bytes = done.size;
	return 0;
}

int tool_edit(struct tool_work *w, struct err *e)
{
	const struct tool_args *g = w->args;
	struct files_edit edit = {.old_text = g->old_text,
		.new_text = g->new_text,
		.old_len = strlen(g->old_text),
		.new_len = strlen(g->new_text),
		.all = g->all};
	struct files_edited done;
	int r = files_edit(w->files, g->path, &edit, w->arena, &done, e);

	if (r < 0)
		return r;
	write_text(w->json, "path", done.path);
	write_unsigned(w->json, "size", done.size);
	write_unsigned(w->json, "replaced", done.replaced);
	write_list(w->json, "lines");
	for (size_t i = 0; i < done.line_count; i++)
		write_unsigned(w->json, NULL, done.lines[i]);
	write_end_list(w->json);
	buf_puts(w->text, "Edited ");
	escape_text(w->text, done.path);
	buf_printf(w->text, ": %zu replaced, line", done.replaced);
	for (size_t i = 0; i < done.line_count; i++)
		buf_printf(w->text, "%s %zu", i ? "," : "", done.lines[i]);
	buf_putc(w->text, '.');
	w->bytes = done.size;
	return 0;
}

static void write_entry(struct tool_work *w, const struct files_entry *x)
{
	write_object(w->json, NULL);
	write_text(w->json, "path", x->path);
	write_text(w->json, "kind", files_kind_names[x->kind]);
	if (x->kind == FILES_FILE)
		write_unsigned(w->json, "size", x->size);
	if (x->target)
		write_text(w->json, "target", x->target);
	write_end_object(w->json);
	escape_text(w->text, x->path);
	if (x->kind == FILES_FOLDER)
		buf_putc(w->text, '/');
	if (x->kind == FILES_FILE)
		buf_printf(w->text, "  %llu", (unsigned long long)x->size);
	if (x->target) {
		buf_puts(w->text, " -> ");
		escape_text(w->text, x->target);
	}
	buf_putc(w->text, '\n');
}

int tool_list(struct tool_work *w, struct err *e)
{
	const struct tool_args *g = w->args;
	struct files_query q = {
		.depth = (unsigned)g->depth.v, .limit = (size_t)g->limit.v, .glob = g->names};
	struct files_listed l;
	int r = files_list(w->files, path_or_all(g->path), &q, w->arena, &l, e);

	if (r < 0)
		return r;
	write_text(w->json, "path", l.path);
	write_list(w->json, "entries");
	for (size_t i = 0; i < l.count; i++)
		write_entry(w, &l.entries[i]);
	write_end_list(w->json);
	write_bool(w->json, "more", l.more);
	write_bool(w->json, "deeper", l.deeper);
	if (l.unreadable)
		write_unsigned(w->json, "unreadable", l.unreadable);
	if (l.count == 0)
		buf_puts(w->text, "Nothing is there.\n");
	if (l.more)
		buf_puts(w->text, "There is more: ask for a higher limit, or for one folder.\n");
	return 0;
}
