/* SPDX-License-Identifier: Apache-2.0 */

/* ward grants list, revoke: approvals that hold for a while. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "cli/cli.h"
#include "door/load.h"
#include "door/record.h"
#include "json/write.h"
#include "state/grants.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct grants_options {
	struct opt_bool all, json;
};

static const struct field list_options[] = {
	OPTION_JSON(struct grants_options),
	{0},
};

static const struct field revoke_options[] = {
	{"all", F_BOOL(struct grants_options, all, .help = "all of them")},
	OPTION_JSON(struct grants_options),
	{0},
};

static void write_row(struct writer *w, const struct grant_row *row)
{
	const struct grant *g = &row->grant;
	char digest[2 * SHA256_SIZE + 1];

	sha256_hex(g->digest, digest);
	write_object(w, NULL);
	write_text(w, "id", row->id);
	write_text(w, "command", g->command);
	write_text(w, "session", g->session);
	write_text(w, "agent", g->agent);
	write_text(w, "place", g->place);
	write_unsigned(w, "leftMs", row->left_ms);
	if (g->uses == GRANT_ENDLESS)
		write_text(w, "usesLeft", NULL);
	else
		write_unsigned(w, "usesLeft", g->uses);
	write_unsigned(w, "byUid", g->by_uid);
	write_number(w, "givenMs", g->given_ms);
	write_text(w, "digest", digest);
	write_end_object(w);
}

static void put_row(struct buf *out, const struct grant_row *row)
{
	auto_(buf_free) struct buf session = BUF(200);
	char left[NUMBER_TEXT], uses[16] = "any";

	number_duration_text((row->left_ms + 999) / 1000 * 1000, left);
	if (row->grant.uses != GRANT_ENDLESS)
		snprintf(uses, sizeof uses, "%u", row->grant.uses);
	escape_text(&session, row->grant.session);
	buf_printf(out, "%-32s %8s %5s %-8.24s %-20s %s\n", row->id, left, uses, row->grant.place,
		buf_text(&session), row->grant.command);
}

static int list(struct call *c, struct err *e)
{
	const struct grants_options *o = c->options;
	struct writer w = WRITER(c->out);
	struct grant_row *rows;
	size_t count;
	int r = grants_list(load_state_path(c->arena), c->arena, &rows, &count);

	if (r < 0)
		return err_sys(e, r, "read the grants");
	if (o->json.v) {
		write_list(&w, NULL);
		for (size_t i = 0; i < count; i++)
			write_row(&w, &rows[i]);
		write_end_list(&w);
		buf_putc(c->out, '\n');
		return EXIT_OK;
	}
	if (count == 0)
		buf_puts(c->out, "no approval holds for longer than one command\n");
	else
		buf_printf(c->out, "%-32s %8s %5s %-8s %-20s %s\n", "ID", "LEFT", "USES", "PLACE",
			"SESSION", "COMMAND");
	for (size_t i = 0; i < count; i++)
		put_row(c->out, &rows[i]);
	return EXIT_OK;
}

static void note(struct call *c, const char *id)
{
	auto_(config_free) struct config config = {0};
	auto_(buf_free) struct buf m = BUF(1024);
	struct load_request load = {.config = NULL};
	struct record record;
	struct err e = {0};

	if (load_config(&load, &config, &e) < 0 || record_open(&record, &config, c->arena, &e) < 0)
		return;
	buf_printf(&m,
		"\"id\":\"%s\",\"action\":\"revoked\",\"by\":{\"uid\":%u,\"pid\":%d,\"how\":"
		"\"command\"}",
		id, (unsigned)geteuid(), (int)getpid());
	record_event(&record, "approval", buf_text(&m), NULL, 0, &e);
	record_close(&record);
}

static int revoke_one(struct call *c, const struct grant_row *row, struct writer *w, struct err *e)
{
	const struct grants_options *o = c->options;
	int r = grants_revoke(load_state_path(c->arena), row->id);

	if (r < 0 && r != -ENOENT)
		return err_sys(e, r, "revoke %s", row->id);
	note(c, row->id);
	if (o->json.v)
		write_text(w, NULL, row->id);
	else
		buf_printf(c->out, "%s: revoked\n", row->id);
	return 0;
}

static int take_back(struct call *c, struct err *e)
{
	const struct grants_options *o = c->options;
	struct writer w = WRITER(c->out);
	struct grant_row *rows;
	size_t count, found = 0;
	int r;

	if (o->all.v == (c->arg_count == 1))
		return err_set(e, EINVAL, "which one? Write its id, or --all");
	r = grants_list(load_state_path(c->arena), c->arena, &rows, &count);
	if (r < 0)
		return err_sys(e, r, "read the grants");
	if (o->json.v)
		write_list(&w, NULL);
	for (size_t i = 0; i < count && r == 0; i++)
		if (o->all.v || (strlen(c->args[0]) >= 4 && str_starts(rows[i].id, c->args[0]))) {
			r = revoke_one(c, &rows[i], &w, e);
			found++;
		}
	if (o->json.v) {
		write_end_list(&w);
		buf_putc(c->out, '\n');
	}
	if (r == 0 && found == 0 && !o->all.v)
		return err_set(e, ENOENT,
			"no grant has an id that begins so, with at least 4 characters; 'ward "
			"grants list' shows them");
	return r < 0 ? r : EXIT_OK;
}

const struct command cmd_grants_list = {
	.name = "grants list",
	.summary = "show approvals that hold for a while",
	.options = list_options,
	.options_size = sizeof(struct grants_options),
	.details =
		"Each is for exactly one command, in one folder, with one environment, under one\n"
		"policy, and ends with the next start of the machine at the latest.",
	.examples = "  ward grants list\n"
		    "  ward grants list --json\n",
	.run = list,
};

const struct command cmd_grants_revoke = {
	.name = "grants revoke",
	.summary = "take such an approval back",
	.args = "[ID]",
	.options = revoke_options,
	.options_size = sizeof(struct grants_options),
	.max_args = 1,
	.details = "What runs already goes on. The beginning of an id is enough.",
	.examples = "  ward grants revoke 3f2a\n"
		    "  ward grants revoke --all\n",
	.run = take_back,
};
