/* SPDX-License-Identifier: Apache-2.0 */

/* ward list, ward status: the sandboxes that live. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "cli/boxes.h"
#include "cli/view.h"

#include <stdio.h>
#include <string.h>

static const struct field list_options[] = {
	OPTION_JSON(struct boxes_options),
	{0},
};

static const struct field status_options[] = {
	BOXES_OPTIONS,
	{"line", F_BOOL(struct boxes_options, line,
			 .help = "one short line, for a prompt or status bar")},
	OPTION_JSON(struct boxes_options),
	{0},
};

static void show_head(struct call *c)
{
	buf_printf(c->out, "%-42s %-24s %-8s %-9s %5s %5s %8s %8s %-8s %s\n", "NAME", "SESSION",
		"RUNTIME", "STATE", "AGE", "IDLE", "CPU", "MEMORY", "NETWORK", "CONFIG");
}

static void show_row(struct call *c, const struct place_row *row)
{
	auto_(buf_free) struct buf session = BUF(200);
	const struct card *k = &row->card;
	char age[16], idle[16], cpu[NUMBER_TEXT], memory[NUMBER_TEXT];

	if (row->broken) {
		buf_printf(c->out, "%-42s  of another version of ward\n", row->name);
		return;
	}
	escape_text(&session, k->session[0] ? k->session : "-");
	boxes_ago(boxes_age_ms(k), age);
	boxes_ago(boxes_idle_ms(k), idle);
	number_duration_text(k->cpu_us / 1000, cpu);
	number_size_text(k->memory_peak >> 20 << 20, memory);
	buf_printf(c->out, "%-42.42s %-24s %-8s %-9s %5s %5s %8s %8s %-8s %s\n", row->name,
		buf_text(&session), k->runtime, k->running ? "busy" : card_state_names[k->state],
		age, k->running ? "-" : idle, cpu, memory, k->network,
		living_is_current(k) ? "same" : "changed");
}

static int list(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int place = place_open(c->arena, e);
	struct place_row *rows;
	struct writer w = WRITER(c->out);
	size_t count, alive = 0;
	int r;

	if (place < 0)
		return place;
	r = place_list(place, c->arena, &rows, &count);
	if (r < 0)
		return err_sys(e, r, "list the sandboxes");
	if (o->json.v)
		write_list(&w, NULL);
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].alive)
			continue;
		if (o->json.v)
			boxes_write(&w, &rows[i]);
		else if (alive == 0)
			show_head(c);
		if (!o->json.v)
			show_row(c, &rows[i]);
		alive++;
	}
	if (o->json.v) {
		write_end_list(&w);
		buf_putc(c->out, '\n');
	} else if (alive == 0) {
		buf_puts(c->out, "no sandbox runs; 'ward exec' and 'ward start' start one\n");
	}
	return EXIT_OK;
}

static void show_line(struct call *c, const struct exec_answer *answer, const struct place_row *row)
{
	const struct sandbox *s = &answer->run.verdict.effective->s.sandbox;

	buf_printf(c->out, "ward: native, network %s", net_mode_names[s->network.mode.v]);
	if (!row->alive)
		buf_puts(c->out, ", not started");
	else if (row->card.running)
		buf_printf(c->out, ", %u running", row->card.running);
	buf_putc(c->out, '\n');
}

static int status(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	auto_fd int place = place_open(c->arena, e);
	struct place_row row = {0};
	struct writer w = WRITER(c->out);
	int r = place < 0 ? place : boxes_find(c, answer, e);

	if (r < 0)
		return r;
	if (place_read(place, answer->name, &row) < 0 || !row.alive)
		row = (struct place_row){.name = answer->name};
	if (o->line.v) {
		show_line(c, answer, &row);
	} else if (o->json.v && row.alive) {
		boxes_write(&w, &row);
		buf_putc(c->out, '\n');
	} else if (o->json.v) {
		write_object(&w, NULL);
		write_text(&w, "name", row.name);
		write_text(&w, "state", "stopped");
		write_end_object(&w);
		buf_putc(c->out, '\n');
	} else if (row.alive) {
		show_head(c);
		show_row(c, &row);
	} else {
		buf_printf(c->out, "%s does not run; 'ward exec' and 'ward start' start it\n",
			row.name);
	}
	return EXIT_OK;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "list the sandboxes that run",
	.options = list_options,
	.options_size = sizeof(struct boxes_options),
	.details = "Those of the calling user. MEMORY is the most that a sandbox has used; CONFIG\n"
		   "says whether the configuration files are those that it was made from.",
	.examples = "  ward list\n"
		    "  ward list --json\n",
	.run = list,
};

const struct command cmd_status = {
	.name = "status",
	.summary = "show the sandbox of a session",
	.options = status_options,
	.options_size = sizeof(struct boxes_options),
	.details = "The session's sandbox for the current folder.",
	.examples = "  ward status\n"
		    "  ward status --line\n"
		    "  ward status --session build --json\n",
	.run = status,
};
