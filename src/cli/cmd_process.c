/* SPDX-License-Identifier: Apache-2.0 */

/* ward process list, output, write, signal, wait: background processes of a session's sandbox. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "cli/boxes.h"

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

static struct post message;

static int process_id(struct call *c, int32_t *ret, struct err *e)
{
	uint64_t n;
	int r = number_count(c->args[0], &n, e);

	if (r == 0 && (n == 0 || n > INT32_MAX))
		r = err_set(
			e, EINVAL, "a process's id is a number, as 'ward process list' shows it");
	if (r == 0)
		*ret = (int32_t)n;
	return r;
}

static int send_it(int box, uint32_t kind, int32_t id, struct err *e)
{
	return boxes_say(box, &message, kind, id, e);
}

static int hear(int box, struct err *e)
{
	return boxes_hear(box, &message, e);
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

static int list(struct call *c, struct err *e)
{
	const struct boxes_options *o = c->options;
	auto_fd int box = boxes_connect(c, e);
	struct writer w = WRITER(c->out);
	int r = box < 0 ? box : send_it(box, POST_PROCESSES, 0, e);

	if (r < 0)
		return r;
	if (o->json.v)
		write_list(&w, NULL);
	else
		buf_printf(c->out, "%4s  %-12s %6s %10s  %s\n", "ID", "STATE", "AGE", "OUTPUT",
			"COMMAND");
	for (;;) {
		r = hear(box, e);
		if (r < 0)
			return r;
		if (message.kind != POST_PROCESS)
			break;
		message.process.command[POST_COMMAND - 1] = '\0';
		if (o->json.v)
			write_process(&w, &message.process, message.number);
		else
			show_process(c, &message.process, message.number);
	}
	if (o->json.v) {
		write_end_list(&w);
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
		message.data.position = position;
		message.data.flag = o->follow.v;
		message.data.size = 0;
		r = send_it(box, POST_PROCESS_OUTPUT, id, e);
		if (r == 0)
			r = hear(box, e);
		if (r < 0)
			return r;
		if (message.kind != POST_OUTPUT || message.data.size > POST_DATA)
			return err_set(e, EPROTO, "the sandbox answers something else");
		if (message.data.position > position)
			fprintf(stderr, "ward: %llu bytes before this are no longer kept\n",
				(unsigned long long)(message.data.position - position));
		r = put_all(message.data.bytes, message.data.size, e);
		position = message.data.position + message.data.size;
		if (message.data.flag || (!o->follow.v && message.data.size == 0))
			break;
	}
	return r < 0 ? r : EXIT_OK;
}

static int write_part(int box, int32_t id, const char *data, size_t len, bool end, struct err *e)
{
	struct timespec pause = {.tv_nsec = 10000000};
	size_t done = 0;

	do {
		int r;

		memcpy(message.data.bytes, data + done, len - done);
		message.data.position = 0;
		message.data.size = (uint32_t)(len - done);
		message.data.flag = end;
		r = send_it(box, POST_PROCESS_WRITE, id, e);
		if (r == 0)
			r = hear(box, e);
		if (r < 0)
			return r;
		if (message.number < 0)
			return err_sys(e, message.number, "write to process %d", id);
		done += (size_t)message.number;
		if (message.number == 0 && len > 0)
			nanosleep(&pause, NULL);
	} while (done < len);
	return 0;
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
		r = write_part(box, id, data, (size_t)n, false, e);
	}
	if (r == 0 && o->end.v)
		r = write_part(box, id, data, 0, true, e);
	return r < 0 ? r : EXIT_OK;
}

static const struct {
	const char *name;
	int number;
} signals[] = {{"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"KILL", SIGKILL},
	{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM}, {"CONT", SIGCONT},
	{"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"WINCH", SIGWINCH}, {"ALRM", SIGALRM}};

static int signal_number(const char *text, struct err *e)
{
	const char *name = str_starts(text, "SIG") ? text + 3 : text;
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (str_eq(signals[i].name, name))
			return signals[i].number;
	if (number_count(text, &n, e) == 0 && n > 0 && n < NSIG)
		return (int)n;
	return err_set(e, EINVAL, "no signal: write TERM, KILL, INT, HUP, ... or a number");
}

static int signal_it(struct call *c, struct err *e)
{
	auto_fd int box = boxes_connect(c, e);
	int32_t id;
	int r = box < 0 ? box : process_id(c, &id, e);
	int number = r < 0 ? r : signal_number(c->arg_count > 1 ? c->args[1] : "TERM", e);

	if (number < 0)
		return number;
	message.data.position = (uint64_t)number;
	message.data.size = message.data.flag = 0;
	r = send_it(box, POST_PROCESS_SIGNAL, id, e);
	if (r == 0)
		r = hear(box, e);
	if (r == 0 && message.number < 0)
		r = err_sys(e, message.number, "signal process %d", id);
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
		r = send_it(box, POST_PROCESS_WAIT, id, e);
	if (r == 0)
		r = hear(box, e);
	if (r < 0)
		return r;
	if (message.kind != POST_ENDED)
		return err_set(e, EPROTO, "the sandbox answers something else");
	result.exit_code = message.end.exit_code;
	result.signal = message.end.signal;
	result.start_error = message.end.start_error;
	result.reason = message.end.reason >= 0 && message.end.reason < END_COUNT
				? (enum end_reason)message.end.reason
				: END_INTERNAL;
	return result_status(&result);
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
