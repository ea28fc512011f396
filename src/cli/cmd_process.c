/* SPDX-License-Identifier: Apache-2.0 */

/* ward process list, output, write, signal, wait: background processes of a session's sandbox. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "cli/boxes.h"
#include "door/background.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct field list_options[] = {
	BOXES_OPTIONS,
	OPTION_JSON(struct boxes_options),
	{0},
};

static const struct field output_options[] = {
	BOXES_OPTIONS,
	{"follow", F_BOOL(struct boxes_options, follow, .letter = 'f',
			   .help = "go on until the process has ended")},
	{"since", F_TEXT(struct boxes_options, since, .arg = "N",
			  .help = "from byte N of all that it has written")},
	{0},
};

static const struct field write_options[] = {
	BOXES_OPTIONS,
	{"end", F_BOOL(struct boxes_options, end, .help = "close the process's input afterwards")},
	{0},
};

static const struct field plain_options[] = {
	BOXES_OPTIONS,
	{0},
};

static int process_id(struct call *c, int32_t *ret, struct err *e)
{
	auto_(buf_free) struct buf shown = BUF(80);
	uint64_t n;

	if (number_count(c->args[0], &n, e) == 0 && n > 0 && n <= INT32_MAX) {
		*ret = (int32_t)n;
		return 0;
	}
	escape_text(&shown, c->args[0]);
	return err_set(e, EINVAL, "'%s' is no id of a process; 'ward process list' shows them",
		buf_text(&shown));
}

static void show_process(struct call *c, const struct post_process *p, int32_t id)
{
	auto_(buf_free) struct buf command = BUF(400);
	char age[16], state[48];

	boxes_ago(p->age_ms, age);
	if (!p->ended)
		snprintf(state, sizeof state, "running");
	else if (p->exit_code >= 0)
		snprintf(state, sizeof state, "exited %d", p->exit_code);
	else
		snprintf(state, sizeof state, "signal %d", p->signal);
	escape_text(&command, p->command);
	buf_printf(c->out, "%4d  %-12s %6s %10llu  %s\n", id, state, age,
		(unsigned long long)p->written, buf_text(&command));
}

static void write_process(struct writer *w, const struct post_process *p, int32_t id)
{
	int reason = p->reason >= 0 && p->reason < END_COUNT ? p->reason : END_INTERNAL;

	write_object(w, NULL);
	write_number(w, "id", id);
	write_text(w, "command", p->command);
	write_text(w, "state", p->ended ? "ended" : "running");
	write_unsigned(w, "ageMs", p->age_ms);
	write_unsigned(w, "outputBytes", p->written);
	write_unsigned(w, "outputKept", p->kept);
	write_bool(w, "inputOpen", p->input);
	if (p->ended) {
		write_number(w, "exitCode", p->exit_code);
		write_number(w, "signal", p->signal);
		write_text(w, "reason", end_reason_names[reason]);
	}
	write_end_object(w);
}

struct listing {
	struct call *call;
	struct writer w;
	bool json;
};

static void list_one(void *ctx, int32_t id, const struct post_process *p)
{
	struct listing *l = ctx;

	if (l->json)
		write_process(&l->w, p, id);
	else
		show_process(l->call, p, id);
}

static int list(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int box = boxes_connect(c, e);
	struct listing l = {.call = c, .w = WRITER(c->out), .json = o->json.v};
	int r;

	if (box < 0)
		return box;
	if (o->json.v)
		write_list(&l.w, NULL);
	else
		buf_printf(c->out, "%4s  %-12s %6s %10s  %s\n", "ID", "STATE", "AGE", "OUTPUT",
			"COMMAND");
	r = background_list(box, list_one, &l, e);
	if (r < 0)
		return r;
	if (o->json.v) {
		write_end_list(&l.w);
		buf_putc(c->out, '\n');
	}
	return EXIT_OK;
}

static int put_all(const char *data, size_t len, struct err *e)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, -errno, "write to standard output");
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

/* What is no longer kept is said, not passed over. */
static int output(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int box = boxes_connect(c, e);
	uint64_t position = 0;
	int32_t id;
	int r = box < 0 ? box : process_id(c, &id, e);

	if (r == 0 && o->since.v)
		r = number_count(o->since.v, &position, e);
	while (r == 0) {
		const struct post_data *d;

		r = background_output(box, id, position, o->follow.v, &d, e);
		if (r < 0)
			return r;
		if (d->position > position)
			fprintf(stderr, "ward: %llu bytes before this are no longer kept\n",
				(unsigned long long)(d->position - position));
		r = put_all(d->bytes, d->size, e);
		position = d->position + d->size;
		if (d->flag || (!o->follow.v && d->size == 0))
			break;
	}
	return r < 0 ? r : EXIT_OK;
}

static int write_it(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int box = boxes_connect(c, e);
	char data[16384];
	int32_t id;
	int r = box < 0 ? box : process_id(c, &id, e);

	while (r == 0) {
		ssize_t n = read(STDIN_FILENO, data, sizeof data);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, -errno, "read standard input");
		if (n == 0)
			break;
		r = background_write(box, id, data, (size_t)n, false, 0, e);
	}
	if (r == 0 && o->end.v)
		r = background_write(box, id, data, 0, true, 0, e);
	return r < 0 ? r : EXIT_OK;
}

static int signal_it(struct call *c, struct err *e)
{
	auto_fd int box = boxes_connect(c, e);
	int32_t id;
	int r = box < 0 ? box : process_id(c, &id, e);
	int number =
		r < 0 ? r : background_signal_number(c->arg_count > 1 ? c->args[1] : "TERM", e);

	if (number < 0)
		return number;
	r = background_signal(box, id, number, e);
	return r < 0 ? r : EXIT_OK;
}

/* The exit status is the process's. */
static int wait_for(struct call *c, struct err *e)
{
	auto_fd int box = boxes_connect(c, e);
	struct result result = {0};
	int32_t id;
	int r = box < 0 ? box : process_id(c, &id, e);

	if (r == 0)
		r = background_wait(box, id, -1, &result, e);
	return r < 0 ? r : result_status(&result);
}

static int with_id(struct call *c, struct err *e)
{
	static const struct {
		const char *name;
		int (*run)(struct call *c, struct err *e);
	} rows[] = {{"process output", output}, {"process write", write_it},
		{"process signal", signal_it}, {"process wait", wait_for}};

	if (c->arg_count == 0)
		return err_set(e, EINVAL, "no process given; 'ward process list' shows their ids");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_eq(rows[i].name, c->command->name))
			return rows[i].run(c, e);
	return -EINVAL;
}

const struct command cmd_process_list = {
	.name = "process list",
	.summary = "the background processes of a session's sandbox",
	.options = list_options,
	.options_size = sizeof(struct boxes_options),
	.details = "Those that have ended stay in the list until the sandbox ends or others need\n"
		   "their place.",
	.examples = "  ward process list\n",
	.run = list,
};

const struct command cmd_process_output = {
	.name = "process output",
	.summary = "what a background process has written",
	.args = "ID",
	.options = output_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 1,
	.details = "Output and errors, as they came; as much as 'outputLimit' is kept.",
	.examples = "  ward process output 1\n"
		    "  ward process output --follow 1\n",
	.run = with_id,
};

const struct command cmd_process_write = {
	.name = "process write",
	.summary = "write standard input to a background process",
	.args = "ID",
	.options = write_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 1,
	.details = "Everything that comes from standard input goes to the process's.",
	.examples = "  echo yes | ward process write 1\n",
	.run = with_id,
};

const struct command cmd_process_signal = {
	.name = "process signal",
	.summary = "send a signal to a background process",
	.args = "ID [SIGNAL]",
	.options = plain_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 2,
	.details = "TERM unless another one is named. KILL ends everything that it started too.",
	.examples = "  ward process signal 1\n"
		    "  ward process signal 1 KILL\n",
	.run = with_id,
};

const struct command cmd_process_wait = {
	.name = "process wait",
	.summary = "wait for the end of a background process",
	.args = "ID",
	.options = plain_options,
	.options_size = sizeof(struct boxes_options),
	.max_args = 1,
	.details = "Ends with the exit status of the process, as 'ward exec' would.",
	.examples = "  ward process wait 1\n",
	.run = with_id,
};
