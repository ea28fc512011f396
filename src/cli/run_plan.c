/* SPDX-License-Identifier: Apache-2.0 */

/* ward run --dry-run: the steps, as text or as JSON. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "cli/run.h"
#include "engine/native.h"
#include "json/write.h"

#include <string.h>

struct shown {
	struct call *call;
	size_t count;
	struct writer *w; /* NULL: as text */
};

/* "name   value", for each line of the arguments. */
static void each_argument(struct arena *a, const struct buf *arguments,
	void (*fn)(void *ctx, const char *name, const char *value), void *ctx)
{
	const char *line = buf_text(arguments);

	while (*line) {
		size_t len = strcspn(line, "\n"), name = strcspn(line, " \n");
		size_t value = name + strspn(line + name, " ");

		value = value < len ? value : len;
		fn(ctx, arena_text(a, line, name), arena_text(a, line + value, len - value));
		line += len + (line[len] == '\n');
	}
}

static void put_text(void *ctx, const char *name, const char *value)
{
	struct shown *s = ctx;

	buf_printf(s->call->out, "     %-12s %s\n", name, value);
}

static void put_json(void *ctx, const char *name, const char *value)
{
	struct shown *s = ctx;

	write_object(s->w, NULL);
	write_text(s->w, "name", name);
	write_text(s->w, "value", value);
	write_end_object(s->w);
}

static void put_step(void *ctx, const char *name, const char *place, const struct buf *arguments)
{
	struct shown *s = ctx;

	s->count++;
	if (!s->w) {
		buf_printf(s->call->out, "%2zu. %s (%s)\n", s->count, name, place);
		each_argument(s->call->arena, arguments, put_text, s);
		return;
	}
	write_object(s->w, NULL);
	write_text(s->w, "step", name);
	write_text(s->w, "process", place);
	write_list(s->w, "arguments");
	each_argument(s->call->arena, arguments, put_json, s);
	write_end_list(s->w);
	write_end_object(s->w);
}

/* There is one step without a sandbox. */
static void show_host(const struct plan *p, struct shown *s)
{
	auto_(buf_free) struct buf arguments = BUF(64 << 10);

	for (size_t i = 0; p->argv[i]; i++) {
		buf_puts(&arguments, "argv ");
		escape_word(&arguments, p->argv[i]);
		buf_putc(&arguments, '\n');
	}
	put_step(s, "run program", "host", &arguments);
}

void run_show_plan(struct call *c, const struct run_answer *answer, bool json)
{
	struct writer w = WRITER(c->out);
	struct shown s = {.call = c, .w = json ? &w : NULL};

	if (json) {
		write_object(&w, NULL);
		write_list(&w, "steps");
	}
	if (answer->host)
		show_host(&answer->plan, &s);
	else
		native_steps(&answer->plan, put_step, &s);
	if (json) {
		write_end_list(&w);
		write_end_object(&w);
	}
}
