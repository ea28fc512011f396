/* SPDX-License-Identifier: Apache-2.0 */

/* ward start, stop, restart, recreate, prune: the life of sandboxes. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "cli/boxes.h"
#include "door/cow.h"
#include "model/resolve.h"
#include "state/rate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct field start_options[] = {
	BOXES_OPTIONS,
	BOXES_NETWORK,
	OPTION_JSON(struct boxes_options),
	{0},
};

static const struct field stop_options[] = {
	BOXES_OPTIONS,
	{"all", F_BOOL(struct boxes_options, all, .help = "all sandboxes of the user")},
	{"force", F_BOOL(struct boxes_options, force, .letter = 'f',
			  .help = "also while commands run in it")},
	{0},
};

static const struct field recreate_options[] = {
	BOXES_OPTIONS,
	BOXES_NETWORK,
	{"force", F_BOOL(struct boxes_options, force, .letter = 'f',
			  .help = "also while commands run in it")},
	OPTION_JSON(struct boxes_options),
	{0},
};

static const struct field prune_options[] = {
	OPTION_CONFIG(struct boxes_options),
	OPTION_SET(struct boxes_options),
	{"dry-run",
		F_BOOL(struct boxes_options, dry_run, .help = "only say what would be removed")},
	{0},
};

static int start_it(struct call *c, struct exec_answer *answer, struct err *e)
{
	auto_(config_free) struct config config = {0};
	struct run_request q;
	int r = boxes_request(c, &config, &q, e);

	if (r == 0)
		r = exec_start(&q, c->arena, answer, e);
	if (r == 0 && !answer->run.planned)
		r = err_set(e, EACCES, "the policy does not let this session run commands");
	return r;
}

static int say_started(struct call *c, const struct exec_answer *answer, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int place = place_open(c->arena, e);
	struct writer w = WRITER(c->out);
	struct place_row row;

	if (place < 0)
		return place;
	if (!o->json.v) {
		buf_printf(
			c->out, "%s %s\n", answer->name, answer->made ? "started" : "runs already");
	} else if (place_read(place, answer->name, &row) == 0) {
		boxes_write(&w, &row);
		buf_putc(c->out, '\n');
	}
	return EXIT_OK;
}

static int start(struct call *c, struct err *e)
{
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	int r = start_it(c, answer, e);

	return r < 0 ? r : say_started(c, answer, e);
}

static int busy(int r, const char *name, const char *what, struct err *e)
{
	return r == -EBUSY ? err_set(e, EBUSY,
				     "commands run in sandbox '%s'; 'ward %s --force' ends them",
				     name, what)
			   : r;
}

/* Whoever wants to stop something can, also where nothing can be written down. */
static void record_stop(struct call *c, const char *event, const char *name)
{
	const struct boxes_options *o = c->options;
	const struct record_fact facts[] = {
		{"sandbox", name}, {"how", o->force.v ? "force" : NULL}};
	struct err ignored;

	boxes_record(c, event, facts, ARRAY_LEN(facts), &ignored);
}

static int stop(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int place = place_open(c->arena, e);
	struct place_row *rows;
	size_t count;
	int r = place < 0 ? place : boxes_choose(c, place, &rows, &count, e);

	for (size_t i = 0; r == 0 && i < count; i++) {
		r = living_stop(place, rows[i].name, o->force.v, e);
		if (r == -ENOENT) /* ended by itself meanwhile */
			r = 0;
		if (r == 0) {
			buf_printf(c->out, "%s stopped\n", rows[i].name);
			record_stop(c, "stop", rows[i].name);
		}
		r = busy(r, rows[i].name, "stop", e);
	}
	c->answered = c->out->len > 0;
	return r < 0 ? r : EXIT_OK;
}

static int recreate(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	auto_fd int place = place_open(c->arena, e);
	int r = place < 0 ? place : boxes_find(c, answer, e);

	if (r == 0)
		r = living_stop(place, answer->name, o->force.v, e);
	if (r == -ENOENT)
		r = 0;
	if (r == 0)
		record_stop(c, "recreate", answer->name);
	r = busy(r, answer->name, "recreate", e);
	return r < 0 ? r : start(c, e);
}

static void say_layer(void *ctx, const char *name, const char *workspace, bool changes)
{
	struct call *c = ctx;
	const struct boxes_options *o = c->options;

	buf_printf(c->out, "%s %s%s", name, o->dry_run.v ? "would be removed" : "removed",
		changes ? ": nobody has used it for long" : "");
	if (changes && workspace) {
		buf_puts(c->out, "; it belonged to ");
		escape_text(c->out, workspace);
	}
	buf_putc(c->out, '\n');
}

/* Layers of workspaces that are copied on write outlive their sandboxes. */
static int prune_layers(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_(config_free) struct config config = {0};
	struct effective *effective = arena_alloc(c->arena, sizeof *effective);
	struct run_request q;
	int r = boxes_request(c, &config, &q, e);

	if (r == 0)
		r = resolve_agent(&config, NULL, c->arena, effective, e);
	return r < 0 ? r
		     : cow_prune(c->arena, effective->s.sandbox.prune.age.v, o->dry_run.v,
			       say_layer, c, e);
}

static void record_prune(struct call *c)
{
	const struct record_fact fact = {"removed", buf_text(c->out)};
	struct err ignored;

	boxes_record(c, "prune", &fact, 1, &ignored);
}

/* Those that run take care of themselves: what is left belongs to nobody. */
static int prune(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int place = place_open(c->arena, e);
	struct place_row *rows;
	size_t count;
	int r = place < 0 ? place : place_list(place, c->arena, &rows, &count);

	if (r < 0)
		return place < 0 ? r : err_sys(e, r, "list the sandboxes");
	if (!o->dry_run.v)
		rate_prune(place);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].held || (!o->dry_run.v && place_forget(place, rows[i].name) < 0))
			continue;
		buf_printf(c->out, "%s %s\n", rows[i].name,
			o->dry_run.v ? "would be removed" : "removed");
	}
	r = prune_layers(c, e);
	if (!o->dry_run.v && c->out->len > 0)
		record_prune(c);
	if (r == 0 && c->out->len == 0)
		buf_puts(c->out, "nothing to remove\n");
	c->answered = c->out->len > 0;
	return r < 0 ? r : EXIT_OK;
}

const struct command cmd_start = {
	.name = "start",
	.summary = "start the sandbox of a session",
	.options = start_options,
	.options_size = sizeof(struct boxes_options),
	.details = "Nothing happens when it runs already. 'ward exec' starts it by itself.",
	.examples = "  ward start\n"
		    "  ward start --session build --json\n"
		    "  ward start --session web --allow registry.npmjs.org\n",
	.run = start,
};

const struct command cmd_stop = {
	.name = "stop",
	.summary = "stop sandboxes",
	.args = "[NAME...]",
	.options = stop_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = SIZE_MAX,
	.details =
		"Those with these names (the beginning is enough), or the session's own for the\n"
		"current folder. One in which commands run is not stopped without --force.",
	.examples = "  ward stop\n"
		    "  ward stop --session build --force\n"
		    "  ward stop --all\n",
	.run = stop,
};

const struct command cmd_recreate = {
	.name = "recreate",
	.summary = "stop the sandbox of a session and start it anew",
	.options = recreate_options,
	.options_size = sizeof(struct boxes_options),
	.details = "As after a change of the configuration.",
	.examples = "  ward recreate\n"
		    "  ward recreate --session build --force\n",
	.run = recreate,
};

const struct command cmd_restart = {
	.name = "restart",
	.summary = "the same as recreate",
	.options = recreate_options,
	.options_size = sizeof(struct boxes_options),
	.details = "Stops the sandbox of a session and starts it anew.",
	.examples = "  ward restart\n",
	.run = recreate,
};

const struct command cmd_prune = {
	.name = "prune",
	.summary = "remove what sandboxes have left behind",
	.options = prune_options,
	.options_size = sizeof(struct boxes_options),
	.details =
		"Sandboxes that run end by themselves when nobody has used them for the time in\n"
		"'prune.idle', or when they are older than 'prune.age'; they are never touched\n"
		"by this. What is removed: names of sandboxes that were killed, layers of changes\n"
		"that hold none, and layers, private workspaces and caches that nobody has used "
		"for\n"
		"the time in 'prune.age'.",
	.examples = "  ward prune --dry-run\n",
	.run = prune,
};
