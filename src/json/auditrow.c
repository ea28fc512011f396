/* SPDX-License-Identifier: Apache-2.0 */
#include "json/auditrow.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/macro.h"
#include "base/number.h"
#include "base/show.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/json5.h"
#include "model/moment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a text that was cut, its beginning. */
static const char *text_of(const struct node *n)
{
	if (n && n->type == NODE_OBJECT)
		n = tree_get(n, "prefix");
	return n && n->type == NODE_TEXT ? n->text : "";
}

/* As JSON writes them; nothing else counts. */
static bool number_of(const struct node *n, double *ret)
{
	double v;

	if (!n || n->type != NODE_NUMBER || n->text[strspn(n->text, "-+.0123456789eE")])
		return false;
	v = strtod(n->text, NULL);
	*ret = v > 0 && v < 1e18 ? v : 0;
	return true;
}

static uint64_t count_of(const struct node *n)
{
	uint64_t v;

	return n && n->type == NODE_NUMBER && number_count(n->text, &v, NULL) == 0 ? v : 0;
}

int auditrow_line_read(const char *text, size_t len, struct auditrow_line **ret, struct err *e)
{
	auto_(auditrow_line_free) struct auditrow_line *l = mem_alloc(sizeof *l);
	int r;

	l->text = arena_text(&l->arena, text, len);
	l->len = len;
	r = json5_parse(&l->arena, "line", l->text, len, &l->root, e);
	if (r < 0)
		return r;
	l->seq = count_of(tree_get(&l->root, "seq"));
	l->begin = count_of(tree_get(&l->root, "begin"));
	l->event = text_of(tree_get(&l->root, "event"));
	if (moment_parse(text_of(tree_get(&l->root, "time")), 0, &l->time_us, NULL) < 0)
		l->time_us = 0;
	if (l->seq == 0 || !l->event[0])
		return err_set(e, EBADMSG, "a line without its number or its event");
	*ret = take_ptr(l);
	return 0;
}

void auditrow_line_free(struct auditrow_line **l)
{
	if (*l)
		arena_free(&(*l)->arena);
	free(*l);
	*l = NULL;
}

int64_t auditrow_line_time(const char *text, size_t len)
{
	static const char key[] = "\"time\":\"";
	const char *at = memmem(text, len < 160 ? len : 160, key, sizeof key - 1);
	char when[MOMENT_TEXT];
	size_t left = at ? len - (size_t)(at - text) - (sizeof key - 1) : 0;
	const char *end = at ? memchr(at + sizeof key - 1, '"', left) : NULL;
	int64_t us;

	if (!end || (size_t)(end - at) - (sizeof key - 1) >= sizeof when)
		return 0;
	snprintf(when, sizeof when, "%.*s", (int)(end - at - (int)(sizeof key - 1)),
		at + sizeof key - 1);
	return moment_parse(when, 0, &us, NULL) < 0 ? 0 : us;
}

void auditrow_line_json(struct buf *out, const struct auditrow_line *l)
{
	for (size_t i = 0, step; i < l->len; i += step) {
		uint32_t c;

		step = utf8_decode(l->text + i, l->len - i, &c);
		if (step == 0)
			return; /* no tree would have come of it */
		if (c >= 0x10000 && utf8_is_deceptive(c))
			buf_printf(out, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (c >> 10)),
				(unsigned)(0xdc00 + (c & 0x3ff)));
		else if (c != ' ' && utf8_is_deceptive(c))
			buf_printf(out, "\\u%04x", (unsigned)c);
		else
			buf_add(out, l->text + i, step);
	}
}

void auditrow_free(struct auditrow *row)
{
	auditrow_line_free(&row->first);
	auditrow_line_free(&row->end);
}

const struct node *auditrow_get(const struct auditrow *row, const char *key)
{
	const struct node *n = row->first ? tree_path(&row->first->root, key) : NULL;

	return n || !row->end ? n : tree_path(&row->end->root, key);
}

const char *auditrow_text(const struct auditrow *row, const char *key)
{
	return text_of(auditrow_get(row, key));
}

bool auditrow_number(const struct auditrow *row, const char *key, double *ret)
{
	return row->end && number_of(tree_path(&row->end->root, key), ret);
}

double auditrow_amount(const struct auditrow *row, const char *key)
{
	double v;

	return auditrow_number(row, key, &v) ? v : 0;
}

static const struct auditrow_line *line_of(const struct auditrow *row)
{
	return row->first ? row->first : row->end;
}

uint64_t auditrow_seq(const struct auditrow *row)
{
	return line_of(row)->seq;
}

int64_t auditrow_time(const struct auditrow *row)
{
	return line_of(row)->time_us;
}

bool auditrow_is_request(const struct auditrow *row)
{
	static const char *const events[] = {"begin", "deny", "end", NULL};

	return str_in(line_of(row)->event, events);
}

bool auditrow_is_denied(const struct auditrow *row)
{
	return row->first && str_eq(row->first->event, "deny");
}

bool auditrow_is_failed(const struct auditrow *row)
{
	const char *reason = row->end ? text_of(tree_get(&row->end->root, "reason")) : "";

	if (!row->end || str_eq(reason, "done"))
		return false;
	return !str_eq(reason, "exited") || auditrow_amount(row, "exitCode") > 0;
}

/* Bytes that are no text; as a word, so that their spaces are not taken for the end of one. */
static void show_base64(struct buf *out, const char *base64, bool word)
{
	size_t len = strcspn(base64, "="), count;
	auto_free char *bytes = mem_alloc(len / 4 * 3 + 4);

	count = base64_take(base64, len, bytes);
	bytes[count] = '\0';
	if (word && !memchr(bytes, 0, count))
		escape_word(out, bytes);
	else
		escape_bytes(out, bytes, count);
}

/* A text, whole or cut, or bytes: as they stand alone, or as a word among others. */
static void show_text(struct buf *out, const struct node *n, bool word)
{
	const struct node *bytes = tree_get(n, "base64");

	if (bytes)
		show_base64(out, text_of(bytes), word);
	else if (word)
		escape_word(out, text_of(n));
	else
		escape_text(out, text_of(n));
	if (tree_get(n, "truncated"))
		buf_puts(out, "...");
}

/* Not an object with members of its own. */
static bool is_text(const struct node *n)
{
	return n->type == NODE_TEXT || tree_get(n, "prefix") || tree_get(n, "base64");
}

static void show_members(struct buf *out, const struct node *n)
{
	buf_putc(out, '(');
	for (uint32_t i = 0; i < n->count; i++) {
		buf_puts(out, i ? " " : "");
		escape_text(out, n->members[i].key);
		buf_putc(out, '=');
		auditrow_show(out, &n->members[i].value);
	}
	buf_putc(out, ')');
}

static void show_items(struct buf *out, const struct node *n)
{
	for (uint32_t i = 0; i < n->count; i++) {
		buf_puts(out, i ? " " : "");
		if (is_text(&n->items[i]))
			show_text(out, &n->items[i], true);
		else
			auditrow_show(out, &n->items[i]);
	}
}

/* The depth of the tree is bounded by its reader. */
void auditrow_show(struct buf *out, const struct node *value)
{
	if (is_text(value))
		show_text(out, value, false);
	else if (value->type == NODE_OBJECT)
		show_members(out, value);
	else if (value->type == NODE_ARRAY)
		show_items(out, value);
	else if (value->type == NODE_NUMBER)
		escape_text(out, value->text);
	else if (value->type == NODE_BOOL)
		buf_puts(out, value->boolean ? "true" : "false");
}

/* What every line has, or what has a column of its own. */
static bool is_common(const char *key)
{
	static const char *const keys[] = {"seq", "prev", "time", "sinceBootUs", "event", "session",
		"agent", "tool", "verdict", NULL};

	return str_in(key, keys);
}

/* What people look for stands before ids and hashes. */
static bool is_first(const char *key)
{
	static const char *const keys[] = {"action", "command", NULL};

	return str_in(key, keys);
}

static void show_event(struct buf *out, const struct node *root)
{
	bool any = false;

	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < root->count; i++) {
			const struct member *m = &root->members[i];

			if (is_common(m->key) || is_first(m->key) != (turn == 0))
				continue;
			buf_puts(out, any ? " " : "");
			escape_text(out, m->key);
			buf_putc(out, '=');
			auditrow_show(out, &m->value);
			any = true;
		}
}

void auditrow_what(struct buf *out, const struct auditrow *row)
{
	static const char *const keys[] = {"argv", "command", "path", "arguments"};

	if (row->first && !auditrow_is_request(row)) {
		show_event(out, &row->first->root);
		return;
	}
	for (size_t i = 0; row->first && i < ARRAY_LEN(keys); i++) {
		const struct node *n = tree_get(&row->first->root, keys[i]);

		if (n) {
			auditrow_show(out, n);
			return;
		}
	}
	escape_text(out, auditrow_text(row, "operation"));
}

void auditrow_outcome(struct buf *out, const struct auditrow *row)
{
	const char *reason = row->end ? text_of(tree_get(&row->end->root, "reason")) : "";

	if (auditrow_is_denied(row))
		buf_puts(out, "refused");
	else if (str_eq(reason, "exited"))
		buf_printf(out, "exited %.0f", auditrow_amount(row, "exitCode"));
	else if (str_eq(reason, "signalled"))
		buf_printf(out, "signal %.0f", auditrow_amount(row, "signal"));
	else
		escape_text(out, reason);
}

bool auditrow_flow(const struct auditrow *row, size_t i, struct auditrow_flow *ret)
{
	const struct node *list = row->end ? tree_get(&row->end->root, "network") : NULL, *n;
	const struct node *allowed;

	if (!list || list->type != NODE_ARRAY || i >= list->count)
		return false;
	n = &list->items[i];
	allowed = tree_get(n, "allowed");
	*ret = (struct auditrow_flow){
		.host = text_of(tree_get(n, "host")),
		.why = text_of(tree_get(n, "why")),
		.port = count_of(tree_get(n, "port")),
		.count = count_of(tree_get(n, "count")),
		.sent = count_of(tree_get(n, "sentBytes")),
		.received = count_of(tree_get(n, "receivedBytes")),
		.allowed = allowed && allowed->type == NODE_BOOL && allowed->boolean,
	};
	return true;
}
