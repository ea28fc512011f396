/* SPDX-License-Identifier: Apache-2.0 */

/* ward apply, discard: changes of a session go to the workspace, or away. */

#include "base/cleanup.h"
#include "cli/layers.h"
#include "cli/view.h"
#include "state/apply.h"
#include "state/flatten.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define RECORD_PATHS (64u << 10) /* of which the audit log keeps the beginning */

static const struct field apply_options[] = {
	BOXES_OPTIONS,
	{"force", F_BOOL(struct boxes_options, force, .letter = 'f',
			  .help = "also over what was changed on the host meanwhile; commands that "
				  "run are ended")},
	{"allow-protected", F_BOOL(struct boxes_options, allow_protected,
				    .help = "also names that the configuration protects")},
	{"dry-run", F_BOOL(struct boxes_options, dry_run, .help = "only say what would be done")},
	OPTION_JSON(struct boxes_options),
	{0},
};

static const struct field discard_options[] = {
	BOXES_OPTIONS,
	{"force", F_BOOL(struct boxes_options, force, .letter = 'f',
			  .help = "commands that run are ended")},
	{"dry-run", F_BOOL(struct boxes_options, dry_run, .help = "only say what would be done")},
	{0},
};

struct work {
	struct exec_answer *answer;
	struct layer layer;
	struct changes changes;
};

static void work_close(struct work *w)
{
	changes_close(&w->changes);
	layer_close(&w->layer);
}

/* The changes that the arguments name, held so that nobody else changes them meanwhile. */
static int begin(struct call *c, bool hold, bool flat, struct work *w, struct err *e)
{
	const struct boxes_options *o = c->options;
	const char **paths;
	int r;

	w->answer = arena_alloc(c->arena, sizeof *w->answer);
	r = boxes_find(c, w->answer, e);
	if (r == 0)
		r = hold ? cow_hold(c->arena, w->answer->name, o->force.v, &w->layer, e)
			 : cow_look(c->arena, w->answer->name, &w->layer, e);
	if (r == 0)
		r = layers_paths(c, &w->layer, &paths, e);
	/* Single names can be taken out of one layer only; before anything else is done. */
	if (r == 0 && hold && (flat || c->arg_count > 0))
		r = flatten(&w->layer, e);
	if (r == 0)
		r = changes_find(c->arena, &w->layer, hold, paths, c->arg_count, &w->changes, e);
	return r;
}

static void show_row(struct call *c, const struct apply_row *row, bool dry_run)
{
	const char *word = apply_verdict_names[row->verdict];

	if (row->verdict == APPLY_DONE)
		word = change_kind_names[row->change->kind];
	if (dry_run)
		buf_puts(c->out, row->verdict == APPLY_DONE ? "would be " : "not: ");
	view_tone(c, row->verdict == APPLY_DONE ? VIEW_GOOD : VIEW_BAD, word);
	buf_printf(c->out, "%*s ", (int)(9 - (strlen(word) < 9 ? strlen(word) : 9)), "");
	layers_put_path(c, row->change->path);
	if (row->verdict == APPLY_FAILED)
		buf_printf(c->out, ": %s", strerror(-row->error));
	buf_putc(c->out, '\n');
}

static void write_rows(struct call *c, const struct apply *a)
{
	struct writer w = WRITER(c->out);

	write_object(&w, NULL);
	write_text(&w, "workspace", a->changes->layer->chain.workspace);
	write_list(&w, "changes");
	for (size_t i = 0; i < a->changes->count; i++) {
		write_object(&w, NULL);
		write_text(&w, "path", a->rows[i].change->path);
		write_text(&w, "kind", change_kind_names[a->rows[i].change->kind]);
		write_text(&w, "result", apply_verdict_names[a->rows[i].verdict]);
		if (a->rows[i].verdict == APPLY_FAILED)
			write_text(&w, "error", strerror(-a->rows[i].error));
		write_end_object(&w);
	}
	write_end_list(&w);
	write_unsigned(&w, "applied", a->changes->count - (a->left - a->changes->skipped));
	write_unsigned(&w, "skipped", a->changes->skipped);
	write_unsigned(&w, "left", a->left);
	write_end_object(&w);
	buf_putc(c->out, '\n');
}

/* What to do about those that are left. */
static void show_ways_out(struct call *c, const struct apply *a)
{
	static const char *const ways[APPLY_VERDICT_COUNT] = {
		[APPLY_CONFLICT] = "were changed on the host too; overwrite them: --force",
		[APPLY_PROTECTED] = "are protected by the configuration: --allow-protected",
		[APPLY_LEFT_OUT] = "are neither files, folders nor links",
		[APPLY_FAILED] = "failed; they are still among the changes",
	};
	size_t count[APPLY_VERDICT_COUNT] = {0};

	for (size_t i = 0; i < a->changes->count; i++)
		count[a->rows[i].verdict]++;
	layers_say_skipped(c, a->changes);
	for (int v = 0; v < APPLY_VERDICT_COUNT; v++)
		if (ways[v] && count[v])
			buf_printf(c->out, "%zu not applied: they %s\n", count[v], ways[v]);
}

static void show_all(struct call *c, const struct apply *a, bool dry_run)
{
	for (size_t i = 0; i < a->changes->count; i++)
		show_row(c, &a->rows[i], dry_run);
	if (a->changes->count == 0)
		layers_say_none(c);
	show_ways_out(c, a);
}

/* What is about to be done to which names; without it, it is not done. */
static int record(struct call *c, const char *event, const struct work *w, struct err *e)
{
	auto_(buf_free) struct buf paths = BUF(RECORD_PATHS);
	char count[24];

	snprintf(count, sizeof count, "%zu", w->changes.count);
	for (size_t i = 0; i < w->changes.count && paths.dropped == 0; i++) {
		buf_puts(&paths, i ? "\n" : "");
		buf_puts(&paths, w->changes.items[i].path);
	}
	const struct record_fact facts[] = {
		{"session", w->answer->run.verdict.session.key},
		{"sandbox", w->answer->name},
		{"workspace", w->answer->run.plan.workspace_path},
		{"changes", count},
		{"paths", buf_text(&paths)},
	};
	return w->changes.count ? boxes_record(c, event, facts, ARRAY_LEN(facts), e) : 0;
}

static int apply(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_(work_close) struct work w = {.layer = LAYER_NONE, .changes.base = -1};
	struct apply a = {.changes = &w.changes,
		.force = o->force.v,
		.allow_protected = o->allow_protected.v};
	int r = begin(c, !o->dry_run.v, true, &w, e);

	if (r < 0)
		return r;
	a.protect = w.answer->run.plan.protect;
	a.protect_count = w.answer->run.plan.protect_count;
	apply_judge(&a);
	if (!o->dry_run.v)
		r = record(c, "apply", &w, e);
	if (r < 0)
		return r;
	if (!o->dry_run.v)
		r = apply_carry_out(&a, e);
	if (o->json.v)
		write_rows(c, &a);
	else
		show_all(c, &a, o->dry_run.v);
	c->answered = true;
	return r < 0 ? r : a.left ? EXIT_FOUND : EXIT_OK;
}

static int discard(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_(work_close) struct work w = {.layer = LAYER_NONE, .changes.base = -1};
	int r = begin(c, !o->dry_run.v, false, &w, e);

	/* All of them can go without having been looked at. */
	if (r < 0 && w.layer.lock >= 0 && c->arg_count == 0) {
		buf_puts(c->out, "discarded all; what it was could not be looked at\n");
		return layer_reset(&w.layer, e) < 0 ? -EIO : EXIT_OK;
	}
	if (r == 0 && !o->dry_run.v)
		r = record(c, "discard", &w, e);
	if (r == 0 && !o->dry_run.v)
		r = apply_discard(&w.changes, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < w.changes.count; i++) {
		if (w.changes.items[i].needed)
			continue;
		buf_puts(c->out, o->dry_run.v ? "would be discarded " : "discarded ");
		layers_put_path(c, w.changes.items[i].path);
		buf_putc(c->out, '\n');
	}
	layers_say_skipped(c, &w.changes);
	if (c->out->len == 0)
		layers_say_none(c);
	return EXIT_OK;
}

const struct command cmd_apply = {
	.name = "apply",
	.summary = "put a session's changes into the workspace",
	.args = "[PATH...]",
	.options = apply_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = SIZE_MAX,
	.details =
		"All changes, or those at and below the paths. Each file is replaced as a whole.\n"
		"What was changed on the host since the session began is reported and left alone,\n"
		"as are protected names. The sandbox is stopped first, and starts again with the\n"
		"next 'ward exec'; while commands run in it nothing is done. Exit status 1: some\n"
		"changes are left.",
	.examples = "  ward apply --dry-run\n"
		    "  ward apply src/main.c docs\n"
		    "  ward apply --json\n",
	.run = apply,
};

const struct command cmd_discard = {
	.name = "discard",
	.summary = "throw a session's changes away",
	.args = "[PATH...]",
	.options = discard_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = SIZE_MAX,
	.details =
		"All changes, or those at and below the paths: the workspace's own files are\n"
		"seen there again. Snapshots stay. The sandbox is stopped first; while commands\n"
		"run in it nothing is done.",
	.examples = "  ward discard --dry-run\n"
		    "  ward discard node_modules\n",
	.run = discard,
};
