/* SPDX-License-Identifier: Apache-2.0 */

/* The program: finds the command, reads its options, prints what it has to say. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/str.h"
#include "cli/cli.h"
#include "sys/term.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* In the order of the overview. */
const struct command *const commands[] = {
	&cmd_run,
	&cmd_exec,
	&cmd_shell,
	&cmd_process_list,
	&cmd_process_output,
	&cmd_process_write,
	&cmd_process_signal,
	&cmd_process_wait,
	&cmd_net_show,
	&cmd_net_allow,
	&cmd_net_deny,
	&cmd_approvals,
	&cmd_approve,
	&cmd_deny,
	&cmd_grants_list,
	&cmd_grants_revoke,
	&cmd_start,
	&cmd_stop,
	&cmd_restart,
	&cmd_recreate,
	&cmd_status,
	&cmd_list,
	&cmd_prune,
	&cmd_diff,
	&cmd_apply,
	&cmd_discard,
	&cmd_snapshot_create,
	&cmd_snapshot_list,
	&cmd_snapshot_restore,
	&cmd_snapshot_delete,
	&cmd_fork,
	&cmd_stats,
	&cmd_top,
	&cmd_audit_tail,
	&cmd_audit_query,
	&cmd_audit_verify,
	&cmd_audit_anchor,
	&cmd_audit_export,
	&cmd_audit_report,
	&cmd_mcp_config, /* before `mcp`: the longer name is looked for first */
	&cmd_mcp,
	&cmd_wrap,
	&cmd_explain,
	&cmd_tools_list,
	&cmd_tools_check,
	&cmd_tools_call,
	&cmd_config_check,
	&cmd_config_show,
	&cmd_config_schema,
	&cmd_config_import,
	&cmd_doctor,
	&cmd_verify,
	&cmd_completion,
	&cmd_help,
	&cmd_version,
	NULL,
};

#define OUTPUT_MAX (64u << 20)

static int write_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static void print_error(const struct err *e)
{
	auto_(buf_free) struct buf out = BUF(4096);

	buf_printf(&out, "ward: %s\n", e->text);
	write_all(STDERR_FILENO, buf_text(&out), out.len);
}

/* All of it or nothing: half an answer looks like one. */
static int print_output(const struct buf *out, struct err *e)
{
	int r;

	if (out->dropped)
		return err_set(e, EFBIG,
			"the answer is larger than %u MiB; ask for less, such as "
			"one agent",
			OUTPUT_MAX >> 20);
	r = write_all(STDOUT_FILENO, buf_text(out), out->len);
	return r < 0 && r != -EPIPE ? err_sys(e, r, "write to standard output") : 0;
}

/* "config check" needs two words; ret_used says how many were taken. */
static const struct command *find_command(char **argv, size_t argc, size_t *ret_used)
{
	char name[128];
	const struct command *found;

	*ret_used = 2; /* "mcp config" is not "mcp" with an argument */
	snprintf(name, sizeof name, "%.60s %.60s", argv[0], argc > 1 ? argv[1] : "");
	found = help_find(name);
	if (found)
		return found;
	*ret_used = 1;
	return help_find(argv[0]);
}

static bool asks_for_help(char **argv, size_t argc)
{
	for (size_t i = 0; i < argc && !str_eq(argv[i], "--"); i++)
		if (str_eq(argv[i], "--help") || str_eq(argv[i], "-h"))
			return true;
	return false;
}

static int run_command(
	const struct command *command, char **argv, size_t argc, struct call *c, struct err *e)
{
	void *options = arena_alloc(c->arena, command->options_size);
	int r;

	c->command = command;
	c->options = options;
	if (asks_for_help(argv, argc)) {
		help_command(c->out, command);
		return EXIT_OK;
	}
	r = options_parse(c, argv, argc, options, e);
	return r < 0 ? r : command->run(c, e);
}

static int dispatch(char **argv, size_t argc, struct call *c, struct err *e)
{
	const struct command *command;
	size_t used;

	if (argc == 0 || str_eq(argv[0], "--help") || str_eq(argv[0], "-h")) {
		help_overview(c->out);
		return argc == 0 ? EXIT_WARD : EXIT_OK;
	}
	command = find_command(argv, argc, &used);
	if (str_eq(argv[0], "--version")) {
		command = &cmd_version;
		used = 1;
	}
	if (command)
		return run_command(command, argv + used, argc - used, c, e);
	if (help_is_group(argv[0]) &&
		(argc == 1 || str_eq(argv[1], "--help") || str_eq(argv[1], "-h"))) {
		help_group(c->out, argv[0]);
		return argc == 1 ? EXIT_WARD : EXIT_OK;
	}
	if (help_is_group(argv[0])) {
		char name[128];

		snprintf(name, sizeof name, "%.60s %.60s", argv[0], argv[1]);
		return help_unknown(name, e);
	}
	return help_unknown(argv[0], e);
}

/*
 * Small C libraries give memory back to the kernel with the last block of a size, and fetch it
 * again for the next one. A block that stays of each size that comes and goes during a start saves
 * that.
 */
static void keep_memory(void)
{
	static const size_t sizes[] = {48, 100, 200};
	static void *kept[ARRAY_LEN(sizes)];

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		kept[i] = mem_alloc(sizes[i]);
	(void)kept;
}

/*
 * A file that is opened later must not get the number of a closed standard file: the first message
 * would be written to it. Reading finds the end then, and writing fails as it does on a closed one.
 */
static int fill_standard_files(struct err *e)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return err_sys(e, -errno,
				"descriptor %d is closed, and '/dev/null' cannot stand in for it",
				fd);
	return 0;
}

int main(int argc, char **argv)
{
	static struct arena arena; /* not freed: the process ends anyway */
	static struct buf out = BUF(OUTPUT_MAX);
	struct call c = {.arena = &arena, .out = &out, .colour = term_wants_colour(STDOUT_FILENO)};
	struct err e = {0};
	int r;

	keep_memory();
	if (argc > 0) {
		c.process = argv[0];
		c.process_len = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - argv[0]);
	}
	r = fill_standard_files(&e);
	if (r == 0)
		r = dispatch(argv + 1, argc > 0 ? (size_t)argc - 1 : 0, &c, &e);

	if (r < 0)
		print_error(&e);
	if ((r >= 0 || c.answered) && print_output(&out, &e) < 0) {
		print_error(&e);
		r = -1;
	}
	return r < 0 ? EXIT_WARD : r;
}
