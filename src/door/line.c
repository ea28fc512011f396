/* SPDX-License-Identifier: Apache-2.0 */
#include "door/line.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/escape.h"
#include "base/sha256.h"
#include "base/show.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/json5.h"

#include <stdio.h>
#include <string.h>

#define LEAST_ROOM 64 /* less is not worth a beginning */
#define KEY_ROOM 100
#define KEY_END 16
#define REDACTED_ROOM 4096
#define DEPTH_MAX 32   /* of objects and lists in each other; a reader takes 64 */
#define TEXT_ROOM 4096 /* of one text among the arguments of a tool */

void line_begin(struct line *l, const struct redact *redact, size_t room)
{
	buf_reset(&l->out);
	l->out.max = room;
	l->redact = redact;
}

void line_free(struct line *l)
{
	buf_free(&l->out);
	buf_free(&l->plain);
	*l = (struct line){0};
}

static void put_comma(struct line *l)
{
	char last = l->out.len ? l->out.data[l->out.len - 1] : '{';

	if (last != '{' && last != '[')
		buf_putc(&l->out, ',');
}

void line_key(struct line *l, const char *key)
{
	put_comma(l);
	if (!key)
		return;
	buf_putc(&l->out, '"');
	buf_puts(&l->out, key);
	buf_add(&l->out, "\":", 2);
}

/*
 * A name that a stranger has chosen. No two of an object are the same afterwards, or nobody could
 * read the line: what was cut or left out ends with "\#" and its place, which no escaped name does.
 */
static void put_foreign_key(struct line *l, const char *key, uint32_t place)
{
	auto_(buf_free) struct buf some = BUF(KEY_ROOM);

	buf_reset(&l->plain);
	l->plain.max = REDACTED_ROOM;
	redact_text(l->redact, key, strlen(key), &l->plain);
	escape_text(&some, buf_text(&l->plain));
	if (some.dropped || l->plain.dropped || !str_eq(buf_text(&l->plain), key)) {
		some.max += KEY_END;
		some.dropped = 0;
		buf_printf(&some, "\\#%u", place);
	}
	put_comma(l);
	show_string(&l->out, buf_text(&some));
	buf_putc(&l->out, ':');
}

static void put_hash(struct buf *out, const uint8_t digest[SHA256_SIZE])
{
	char hex[2 * SHA256_SIZE + 1];

	sha256_hex(digest, hex);
	buf_printf(out, ",\"sha256\":\"%s\",\"truncated\":true}", hex);
}

/* What stands in place of a text that is too long; begin: as much of it as fits, in quotes. */
static void put_cut(
	struct buf *out, bool binary, const struct buf *begin, const char *text, size_t len)
{
	uint8_t digest[SHA256_SIZE];

	sha256_of(text, len, digest);
	buf_printf(out, "{\"%s\":%s,\"length\":%zu", binary ? "base64" : "prefix", buf_text(begin),
		len);
	put_hash(out, digest);
}

/* As much as fits; what of it is shown is a beginning, and ends between characters. */
static void put_long(struct line *l, const char *text, size_t len, bool binary, size_t room)
{
	auto_(buf_free) struct buf begin = BUF(room);

	if (binary) {
		buf_putc(&begin, '"');
		base64_encode(&begin, l->plain.data, l->plain.len);
	} else {
		show_string(&begin, buf_text(&l->plain));
		if (begin.dropped == 0) /* the mark of it alone was cut */
			begin.data[--begin.len] = '\0';
	}
	begin.max++;
	begin.dropped = 0;
	buf_putc(&begin, '"');
	put_cut(&l->out, binary, &begin, text, len);
}

static void put_binary(struct line *l)
{
	buf_puts(&l->out, "{\"base64\":\"");
	base64_encode(&l->out, l->plain.data, l->plain.len);
	buf_puts(&l->out, "\"}");
}

/* before: the word in front of it, which may say that it is a secret. */
static void put_value(struct line *l, const char *before, const char *text, size_t room)
{
	size_t len = strlen(text), start = l->out.len, most = l->out.max;
	bool binary = !utf8_valid(text, len);

	buf_reset(&l->plain);
	l->plain.max = room;
	redact_word(l->redact, before, text, len, &l->plain);
	if (room < most - start)
		l->out.max = start + room;
	if (l->plain.dropped == 0 && !binary)
		show_string(&l->out, buf_text(&l->plain));
	else if (l->plain.dropped == 0)
		put_binary(l);
	l->out.max = most;
	if (l->plain.dropped == 0 && l->out.dropped == 0)
		return;
	buf_cut(&l->out, start);
	put_long(l, text, len, binary, room);
}

void line_text(struct line *l, const char *key, const char *text, size_t room)
{
	if (!text)
		return;
	line_key(l, key);
	put_value(l, NULL, text, room);
}

/* The words that found no room, as if they were one. */
static void put_rest(struct line *l, const char *const *words, size_t count)
{
	uint8_t digest[SHA256_SIZE];
	struct sha256 h;
	size_t length = 0;

	sha256_init(&h);
	for (size_t i = 0; i < count; i++) {
		length += strlen(words[i]) + 1;
		sha256_add(&h, words[i], strlen(words[i]) + 1);
	}
	sha256_end(&h, digest);
	line_key(l, NULL);
	buf_printf(&l->out, "{\"prefix\":\"\",\"words\":%zu,\"length\":%zu", count, length);
	put_hash(&l->out, digest);
}

void line_words(
	struct line *l, const char *key, const char *const *words, size_t count, size_t room)
{
	size_t end = l->out.len + room, i;

	line_key(l, key);
	buf_putc(&l->out, '[');
	for (i = 0; i < count && l->out.len + LEAST_ROOM < end; i++) {
		line_key(l, NULL);
		put_value(l, i ? words[i - 1] : NULL, words[i], end - l->out.len);
	}
	if (i < count)
		put_rest(l, words + i, count - i);
	buf_putc(&l->out, ']');
}

/* Where a value is put: behind which name, in how many others, and how far the line may go. */
struct spot {
	const char *name;
	unsigned depth;
	size_t end;
};

static void put_node(struct line *l, const struct spot *at, const struct node *n);

/* JSON5 knows more of them than JSON does. */
static bool is_json_number(const char *text)
{
	const char *p = text + (*text == '-');
	size_t n = strspn(p, "0123456789");

	if (n == 0 || (n > 1 && *p == '0') || n > 40)
		return false;
	p += n;
	if (*p == '.') {
		n = strspn(++p, "0123456789");
		if (n == 0 || n > 40)
			return false;
		p += n;
	}
	return *p == '\0';
}

/* The hash of the request covers what is left. */
static void put_left(struct line *l, uint32_t count)
{
	buf_printf(&l->out, "{\"left\":%u,\"truncated\":true}", count);
}

static void put_children(struct line *l, const struct spot *at, const struct node *n)
{
	struct spot below = {at->name, at->depth + 1, at->end};
	bool object = n->type == NODE_OBJECT;

	if (below.depth > DEPTH_MAX) {
		put_left(l, n->count);
		return;
	}
	buf_putc(&l->out, object ? '{' : '[');
	for (uint32_t i = 0; i < n->count; i++) {
		if (l->out.len + LEAST_ROOM >= at->end) {
			line_key(l, object ? "\\\\#" : NULL);
			put_left(l, n->count - i);
			break;
		}
		if (object) {
			below.name = n->members[i].key;
			put_foreign_key(l, below.name, i);
			put_node(l, &below, &n->members[i].value);
		} else {
			line_key(l, NULL);
			put_node(l, &below, &n->items[i]);
		}
	}
	buf_putc(&l->out, object ? '}' : ']');
}

/* What is a secret by its name is none less for being a number. */
static void put_node(struct line *l, const struct spot *at, const struct node *n)
{
	size_t left = at->end > l->out.len + LEAST_ROOM ? at->end - l->out.len : LEAST_ROOM;
	bool secret = at->name && redact_is_secret(at->name, strlen(at->name));

	if (n->type == NODE_ARRAY || n->type == NODE_OBJECT)
		put_children(l, at, n);
	else if (secret && (n->type == NODE_TEXT || n->type == NODE_NUMBER))
		buf_puts(&l->out, "\"[redacted:named]\"");
	else if (n->type == NODE_TEXT)
		put_value(l, NULL, n->text, left < TEXT_ROOM ? left : TEXT_ROOM);
	else if (n->type == NODE_NUMBER && is_json_number(n->text))
		buf_puts(&l->out, n->text);
	else if (n->type == NODE_NUMBER)
		put_value(l, NULL, n->text, LEAST_ROOM);
	else
		buf_puts(&l->out, n->type == NODE_NULL ? "null" : n->boolean ? "true" : "false");
}

void line_object(struct line *l, const char *key, const char *json, size_t room)
{
	auto_(arena_free) struct arena a = {0};
	struct node top;

	if (!json)
		return;
	if (json5_parse(&a, "arguments", json, strlen(json), &top, NULL) < 0 ||
		top.type != NODE_OBJECT) {
		line_text(l, key, json, room);
		return;
	}
	line_key(l, key);
	put_children(l, &(struct spot){.end = l->out.len + room}, &top);
}

void line_number(struct line *l, const char *key, uint64_t v)
{
	char digits[24], *p = digits + sizeof digits;

	do
		*--p = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	line_key(l, key);
	buf_add(&l->out, p, (size_t)(digits + sizeof digits - p));
}

void line_plain(struct line *l, const char *key, const char *word)
{
	line_key(l, key);
	buf_putc(&l->out, '"');
	buf_puts(&l->out, word);
	buf_putc(&l->out, '"');
}
