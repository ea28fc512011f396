/* SPDX-License-Identifier: Apache-2.0 */
#include "base/escape.h"
#include "base/str.h"
#include "cli/verify.h"
#include "cli/view.h"
#include "json/write.h"

#include <stdio.h>

static const enum view_tone tones[] = {
	[VERIFY_HELD] = VIEW_GOOD,
	[VERIFY_THROUGH] = VIEW_BAD,
	[VERIFY_NOT_TRIED] = VIEW_CARE,
	[VERIFY_NOT_ASKED] = VIEW_DIM,
	[VERIFY_NOT_ENFORCED] = VIEW_CARE,
};

static unsigned count(const struct verify *v, int layer, enum verify_result result)
{
	unsigned n = 0;

	for (size_t i = 0; i < v->row_count; i++)
		n += (layer < 0 || v->rows[i].layer == (enum layer_id)layer) &&
		     v->rows[i].result == result;
	return n;
}

/* One that got through counts more than all that held. */
static enum verify_result of_layer(const struct verify *v, enum layer_id layer)
{
	if (count(v, (int)layer, VERIFY_THROUGH))
		return VERIFY_THROUGH;
	if (str_eq(v->mechanism[layer], "none"))
		return VERIFY_NOT_ENFORCED;
	if (count(v, (int)layer, VERIFY_HELD))
		return VERIFY_HELD;
	return count(v, (int)layer, VERIFY_NOT_TRIED) ? VERIFY_NOT_TRIED : VERIFY_NOT_ASKED;
}

static unsigned tried(const struct verify *v, int layer)
{
	return count(v, layer, VERIFY_HELD) + count(v, layer, VERIFY_THROUGH);
}

static void show_layer(struct verify *v, enum layer_id layer)
{
	struct call *c = v->call;
	enum verify_result result = of_layer(v, layer);
	unsigned through = count(v, (int)layer, VERIFY_THROUGH);

	buf_printf(c->out, "  %-12s %-30s %8u   ", layer_names[layer], v->mechanism[layer],
		tried(v, (int)layer));
	view_tone(c, tones[result], verify_result_names[result]);
	if (through)
		buf_printf(c->out, ": %u", through);
	buf_putc(c->out, '\n');
}

static void show_row(struct verify *v, const struct verify_row *row)
{
	struct call *c = v->call;

	buf_printf(c->out, "  %-12s %-46s ", layer_names[row->layer], row->name);
	view_tone(c, tones[row->result], verify_result_names[row->result]);
	if (row->why) {
		buf_puts(c->out, ": ");
		escape_text(c->out, row->why);
	}
	buf_putc(c->out, '\n');
}

/* What held is only counted, unless all is asked for. */
static void show_rows(struct verify *v)
{
	bool all = v->options->all.v;

	if (!all && count(v, -1, VERIFY_HELD) == v->row_count)
		return;
	view_heading(v->call, all ? "Attempts" : "What did not hold, or was not tried");
	for (size_t i = 0; i < v->row_count; i++)
		if (all || v->rows[i].result != VERIFY_HELD)
			show_row(v, &v->rows[i]);
}

void verify_show(struct verify *v)
{
	struct call *c = v->call;
	unsigned through = count(v, -1, VERIFY_THROUGH);

	buf_printf(c->out, "  %-12s %-30s %8s   %s\n", "layer", "mechanism", "attempts", "result");
	for (enum layer_id l = 0; l < LAYER_COUNT; l++)
		show_layer(v, l);
	show_rows(v);
	view_heading(c, "Result");
	buf_printf(c->out, "  %u attempts, %u held, ", tried(v, -1), count(v, -1, VERIFY_HELD));
	if (through)
		buf_printf(c->out, "%u GOT THROUGH", through);
	else
		view_tone(c, VIEW_GOOD, "none got through");
	buf_printf(c->out, "; %u could not be tried, %u not asked for by the policy\n",
		count(v, -1, VERIFY_NOT_TRIED), count(v, -1, VERIFY_NOT_ASKED));
}

static void write_layers(struct writer *w, const struct verify *v)
{
	write_object(w, "layers");
	for (enum layer_id l = 0; l < LAYER_COUNT; l++) {
		write_object(w, layer_names[l]);
		write_text(w, "mechanism", v->mechanism[l]);
		write_number(w, "attempts", tried(v, (int)l));
		write_text(w, "result", verify_result_keys[of_layer(v, l)]);
		write_end_object(w);
	}
	write_end_object(w);
}

void verify_json(struct verify *v)
{
	struct writer w = WRITER(v->call->out);

	write_object(&w, NULL);
	for (int i = 0; i < VERIFY_RESULTS; i++)
		write_number(&w, verify_result_keys[i], count(v, -1, (enum verify_result)i));
	write_layers(&w, v);
	write_list(&w, "attempts");
	for (size_t i = 0; i < v->row_count; i++) {
		const struct verify_row *row = &v->rows[i];

		write_object(&w, NULL);
		write_text(&w, "layer", layer_names[row->layer]);
		write_text(&w, "name", row->name);
		write_text(&w, "result", verify_result_keys[row->result]);
		write_text(&w, "why", row->why);
		write_end_object(&w);
	}
	write_end_list(&w);
	write_end_object(&w);
}
