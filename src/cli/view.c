/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view.h"

#include "base/escape.h"

#include <string.h>

#define NAME_WIDTH 20
#define LINE_WIDTH 96

static const char *const tones[] = {
	[VIEW_PLAIN] = "",
	[VIEW_GOOD] = "\033[32m",
	[VIEW_CARE] = "\033[33m",
	[VIEW_BAD] = "\033[31m",
	[VIEW_DIM] = "\033[2m",
	[VIEW_BOLD] = "\033[1m",
};

void view_tone(struct call *c, enum view_tone tone, const char *text)
{
	bool coloured = c->colour && tone != VIEW_PLAIN;

	buf_puts(c->out, coloured ? tones[tone] : "");
	buf_puts(c->out, text);
	buf_puts(c->out, coloured ? "\033[0m" : "");
}

void view_heading(struct call *c, const char *text)
{
	buf_puts(c->out, c->out->len ? "\n" : "");
	view_tone(c, VIEW_BOLD, text);
	buf_putc(c->out, '\n');
}

void view_where(struct call *c, const struct where *at)
{
	char text[WHERE_TEXT + 8];

	if (!at->source || at->source->level == LEVEL_BUILTIN)
		return;
	where_text(at, text);
	buf_puts(c->out, "  ");
	view_tone(c, VIEW_DIM, "[");
	view_tone(c, VIEW_DIM, text);
	view_tone(c, VIEW_DIM, "]");
}

void view_row_at(struct call *c, const char *name, const char *value, const struct where *at)
{
	buf_printf(c->out, "  %-*s ", NAME_WIDTH, name);
	escape_text(c->out, value);
	if (at)
		view_where(c, at);
	buf_putc(c->out, '\n');
}

void view_row(struct call *c, const char *name, const char *value)
{
	view_row_at(c, name, value, NULL);
}

/* The next text of a wrapped list; *io_column is where the line stands. */
static void put_wrapped(struct call *c, const char *text, size_t i, size_t *io_column)
{
	size_t len = strlen(text) + 2;

	if (i > 0 && *io_column + len > LINE_WIDTH) {
		buf_printf(c->out, ",\n  %-*s ", NAME_WIDTH, "");
		*io_column = NAME_WIDTH + 3;
	} else if (i > 0) {
		buf_puts(c->out, ", ");
	}
	escape_text(c->out, text);
	*io_column += len;
}

void view_texts(struct call *c, const char *name, const char *const *texts)
{
	size_t column = NAME_WIDTH + 3;

	buf_printf(c->out, "  %-*s %s", NAME_WIDTH, name, *texts ? "" : "none");
	for (size_t i = 0; texts[i]; i++)
		put_wrapped(c, texts[i], i, &column);
	buf_putc(c->out, '\n');
}

void view_list_at(struct call *c, const char *name, const struct opt_list *list)
{
	size_t column = NAME_WIDTH + 3;

	buf_printf(c->out, "  %-*s %s", NAME_WIDTH, name, list->count ? "" : "none");
	for (size_t i = 0; i < list->count; i++)
		put_wrapped(c, list->items[i].text, i, &column);
	view_where(c, &list->at);
	buf_putc(c->out, '\n');
}
