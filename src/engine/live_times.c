/* SPDX-License-Identifier: Apache-2.0 */

/* What is due in a living sandbox, and when: ends of commands, limits, the end of the sandbox. */

#include "engine/live.h"

#include "engine/watch.h"
#include "sys/memory.h"

#include <limits.h>
#include <string.h>

#define MS 1000u
#define NEVER UINT64_MAX
#define LOOK_MS_MIN 10 /* between two looks at a command that has limits of its own */
#define LOOK_MS_PIDS 20
#define LOOK_MS_MAX 250

/* The limit of memory where no control group keeps it: whatever runs has used it together. */
static void watch(struct live *v, uint64_t now)
{
	uint64_t limit = v->stage->plan->limits.memory;
	struct watch_sample sample;
	unsigned ms;

	if (watch_measure(v->stage->init, limit, &sample) < 0)
		memset(&sample, 0, sizeof sample);
	v->call->card->memory = sample.memory;
	if (sample.memory > v->call->card->memory_peak)
		v->call->card->memory_peak = sample.memory;
	for (size_t i = 0; i < LIVE_LINES && sample.memory > limit; i++)
		if (v->lines[i].used && v->lines[i].orders >= 0)
			live_line_end(v, &v->lines[i], END_OOM);
	ms = watch_next_ms(&sample, limit);
	v->watch_at = live_later(now, ms);
}

/* The limit of the workspace's layer: likewise. */
static void measure(struct live *v, uint64_t now)
{
	enum limit_hit hit = meter_look(&v->meter, now);

	for (size_t i = 0; i < LIVE_LINES && hit != HIT_COUNT; i++) {
		if (!v->lines[i].used || v->lines[i].orders < 0)
			continue;
		v->lines[i].hit = hit;
		live_line_end(v, &v->lines[i], END_STOPPED);
	}
}

/* Milliseconds until the command can have used up one of its own limits. */
static unsigned look_again_ms(
	const struct live *v, const struct live_line *l, const struct watch_sample *s)
{
	unsigned cpus = v->stage->plan->cpus ? v->stage->plan->cpus : 1;
	uint64_t ms = LOOK_MS_MAX, left;

	if (l->caps.pids)
		ms = LOOK_MS_PIDS;
	if (l->caps.memory && watch_next_ms(s, l->caps.memory) < ms)
		ms = watch_next_ms(s, l->caps.memory);
	if (l->caps.cpu_ms) {
		left = l->caps.cpu_ms > s->cpu_us / MS ? l->caps.cpu_ms - s->cpu_us / MS : 0;
		ms = left / cpus < ms ? left / cpus : ms;
	}
	return ms < LOOK_MS_MIN ? LOOK_MS_MIN : (unsigned)ms;
}

/* The limits of one command: by looking, wherever it runs. */
static void look_at(struct live *v, struct live_line *l, uint64_t now)
{
	uint64_t limit = l->caps.memory ? l->caps.memory : UINT64_MAX;
	struct watch_sample s = {0};

	if (!l->top)
		l->top = watch_find(v->stage->init, l->shepherd);
	if (l->top && watch_command(l->top, limit, &s) < 0)
		memset(&s, 0, sizeof s);
	if (s.memory > limit) {
		live_line_end(v, l, END_OOM);
	} else if (l->caps.pids && s.threads > l->caps.pids) {
		l->hit = HIT_PIDS;
		live_line_end(v, l, END_STOPPED);
	} else if (l->caps.cpu_ms && s.cpu_us / MS >= l->caps.cpu_ms) {
		live_line_end(v, l, END_TIMEOUT);
	}
	l->look_at = l->reason == END_EXITED ? live_later(now, look_again_ms(v, l, &s)) : 0;
}

/* One that is still being made is not. */
static bool is_idle(const struct live *v)
{
	return v->up && v->running == 0;
}

void live_keep_times(struct live *v)
{
	const struct live_call *call = v->call;
	uint64_t now = live_now();

	for (size_t i = 0; i < LIVE_LINES; i++)
		if (v->lines[i].used) {
			live_line_times(v, &v->lines[i], now);
			if (v->lines[i].orders >= 0 && v->lines[i].look_at &&
				now >= v->lines[i].look_at)
				look_at(v, &v->lines[i], now);
		}
	if (v->running > 0 && v->watch_at && now >= v->watch_at)
		watch(v, now);
	if (v->running > 0)
		measure(v, now);
	/* A starter that does not answer was stopped from inside. */
	if (v->asked && now >= live_later(v->asked_at, STAGE_PATIENCE_MS)) {
		v->asked = false;
		live_kill(v);
	}
	if (v->refill_at && now >= v->refill_at) {
		v->refill = true;
		v->refill_at = 0;
		live_ask_for_pair(v);
	}
	if (is_idle(v) && v->rest_at && now >= v->rest_at && !v->asked) {
		v->resting = true;
		v->rest_at = 0;
		live_drop_pairs(v);
		/* What ends them has to be forgotten again, on both sides. */
		v->settle_at = live_later(now, MEMORY_SETTLE_MS);
		live_tell(v, &(struct wire){.kind = WIRE_REST});
	}
	if (v->settle_at && now >= v->settle_at) {
		live_sweep(v);
		memory_settle();
		v->settle_at = 0;
	}
	if (is_idle(v) && ((call->idle_ms && now >= live_later(v->last_used, call->idle_ms)) ||
				  (call->age_ms && now >= live_later(v->started, call->age_ms))))
		live_stop(v);
	if (v->stop_at && now >= v->stop_at) {
		live_kill(v);
		v->stop_at = 0;
	}
}

static void sooner(uint64_t *io_first, uint64_t at)
{
	if (at && at < *io_first)
		*io_first = at;
}

/* Milliseconds until something is due; -1: nothing is. */
int live_next_due(const struct live *v)
{
	uint64_t first = NEVER, now = live_now();

	for (size_t i = 0; i < LIVE_LINES; i++) {
		const struct live_line *l = &v->lines[i];

		if (!l->used)
			continue;
		sooner(&first, l->deadline);
		sooner(&first, l->kill_at);
		sooner(&first, l->give_up_at);
		sooner(&first, l->look_at);
	}
	if (v->running > 0) {
		sooner(&first, v->watch_at);
		sooner(&first, v->meter.due);
	}
	sooner(&first, v->settle_at);
	sooner(&first, v->stop_at);
	sooner(&first, v->ask_at);
	sooner(&first, v->refill_at);
	if (is_idle(v) && !v->asked)
		sooner(&first, v->rest_at);
	if (v->asked)
		sooner(&first, live_later(v->asked_at, STAGE_PATIENCE_MS));
	if (is_idle(v) && v->call->idle_ms)
		sooner(&first, live_later(v->last_used, v->call->idle_ms));
	if (is_idle(v) && v->call->age_ms)
		sooner(&first, live_later(v->started, v->call->age_ms));
	if (first == NEVER)
		return -1;
	if (first <= now)
		return 0;
	return (first - now) / MS < INT_MAX ? (int)((first - now) / MS + 1) : INT_MAX;
}
