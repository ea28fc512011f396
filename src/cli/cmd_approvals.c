/* SPDX-License-Identifier: Apache-2.0 */

/* ward approvals, approve, deny: requests that wait for a person. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "cli/cli.h"
#include "door/approver.h"
#include "door/load.h"
#include "door/record.h"
#include "json/write.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

struct approvals_options {
	struct opt_bool watch, json;
	struct opt_number hold, uses;
	struct opt_text reason;
};

static const struct field list_options[] = {
	{"watch", F_BOOL(struct approvals_options, watch,
			  .help = "go on, and show each new request when it comes")},
	OPTION_JSON(struct approvals_options),
	{0},
};

static const struct field approve_options[] = {
	{"for", F_DURATION(struct approvals_options, hold, .arg = "DURATION",
			.help = "the same command again, for so long")},
	{"uses", F_COUNT(struct approvals_options, uses, .arg = "NUMBER",
			 .help = "the same command so many times in all")},
	OPTION_JSON(struct approvals_options),
	{0},
};

static const struct field deny_options[] = {
	{"reason", F_TEXT(struct approvals_options, reason, .arg = "TEXT",
			   .help = "what the requester is told")},
	OPTION_JSON(struct approvals_options),
	{0},
};

static void put_rows(struct buf *out, const struct approver_row *rows, size_t count, bool json)
{
	struct writer w = WRITER(out);

	if (json) {
		write_list(&w, NULL);
		for (size_t i = 0; i < count; i++)
			write_raw(&w, NULL, rows[i].json);
		write_end_list(&w);
		buf_putc(out, '\n');
		return;
	}
	for (size_t i = 0; i < count; i++)
		buf_printf(out, "%s%s", i ? "---\n" : "", rows[i].text);
	if (count == 0)
		buf_puts(out, "nothing waits for approval\n");
}

static bool is_known(const struct approver_row *rows, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(rows[i].id, id))
			return true;
	return false;
}

/* Those that were not there the last time. False: nobody reads any more. */
static bool put_new(const struct approver_row *now, size_t count, const struct approver_row *before,
	size_t before_count, bool json)
{
	auto_(buf_free) struct buf out = BUF(8u << 20);

	for (size_t i = 0; i < count; i++)
		if (!is_known(before, before_count, now[i].id))
			buf_printf(
				&out, "%s%s", json ? now[i].json : now[i].text, json ? "\n" : "");
	for (size_t i = 0; i < before_count; i++)
		if (!json && !is_known(now, count, before[i].id))
			buf_printf(&out, "%s: waits no more\n\n", before[i].id);
	return out.len == 0 || write(STDOUT_FILENO, buf_text(&out), out.len) == (ssize_t)out.len;
}

static int watch(struct call *c, bool json, struct err *e)
{
	auto_fd int folder = approver_folder(c->arena, e), events = -1;
	struct approver_row *before = NULL, *now;
	size_t before_count = 0, count;
	char path[32], block[4096];
	int r;

	if (folder < 0)
		return folder;
	events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
	if (events < 0 || inotify_add_watch(events, path, IN_CREATE | IN_MOVED_TO | IN_DELETE) < 0)
		return err_sys(e, -errno, "watch the requests");
	for (;;) {
		struct pollfd p = {.fd = events, .events = POLLIN};

		r = approver_list(c->arena, &now, &count, e);
		if (r < 0)
			return r;
		if (!put_new(now, count, before, before_count, json))
			return EXIT_OK;
		before = now;
		before_count = count;
		poll(&p, 1, -1);
		while (read(events, block, sizeof block) > 0)
			;
	}
}

static int list(struct call *c, struct err *e)
{
	const struct approvals_options *o = c->options;
	struct approver_row *rows;
	size_t count;
	int r;

	if (o->watch.v)
		return watch(c, o->json.v, e);
	r = approver_list(c->arena, &rows, &count, e);
	if (r < 0)
		return r;
	put_rows(c->out, rows, count, o->json.v);
	return EXIT_OK;
}

/* Nobody waits who could write it down. */
static void note_late(struct call *c, const char *id, bool yes)
{
	auto_(config_free) struct config config = {0};
	auto_(buf_free) struct buf m = BUF(1024);
	struct load_request load = {.config = NULL};
	struct record_fact asked = {"id", id};
	struct record record;
	struct err e = {0};

	if (load_config(&load, &config, &e) < 0 || record_open(&record, &config, c->arena, &e) < 0)
		return;
	buf_printf(&m,
		"\"action\":\"refused\",\"by\":{\"uid\":%u,\"pid\":%d,\"how\":\"command\"},"
		"\"answer\":\"%s\",\"why\":\"no such request waits\"",
		(unsigned)geteuid(), (int)getpid(), yes ? "approve" : "deny");
	record_event(&record, "approval", buf_text(&m), &asked, 1, &e);
	record_close(&record);
}

static int answer(struct call *c, const struct approver_answer *a, struct err *e)
{
	const struct approvals_options *o = c->options;
	struct approver_row row = {.json = NULL};
	struct writer w = WRITER(c->out);
	int r;

	if (c->arg_count == 0)
		return err_set(e, EINVAL, "which one? 'ward approvals' shows the ids");
	r = approver_answer(c->arena, c->args[0], a, &row, e);
	if (r == -ENOENT)
		note_late(c, c->args[0], a->yes);
	if (r < 0)
		return r;
	if (!o->json.v) {
		buf_printf(c->out, "%s%s: %s%s\n", row.text, row.id, a->yes ? "approved" : "denied",
			a->for_ms || a->uses ? "; 'ward grants list' shows for how long" : "");
		return EXIT_OK;
	}
	write_object(&w, NULL);
	write_text(&w, "id", row.id);
	write_text(&w, "answer", a->yes ? "approved" : "denied");
	write_raw(&w, "request", row.json);
	write_end_object(&w);
	buf_putc(c->out, '\n');
	return EXIT_OK;
}

static int approve(struct call *c, struct err *e)
{
	const struct approvals_options *o = c->options;
	struct approver_answer a = {.yes = true, .for_ms = o->hold.v};

	if (o->hold.v > 24ull * 3600000)
		return err_set(e, EINVAL, "--for: at most 24h");
	if (o->uses.v > 1000000)
		return err_set(e, EINVAL, "--uses: at most 1000000");
	a.uses = (uint32_t)o->uses.v;
	return answer(c, &a, e);
}

static int deny(struct call *c, struct err *e)
{
	const struct approvals_options *o = c->options;
	struct approver_answer a = {.yes = false, .advice = o->reason.v};

	return answer(c, &a, e);
}

const struct command cmd_approvals = {
	.name = "approvals",
	.summary = "show the commands that wait for approval",
	.options = list_options,
	.options_size = sizeof(struct approvals_options),
	.details = "Each in full: the command, the program that would run, where, and what asks.",
	.examples = "  ward approvals\n"
		    "  ward approvals --watch\n"
		    "  ward approvals --json\n",
	.run = list,
};

const struct command cmd_approve = {
	.name = "approve",
	.summary = "say yes to a command that waits",
	.args = "ID",
	.options = approve_options,
	.options_size = sizeof(struct approvals_options),
	.max_args = 1,
	.details =
		"Once, unless --for or --uses says otherwise. The beginning of an id is enough.\n"
		"Not from the terminal or the processes of whoever asks, nor from a sandbox.",
	.examples = "  ward approve 3f2a\n"
		    "  ward approve --for 10m 3f2a\n"
		    "  ward approve --uses 3 3f2a\n",
	.run = approve,
};

const struct command cmd_deny = {
	.name = "deny",
	.summary = "say no to a command that waits",
	.args = "ID",
	.options = deny_options,
	.options_size = sizeof(struct approvals_options),
	.max_args = 1,
	.details = "The reason reaches the requester, as advice what to do instead.",
	.examples = "  ward deny 3f2a\n"
		    "  ward deny --reason 'open a merge request instead' 3f2a\n",
	.run = deny,
};
