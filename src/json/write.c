/* SPDX-License-Identifier: Apache-2.0 */
#include "json/write.h"

#include "base/show.h"

static void new_line(struct writer *w)
{
	if (w->compact)
		return;
	buf_putc(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		buf_puts(w->out, "  ");
}

/* Has this level a member already? Levels beyond the last share its place: open_level() and
 * close_level() set it anew for whoever comes next. */
static bool *filled(struct writer *w)
{
	return &w->filled[w->depth < WRITE_DEPTH ? w->depth : WRITE_DEPTH - 1];
}

/* Comma, line and key: whatever stands before a value. */
static void begin(struct writer *w, const char *key)
{
	if (w->depth > 0) {
		if (*filled(w))
			buf_putc(w->out, ',');
		*filled(w) = true;
		new_line(w);
	}
	if (key) {
		show_string(w->out, key);
		buf_puts(w->out, w->compact ? ":" : ": ");
	}
}

static void open_level(struct writer *w, const char *key, char bracket)
{
	begin(w, key);
	buf_putc(w->out, bracket);
	w->depth++;
	*filled(w) = false;
}

static void close_level(struct writer *w, char bracket)
{
	bool any = *filled(w);

	w->depth--;
	*filled(w) = true; /* with what ends here */
	if (any)
		new_line(w);
	buf_putc(w->out, bracket);
	if (w->depth == 0 && !w->compact)
		buf_putc(w->out, '\n');
}

void write_object(struct writer *w, const char *key)
{
	open_level(w, key, '{');
}

void write_list(struct writer *w, const char *key)
{
	open_level(w, key, '[');
}

void write_end_object(struct writer *w)
{
	close_level(w, '}');
}

void write_end_list(struct writer *w)
{
	close_level(w, ']');
}

void write_text(struct writer *w, const char *key, const char *text)
{
	begin(w, key);
	if (text)
		show_string(w->out, text);
	else
		buf_puts(w->out, "null");
}

size_t write_bytes(struct writer *w, const char *key, const char *data, size_t len)
{
	size_t at;

	begin(w, key);
	at = w->out->len;
	show_bytes(w->out, data, len);
	return at;
}

void write_number(struct writer *w, const char *key, int64_t v)
{
	begin(w, key);
	if (v < 0)
		buf_putc(w->out, '-');
	buf_put_unsigned(w->out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void write_unsigned(struct writer *w, const char *key, uint64_t v)
{
	begin(w, key);
	buf_put_unsigned(w->out, v);
}

void write_bool(struct writer *w, const char *key, bool v)
{
	begin(w, key);
	buf_puts(w->out, v ? "true" : "false");
}

void write_raw(struct writer *w, const char *key, const char *json)
{
	begin(w, key);
	buf_puts(w->out, json);
}

void write_raw_bytes(struct writer *w, const char *key, const char *json, size_t len)
{
	begin(w, key);
	buf_add(w->out, json, len);
}

void write_texts(struct writer *w, const char *key, const char *const *texts)
{
	write_list(w, key);
	for (; *texts; texts++)
		write_text(w, NULL, *texts);
	write_end_list(w);
}
