/* SPDX-License-Identifier: Apache-2.0 */

/* ward snapshot create, list, restore, delete; ward fork: states of a session's changes. */

#include "base/cleanup.h"
#include "base/str.h"
#include "cli/layers.h"
#include "door/load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct field change_options[] = {
	BOXES_OPTIONS,
	{"force", F_BOOL(struct boxes_options, force, .letter = 'f',
			  .help = "commands that run are ended")},
	{0},
};

static const struct field list_options[] = {
	BOXES_OPTIONS,
	OPTION_JSON(struct boxes_options),
	{0},
};

static int hold(struct call *c, struct layer *ret, struct err *e)
{
	const struct boxes_options *o = c->options;
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	int r = boxes_find(c, answer, e);

	return r < 0 ? r : cow_hold(c->arena, answer->name, o->force.v, ret, e);
}

static const char *name_for(struct call *c, struct layer *l)
{
	const char *name;
	int n = 1;

	if (c->arg_count > 0)
		return c->args[0];
	do
		name = arena_printf(c->arena, "%d", n++);
	while (chain_find(&l->chain, name));
	return name;
}

static int create(struct call *c, struct err *e)
{
	auto_(layer_close) struct layer l = LAYER_NONE;
	int r = c->arg_count ? chain_name_check(c->args[0], e) : 0;
	const char *name;

	if (r == 0)
		r = hold(c, &l, e);
	if (r < 0)
		return r;
	name = name_for(c, &l);
	if (chain_find(&l.chain, name))
		return err_set(e, EEXIST, "there is a snapshot '%s' already", name);
	r = layer_freeze(&l, name, e);
	if (r < 0)
		return r;
	buf_printf(c->out, "%s\n", name);
	return EXIT_OK;
}

static int list(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	auto_(layer_close) struct layer l = LAYER_NONE;
	struct writer w = WRITER(c->out);
	int r = boxes_find(c, answer, e);

	if (r == 0)
		r = cow_look(c->arena, answer->name, &l, e);
	if (r < 0)
		return r;
	if (o->json.v)
		write_list(&w, NULL);
	for (size_t i = 0; i < l.chain.snapshot_count; i++) {
		const struct chain_snapshot *s = &l.chain.snapshots[i];
		time_t made = s->made_ms / 1000;
		struct tm tm;
		char text[40];

		gmtime_r(&made, &tm);
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
		if (!o->json.v) {
			buf_printf(c->out, "%-32s %s\n", s->name, text);
			continue;
		}
		write_object(&w, NULL);
		write_text(&w, "name", s->name);
		write_number(&w, "createdMs", s->made_ms);
		write_unsigned(&w, "layers", s->layers.count);
		write_end_object(&w);
	}
	if (o->json.v) {
		write_end_list(&w);
		buf_putc(c->out, '\n');
	} else if (l.chain.snapshot_count == 0) {
		buf_puts(c->out, "no snapshots; 'ward snapshot create' makes one\n");
	}
	return EXIT_OK;
}

static struct chain_snapshot *find(struct layer *l, const char *name, struct err *e)
{
	struct chain_snapshot *s = chain_find(&l->chain, name);

	if (!s)
		err_set(e, ENOENT,
			"no snapshot '%s'; 'ward snapshot list' shows those that there are", name);
	return s;
}

/* Changes since the last snapshot are kept under a name of their own. */
static int put_aside(struct call *c, struct layer *l, const char *restored, struct err *e)
{
	const char *name;
	int n = 1, r;

	if (layer_is_empty(l) && chain_is_kept(&l->chain))
		return 0;
	do
		name = arena_printf(c->arena, "before-%.40s-%d", restored, n++);
	while (chain_find(&l->chain, name));
	r = layer_freeze(l, name, e);
	if (r == 0)
		buf_printf(c->out, "the changes until now are kept as snapshot '%s'\n", name);
	return r;
}

static int restore(struct call *c, struct err *e)
{
	auto_(layer_close) struct layer l = LAYER_NONE;
	const struct chain_snapshot *s;
	struct chain_layers layers;
	struct chain_time since;
	int r = hold(c, &l, e);

	if (r < 0)
		return r;
	s = find(&l, c->args[0], e);
	if (!s)
		return -ENOENT;
	layers = s->layers;
	since = s->since;
	r = put_aside(c, &l, c->args[0], e);
	if (r < 0)
		return r;
	l.chain.below = layers;
	l.chain.since = since;
	r = layer_save(&l, e);
	if (r < 0)
		return r;
	buf_printf(c->out, "restored '%s'\n", c->args[0]);
	return EXIT_OK;
}

static int remove_some(struct call *c, struct err *e)
{
	auto_(layer_close) struct layer l = LAYER_NONE;
	int r = hold(c, &l, e);

	for (size_t i = 0; r == 0 && i < c->arg_count; i++) {
		struct chain_snapshot *s = find(&l, c->args[i], e);

		if (s)
			chain_drop_snapshot(&l.chain, s);
		else
			r = -ENOENT;
	}
	if (r == 0)
		r = layer_save(&l, e);
	if (r < 0)
		return r;
	layer_collect(&l);
	for (size_t i = 0; i < c->arg_count; i++)
		buf_printf(c->out, "deleted '%s'\n", c->args[i]);
	return EXIT_OK;
}

static int needs(struct call *c, size_t count, const char *what, struct err *e)
{
	return c->arg_count >= count ? 0 : err_set(e, EINVAL, "%s", what);
}

static int restore_checked(struct call *c, struct err *e)
{
	int r = needs(c, 1, "name a snapshot; 'ward snapshot list' shows them", e);

	return r < 0 ? r : restore(c, e);
}

static int delete_checked(struct call *c, struct err *e)
{
	int r = needs(c, 1, "name a snapshot; 'ward snapshot list' shows them", e);

	return r < 0 ? r : remove_some(c, e);
}

/* The sandbox of another session, by the same configuration. */
static int find_other(struct call *c, char *session, struct exec_answer *ret, struct err *e)
{
	struct boxes_options *o = arena_copy(c->arena, c->options, sizeof(struct boxes_options));
	struct call other = *c;

	o->session.v = session;
	other.options = o;
	return boxes_find(&other, ret, e);
}

static int fork_it(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	struct exec_answer *from = arena_alloc(c->arena, sizeof *from),
			   *to = arena_alloc(c->arena, sizeof *to);
	auto_(layer_close) struct layer l = LAYER_NONE;
	int r = needs(c, 2, "two sessions are needed: ward fork SESSION NEW", e);

	if (r == 0)
		r = find_other(c, c->args[0], from, e);
	if (r == 0)
		r = find_other(c, c->args[1], to, e);
	if (r < 0)
		return r;
	if (str_eq(from->name, to->name))
		return err_set(e, EINVAL,
			"both sessions have the same sandbox (scope '%s'); use scope 'session', or "
			"another name",
			scope_names[from->run.verdict.effective->s.sandbox.scope.v]);
	r = cow_hold(c->arena, from->name, o->force.v, &l, e);
	if (r == 0)
		r = layer_fork(&l, load_state_path(c->arena), to->name, e);
	if (r < 0)
		return r;
	buf_printf(c->out, "session '%s' goes on from the files of '%s'\n", c->args[1], c->args[0]);
	return EXIT_OK;
}

const struct command cmd_snapshot_create = {
	.name = "snapshot create",
	.summary = "keep the state of a session's changes",
	.args = "[NAME]",
	.options = change_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 1,
	.details = "For a workspace that is copied on write. Costs nothing but a name: the changes "
		   "so\n"
		   "far are frozen, and later ones go on top. The sandbox is stopped first, and "
		   "starts\n"
		   "again with the next 'ward exec'; while commands run in it nothing is done. "
		   "Without\n"
		   "a name it gets a number.",
	.examples = "  ward snapshot create before-refactoring\n",
	.run = create,
};

const struct command cmd_snapshot_list = {
	.name = "snapshot list",
	.summary = "list the snapshots of a session's changes",
	.options = list_options,
	.options_size = sizeof(struct boxes_options),
	.details = "The oldest first.",
	.examples = "  ward snapshot list\n"
		    "  ward snapshot list --session build --json\n",
	.run = list,
};

const struct command cmd_snapshot_restore = {
	.name = "snapshot restore",
	.summary = "go back to a snapshot",
	.args = "NAME",
	.options = change_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 1,
	.details =
		"The session's files are as they were then. What was changed since is kept as a\n"
		"snapshot too, whose name is printed.",
	.examples = "  ward snapshot restore before-refactoring\n",
	.run = restore_checked,
};

const struct command cmd_snapshot_delete = {
	.name = "snapshot delete",
	.summary = "delete snapshots",
	.args = "NAME...",
	.options = change_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = SIZE_MAX,
	.details = "The session's files as they are now do not change by it.",
	.examples = "  ward snapshot delete before-refactoring\n",
	.run = delete_checked,
};

const struct command cmd_fork = {
	.name = "fork",
	.summary = "let a second session go on from the same files",
	.args = "SESSION NEW",
	.options = change_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 2,
	.details = "For a workspace that is copied on write: NEW begins with the changes that "
		   "SESSION\n"
		   "has made so far; from then on each has its own. Nothing is copied.",
	.examples = "  ward fork main try-another-way\n"
		    "  ward exec --session try-another-way -- make test\n",
	.run = fork_it,
};
