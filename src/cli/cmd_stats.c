/* SPDX-License-Identifier: Apache-2.0 */

/* ward stats: what sandboxes that live use now, and what commands in them have used. */

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/boxes.h"
#include "door/load.h"
#include "engine/watch.h"
#include "state/history.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LAST_MAX 10000

struct stats_options {
	struct opt_number last;
	struct opt_bool json;
};

static const struct field stats_options[] = {
	{"last", F_COUNT(struct stats_options, last, .arg = "N",
			 .help = "show the last N commands, each with what it used")},
	OPTION_JSON(struct stats_options),
	{0},
};

/* One sandbox: what is known of its past, and how it is now. */
struct box {
	const char *name, *session;
	struct usage_total total;
	bool alive;
	struct place_row row;
	struct watch_sample now;
};

struct stats {
	struct call *call;
	struct box *boxes;
	size_t count, capacity;
	struct usage_total all;
	struct usage_row *last; /* a ring of them */
	size_t last_room;
	uint64_t seen;
};

/* Part of a session's key, or of a sandbox's name; none are all. */
static bool is_wanted(const struct call *c, const char *session, const char *name)
{
	for (size_t i = 0; i < c->arg_count; i++)
		if (strstr(session, c->args[i]) || str_starts(name, c->args[i]))
			return true;
	return c->arg_count == 0;
}

static struct box *box_of(struct stats *s, const char *name, const char *session)
{
	struct arena *a = s->call->arena;

	/* The last one is mostly the same as before. */
	for (size_t i = s->count; i-- > 0;)
		if (str_eq(s->boxes[i].name, name))
			return &s->boxes[i];
	vec_push(a, &s->boxes, &s->count, &s->capacity,
		(struct box){.name = arena_printf(a, "%s", name),
			.session = arena_printf(a, "%s", session)});
	return &s->boxes[s->count - 1];
}

static void add_row(void *ctx, const struct usage_row *row)
{
	struct stats *s = ctx;

	if (!is_wanted(s->call, row->session, row->sandbox))
		return;
	usage_add(&box_of(s, row->sandbox, row->session)->total, row);
	usage_add(&s->all, row);
	if (s->last_room)
		s->last[s->seen % s->last_room] = *row;
	s->seen++;
}

static int add_living(struct stats *s, struct err *e)
{
	auto_fd int place = place_open(s->call->arena, e);
	struct place_row *rows;
	size_t count;
	int r = place < 0 ? place : place_list(place, s->call->arena, &rows, &count);

	if (r < 0)
		return place < 0 ? r : err_sys(e, r, "list the sandboxes");
	for (size_t i = 0; i < count; i++) {
		struct box *b;

		if (!rows[i].alive || rows[i].broken || rows[i].card.state == CARD_WAITING ||
			!is_wanted(s->call, rows[i].card.session, rows[i].name))
			continue;
		b = box_of(s, rows[i].name, rows[i].card.session);
		b->alive = true;
		b->row = rows[i];
		watch_usage(rows[i].card.pid, &b->now);
	}
	return 0;
}

static void show_total(
	struct call *c, const char *name, const struct usage_total *t, const struct box *now)
{
	char wall[NUMBER_TEXT], cpu[NUMBER_TEXT], peak[NUMBER_TEXT], read[NUMBER_TEXT],
		written[NUMBER_TEXT], sent[NUMBER_TEXT], received[NUMBER_TEXT], memory[NUMBER_TEXT];
	auto_(buf_free) struct buf session = BUF(400);

	escape_text(&session, name);
	number_duration_text(t->wall_us / 1000, wall);
	number_duration_text(t->cpu_us / 1000, cpu);
	number_size_text(t->memory_peak >> 10 << 10, peak);
	number_size_text(t->read_bytes >> 10 << 10, read);
	number_size_text(t->written_bytes >> 10 << 10, written);
	number_size_text((t->sent_bytes + 1023) >> 10 << 10, sent);
	number_size_text((t->received_bytes + 1023) >> 10 << 10, received);
	buf_printf(c->out, "%-32s %8llu %7llu %8llu %5llu %10s %10s %9s %9s %9s %9s %9s",
		buf_text(&session), (unsigned long long)t->commands, (unsigned long long)t->failed,
		(unsigned long long)t->timeouts, (unsigned long long)t->ooms, wall, cpu, peak, read,
		written, sent, received);
	if (now && now->alive) {
		number_size_text(now->now.memory >> 10 << 10, memory);
		buf_printf(c->out, "  %u running, %s", now->row.card.running, memory);
	}
	buf_putc(c->out, '\n');
}

static void show_last(struct stats *s)
{
	size_t have = s->seen < s->last_room ? (size_t)s->seen : s->last_room;
	struct call *c = s->call;

	buf_printf(c->out, "%-20s %-24s %-16s %-10s %6s %10s %10s %9s\n", "ENDED", "SESSION",
		"COMMAND", "REASON", "STATUS", "WALL", "CPU", "PEAK");
	for (size_t i = 0; i < have; i++) {
		const struct usage_row *row = &s->last[(s->seen - have + i) % s->last_room];
		auto_(buf_free) struct buf session = BUF(400);
		auto_(buf_free) struct buf command = BUF(200);
		char when[32], wall[NUMBER_TEXT], cpu[NUMBER_TEXT], peak[NUMBER_TEXT];
		time_t ended = row->ended_ms / 1000;
		struct tm tm;

		gmtime_r(&ended, &tm);
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
		escape_text(&session, row->session);
		escape_text(&command, row->command);
		number_duration_text(row->wall_us / 1000, wall);
		number_duration_text((row->user_us + row->system_us) / 1000, cpu);
		number_size_text(row->memory_peak >> 10 << 10, peak);
		buf_printf(c->out, "%-20s %-24s %-16s %-10s %6d %10s %10s %9s\n", when,
			buf_text(&session), buf_text(&command), end_reason_names[row->reason],
			row->exit_code >= 0 ? row->exit_code : 128 + row->signal, wall, cpu, peak);
	}
}

static void write_total(struct writer *w, const char *key, const struct usage_total *t)
{
	write_object(w, key);
	write_unsigned(w, "commands", t->commands);
	write_unsigned(w, "failed", t->failed);
	write_unsigned(w, "timeouts", t->timeouts);
	write_unsigned(w, "outOfMemory", t->ooms);
	write_unsigned(w, "wallMs", t->wall_us / 1000);
	write_unsigned(w, "cpuMs", t->cpu_us / 1000);
	write_unsigned(w, "memoryPeak", t->memory_peak);
	write_unsigned(w, "readBytes", t->read_bytes);
	write_unsigned(w, "writtenBytes", t->written_bytes);
	write_unsigned(w, "sentBytes", t->sent_bytes);
	write_unsigned(w, "receivedBytes", t->received_bytes);
	write_number(w, "firstMs", t->first_ms);
	write_number(w, "lastMs", t->last_ms);
	write_end_object(w);
}

static void write_row(struct writer *w, const struct usage_row *row)
{
	write_object(w, NULL);
	write_number(w, "endedMs", row->ended_ms);
	write_text(w, "sandbox", row->sandbox);
	write_text(w, "session", row->session);
	write_text(w, "command", row->command);
	write_text(w, "reason", end_reason_names[row->reason]);
	write_number(w, "exitCode", row->exit_code);
	write_number(w, "signal", row->signal);
	write_bool(w, "background", row->background);
	write_list(w, "limitsHit");
	for (int i = 0; i < HIT_COUNT; i++)
		if (row->hits & 1u << i)
			write_text(w, NULL, limit_hit_names[i]);
	write_end_list(w);
	write_unsigned(w, "wallUs", row->wall_us);
	write_unsigned(w, "userUs", row->user_us);
	write_unsigned(w, "systemUs", row->system_us);
	write_unsigned(w, "memoryPeak", row->memory_peak);
	write_unsigned(w, "readBytes", row->read_bytes);
	write_unsigned(w, "writtenBytes", row->written_bytes);
	write_unsigned(w, "sentBytes", row->sent_bytes);
	write_unsigned(w, "receivedBytes", row->received_bytes);
	write_end_object(w);
}

static void write_all(struct stats *s)
{
	struct writer w = WRITER(s->call->out);
	size_t have = s->seen < s->last_room ? (size_t)s->seen : s->last_room;

	write_object(&w, NULL);
	write_list(&w, "sandboxes");
	for (size_t i = 0; i < s->count; i++) {
		const struct box *b = &s->boxes[i];

		write_object(&w, NULL);
		write_text(&w, "name", b->name);
		write_text(&w, "session", b->session);
		write_bool(&w, "alive", b->alive);
		if (b->alive) {
			write_object(&w, "now");
			write_unsigned(&w, "running", b->row.card.running);
			write_unsigned(&w, "background", b->row.card.background);
			write_unsigned(&w, "processes", b->now.processes);
			write_unsigned(&w, "threads", b->now.threads);
			write_unsigned(&w, "memory", b->now.memory);
			write_unsigned(&w, "cpuMs", b->now.cpu_us / 1000);
			write_unsigned(&w, "memoryPeak", b->row.card.memory_peak);
			write_end_object(&w);
		}
		write_total(&w, "total", &b->total);
		write_end_object(&w);
	}
	write_end_list(&w);
	write_total(&w, "total", &s->all);
	if (s->last_room)
		write_list(&w, "commands");
	for (size_t i = 0; i < have; i++)
		write_row(&w, &s->last[(s->seen - have + i) % s->last_room]);
	if (s->last_room)
		write_end_list(&w);
	write_end_object(&w);
	buf_putc(s->call->out, '\n');
}

static void show_all(struct stats *s)
{
	struct call *c = s->call;

	if (s->last_room) {
		show_last(s);
		return;
	}
	if (s->count == 0) {
		buf_puts(c->out, "nothing was run by 'ward exec' yet\n");
		return;
	}
	buf_printf(c->out, "%-32s %8s %7s %8s %5s %10s %10s %9s %9s %9s %9s %9s  %s\n", "SESSION",
		"COMMANDS", "FAILED", "TIMEOUTS", "OOM", "WALL", "CPU", "PEAK", "READ", "WRITTEN",
		"SENT", "RECEIVED", "NOW");
	for (size_t i = 0; i < s->count; i++)
		show_total(c, s->boxes[i].session, &s->boxes[i].total, &s->boxes[i]);
	if (s->count > 1)
		show_total(c, "all", &s->all, NULL);
}

static int stats(struct call *c, struct err *e)
{
	const struct stats_options *o = c->options;
	struct stats s = {.call = c};
	int r;

	if (o->last.v > LAST_MAX)
		return err_set(e, EINVAL, "--last takes a number from 1 to %d", LAST_MAX);
	s.last = arena_array(c->arena, o->last.v + 1, sizeof *s.last);
	s.last_room = o->last.v;
	r = history_read(load_state_path(c->arena), add_row, &s, e);
	if (r == 0)
		r = add_living(&s, e);
	if (r < 0)
		return r;
	if (o->json.v)
		write_all(&s);
	else
		show_all(&s);
	return EXIT_OK;
}

const struct command cmd_stats = {
	.name = "stats",
	.summary = "show what sandboxes use and have used",
	.args = "[SESSION...]",
	.options = stats_options,
	.options_size = sizeof(struct stats_options),
	.max_args = SIZE_MAX,
	.details =
		"Of the commands of 'ward exec', each of which leaves a row in the history: how\n"
		"many there were, how they ended, and what they used; and what runs now. The\n"
		"arguments are parts of session keys. The history holds the last 50,000 commands\n"
		"at least.",
	.examples = "  ward stats\n"
		    "  ward stats build --last 20\n"
		    "  ward stats --json\n",
	.run = stats,
};
