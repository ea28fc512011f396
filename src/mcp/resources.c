/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Files of the workspace as resources, file:///workspace/PATH. They come by the same door as the
 * tools `read` and `list`: where these are denied there is nothing here either.
 */

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/json5.h"
#include "mcp/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "file:///workspace/"
#define PAGE 200          /* in one answer */
#define ENTRIES_MAX 10000 /* beyond them nothing is listed */
#define ENTRIES_TEXT "10000"

static const struct json5_limits limits = {(size_t)64 << 20, 1000000};

void resources_templates(struct server *s, const struct message *m)
{
	struct writer w = rpc_result(&s->rpc, m->id);

	write_list(&w, "resourceTemplates");
	write_object(&w, NULL);
	write_text(&w, "uriTemplate", ROOT "{+path}");
	write_text(&w, "name", "workspace");
	write_text(&w, "title", "A file of the workspace");
	write_end_object(&w);
	write_end_list(&w);
	rpc_end(&s->rpc, &w);
}

/* %41 is A; NULL: no such text, or a NUL in it. */
static const char *decode(struct arena *a, const char *text)
{
	char *out = arena_text(a, text, strlen(text)), *to = out;

	for (; *text; text++) {
		int high = *text == '%' ? str_hex_digit(text[1]) : -1;
		int low = high >= 0 ? str_hex_digit(text[2]) : -1;

		if (*text == '%' && (low < 0 || high + low == 0))
			return NULL;
		*to++ = *text == '%' ? (char)(high * 16 + low) : *text;
		text += *text == '%' ? 2 : 0;
	}
	*to = '\0';
	return utf8_valid(out, (size_t)(to - out)) ? out : NULL;
}

static const struct node *make_args(struct arena *a, const struct member *members, uint32_t count)
{
	struct node *args = arena_alloc(a, sizeof *args);

	args->type = NODE_OBJECT;
	args->count = count;
	args->members = arena_copy(a, members, count * sizeof *members);
	return args;
}

void resources_read(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	const struct node *uri = tree_get(m->params, "uri");
	struct call_wish wish = {.kind = CALL_READ, .tool = "read"};
	struct member path = {.key = "path", .value = {.type = NODE_TEXT}};

	if (uri && uri->type == NODE_TEXT && str_starts(uri->text, ROOT))
		path.value.text = decode(a, uri->text + strlen(ROOT));
	if (!path.value.text || !*path.value.text) {
		rpc_error(&s->rpc, m->id, uri ? MESSAGE_NO_RESOURCE : MESSAGE_BAD_PARAMS,
			"params.uri must be " ROOT "PATH");
		return;
	}
	wish.uri = uri->text;
	wish.args = make_args(a, &path, 1);
	calls_add(s, a, bytes, m, &wish);
}

/* The cursor is the number of entries before the page. */
static bool read_cursor(const struct node *n, size_t *ret)
{
	if (!n)
		return true;
	if (n->type != NODE_TEXT || strlen(n->text) > 6 || !*n->text ||
		n->text[strspn(n->text, "0123456789")])
		return false;
	*ret = strtoul(n->text, NULL, 10);
	return *ret <= ENTRIES_MAX;
}

void resources_list(struct server *s, struct arena *a, size_t bytes, const struct message *m)
{
	struct call_wish wish = {.kind = CALL_LIST, .tool = "list"};
	struct member members[] = {
		{.key = "limit", .value = {.type = NODE_NUMBER, .text = ENTRIES_TEXT}},
	};

	if (!read_cursor(tree_get(m->params, "cursor"), &wish.skip)) {
		rpc_error(&s->rpc, m->id, MESSAGE_BAD_PARAMS, "params.cursor is none of ours");
		return;
	}
	wish.args = make_args(a, members, ARRAY_LEN(members));
	calls_add(s, a, bytes, m, &wish);
}

static const char *text_at(const struct node *object, const char *key)
{
	const struct node *n = tree_get(object, key);

	return n && n->type == NODE_TEXT ? n->text : NULL;
}

static void add_encoded(struct buf *out, const char *path)
{
	for (; *path; path++)
		if (strchr("-._~/", *path) || (*path >= '0' && *path <= '9') ||
			(*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z'))
			buf_putc(out, *path);
		else
			buf_printf(out, "%%%02X", (unsigned char)*path);
}

static void write_entry(struct writer *w, const struct node *entry, const char *name)
{
	auto_(buf_free) struct buf uri = BUF(16384);
	const struct node *size = tree_get(entry, "size");

	buf_puts(&uri, ROOT);
	add_encoded(&uri, name);
	write_object(w, NULL);
	write_text(w, "uri", buf_text(&uri));
	write_text(w, "name", name);
	if (size && size->type == NODE_NUMBER)
		write_raw(w, "size", size->text);
	write_end_object(w);
}

/* Plain files only: nothing else can be read. */
static void write_entries(struct server *s, const struct call_running *c, const struct node *root)
{
	const struct node *entries = tree_get(root, "entries");
	struct writer w = rpc_result(&s->rpc, c->id);
	size_t at = c->wish.skip, written = 0;

	write_list(&w, "resources");
	for (; entries && entries->type == NODE_ARRAY && at < entries->count && written < PAGE;
		at++) {
		const struct node *entry = &entries->items[at];
		const char *name = text_at(entry, "path");

		if (!name || !str_eq(text_at(entry, "kind"), "file"))
			continue;
		write_entry(&w, entry, name);
		written++;
	}
	write_end_list(&w);
	if (entries && entries->type == NODE_ARRAY && at < entries->count && at <= ENTRIES_MAX) {
		char cursor[24];

		snprintf(cursor, sizeof cursor, "%zu", at);
		write_text(&w, "nextCursor", cursor);
	}
	rpc_end(&s->rpc, &w);
}

static void write_list_answer(
	struct server *s, const struct call_running *c, const struct job_answer *answer)
{
	auto_(arena_free) struct arena a = {0};
	struct node root;
	struct err e = {0};

	if (json5_parse_strict(&a, &limits, answer->json, answer->json_len, &root, &e) < 0)
		rpc_error(&s->rpc, c->id, MESSAGE_INTERNAL, e.text);
	else
		write_entries(s, c, &root);
}

/* A quote that is not escaped never stands in a text: this is the name of a member. */
static bool is_base64(const struct job_answer *answer)
{
	return strstr(answer->json, ",\"contentBase64\":") != NULL;
}

static void write_read_answer(
	struct server *s, const struct call_running *c, const struct job_answer *answer)
{
	bool blob = is_base64(answer);
	struct writer w = rpc_result(&s->rpc, c->id);

	write_list(&w, "contents");
	write_object(&w, NULL);
	write_text(&w, "uri", c->wish.uri);
	write_text(&w, "mimeType", blob ? "application/octet-stream" : "text/plain");
	write_bytes(&w, blob ? "blob" : "text", answer->text, answer->text_len);
	write_end_object(&w);
	write_end_list(&w);
	rpc_end(&s->rpc, &w);
}

void resources_write(
	struct server *s, const struct call_running *c, const struct job_answer *answer)
{
	if (answer->failed)
		rpc_error(&s->rpc, c->id, MESSAGE_NO_RESOURCE, answer->text);
	else if (c->wish.kind == CALL_LIST)
		write_list_answer(s, c, answer);
	else
		write_read_answer(s, c, answer);
}
