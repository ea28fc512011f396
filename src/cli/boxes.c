/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/boxes.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOTHING_RUNS \
	"the session has no running sandbox for this folder; 'ward list' shows those that run"

int boxes_request(struct call *c, struct config *config, struct run_request *ret, struct err *e)
{
	static const char *const nothing[] = {"true", NULL};
	const struct boxes_options *o = c->options;
	struct request_who who = {.session = o->session.v,
		.agent = o->agent.v,
		.config = o->config.v,
		.set = &o->set,
		.net = o->net.v,
		.network = {&o->allow, &o->deny, &o->publish}};

	*ret = (struct run_request){.argv = nothing, .argc = 1, .agent_entrance = true};
	return request_load(c, &who, config, ret, e);
}

int boxes_find(struct call *c, struct exec_answer *ret, struct err *e)
{
	struct config *config = arena_alloc(c->arena, sizeof *config);
	struct run_request q;
	int r = boxes_request(c, config, &q, e);

	if (r == 0)
		r = exec_plan(&q, true, c->arena, ret, e);
	if (r == 0 && !ret->run.planned)
		r = err_set(e, EACCES, "the policy does not let this session run commands");
	return r;
}

int boxes_record(struct call *c, const char *event, const struct record_fact *facts, size_t count,
	struct err *e)
{
	auto_(config_free) struct config config = {0};
	struct run_request q;
	struct record record;
	int r = boxes_request(c, &config, &q, e);

	if (r == 0)
		r = record_open(&record, &config, c->arena, e);
	if (r < 0)
		return r;
	r = record_event(&record, event, NULL, facts, count, e);
	record_close(&record);
	return r;
}

int boxes_connect(struct call *c, struct err *e)
{
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	auto_fd int place = place_open(c->arena, e);
	int r = place < 0 ? place : boxes_find(c, answer, e);

	if (r < 0)
		return r;
	r = living_connect(place, answer->name, e);
	return r == -ENOENT ? err_set(e, ENOENT, NOTHING_RUNS) : r;
}

static int by_name(struct call *c, const struct place_row *rows, size_t count, const char *name,
	const struct place_row **ret, struct err *e)
{
	*ret = NULL;
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].alive || !str_starts(rows[i].name, name))
			continue;
		if (*ret)
			return err_set(e, EINVAL,
				"'%s' may be more than one sandbox; write more of the name", name);
		*ret = &rows[i];
	}
	(void)c;
	return *ret ? 0
		    : err_set(e, ENOENT, "no sandbox '%s' runs; 'ward list' shows those that do",
			      name);
}

static int of_session(struct call *c, int place, struct place_row *ret, struct err *e)
{
	struct exec_answer *answer = arena_alloc(c->arena, sizeof *answer);
	int r = boxes_find(c, answer, e);

	if (r < 0)
		return r;
	if (place_read(place, answer->name, ret) < 0 || !ret->alive)
		return err_set(e, ENOENT, NOTHING_RUNS);
	return 0;
}

int boxes_choose(
	struct call *c, int place, struct place_row **ret, size_t *ret_count, struct err *e)
{
	const struct boxes_options *o = c->options;
	size_t count, chosen_count = 0, capacity = 8;
	struct place_row *rows, *chosen = arena_array(c->arena, capacity, sizeof *chosen);
	int r = place_list(place, c->arena, &rows, &count);

	if (r < 0)
		return err_sys(e, r, "list the sandboxes");
	for (size_t i = 0; i < c->arg_count; i++) {
		const struct place_row *row;

		r = by_name(c, rows, count, c->args[i], &row, e);
		if (r < 0 || !row)
			return r;
		vec_push(c->arena, &chosen, &chosen_count, &capacity, *row);
	}
	for (size_t i = 0; i < count && o->all.v; i++)
		if (rows[i].alive)
			vec_push(c->arena, &chosen, &chosen_count, &capacity, rows[i]);
	if (c->arg_count == 0 && !o->all.v) {
		struct place_row row;

		r = of_session(c, place, &row, e);
		if (r < 0)
			return r;
		vec_push(c->arena, &chosen, &chosen_count, &capacity, row);
	}
	*ret = chosen;
	*ret_count = chosen_count;
	return 0;
}

static uint64_t since(uint64_t then)
{
	struct timespec t;
	uint64_t now;

	clock_gettime(CLOCK_BOOTTIME, &t);
	now = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	return now > then ? now - then : 0;
}

uint64_t boxes_age_ms(const struct card *c)
{
	return since(c->began_ms);
}

uint64_t boxes_idle_ms(const struct card *c)
{
	return c->running ? 0 : since(c->used_ms);
}

void boxes_ago(uint64_t ms, char out[16])
{
	uint64_t s = ms / 1000;

	if (s < 120)
		snprintf(out, 16, "%us", (unsigned)s);
	else if (s < 7200)
		snprintf(out, 16, "%um", (unsigned)(s / 60));
	else if (s < 172800)
		snprintf(out, 16, "%uh", (unsigned)(s / 3600));
	else
		snprintf(out, 16, "%ud", (unsigned)(s / 86400 % 100000));
}

void boxes_write(struct writer *w, const struct place_row *row)
{
	const struct card *k = &row->card;

	write_object(w, NULL);
	write_text(w, "name", row->name);
	write_text(w, "state", row->broken ? "unknown" : card_state_names[k->state]);
	if (!row->broken) {
		write_text(w, "session", k->session);
		write_text(w, "agent", k->agent);
		write_text(w, "scope", k->scope);
		write_text(w, "runtime", k->runtime);
		write_text(w, "network", k->network);
		write_text(w, "workspace", k->workspace[0] ? k->workspace : NULL);
		write_number(w, "pid", k->pid);
		write_number(w, "createdMs", k->created_ms);
		write_unsigned(w, "ageMs", boxes_age_ms(k));
		write_unsigned(w, "idleMs", boxes_idle_ms(k));
		write_unsigned(w, "running", k->running);
		write_unsigned(w, "commands", k->served);
		write_unsigned(w, "cpuMs", k->cpu_us / 1000);
		write_unsigned(w, "memory", k->memory);
		write_unsigned(w, "memoryPeak", k->memory_peak);
		write_bool(w, "configCurrent", living_is_current(k));
	}
	write_end_object(w);
}
