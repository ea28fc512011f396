/* SPDX-License-Identifier: Apache-2.0 */

/* What a name may cost: bytes in all, bytes in a second, connections at the same time. It belongs
 * to all connections of that name: each takes of it when it is its turn. */

#include "guard/parts.h"

#include <string.h>

#define BURST_MS 125                  /* of its rate that may come at once after a pause */
#define BURST_MIN (16u << 10)         /* less would be many small pieces */
#define RATE_MOST (UINT64_C(1) << 40) /* faster than any machine */
#define ANY ((uint64_t)INT64_MAX)

struct guard_budget *budget_of(struct guard *g, const char *name, const struct netaddr *addr)
{
	struct guard_budget *others = NULL;
	char text[NETADDR_TEXT];

	if (!name) {
		netaddr_text(addr, text);
		name = text;
	}
	for (size_t i = 0; i < g->call.budget_count; i++) {
		struct guard_budget *b = &g->call.budgets[i];

		if (strcmp(b->name, name) == 0)
			return b;
		if (strcmp(b->name, "*") == 0)
			others = b;
	}
	return others;
}

bool budget_enter(struct guard_budget *b)
{
	if (!b)
		return true;
	if (b->open >= b->connections)
		return false;
	b->open++;
	return true;
}

void budget_leave(struct guard_budget *b)
{
	if (b)
		b->open--;
}

static bool has_rate(const struct guard_budget *b)
{
	return b->rate != GUARD_ANY;
}

static void refill(struct guard_budget *b, uint64_t now)
{
	uint64_t rate = b->rate < RATE_MOST ? b->rate : RATE_MOST;
	uint64_t burst = rate / 1000 * BURST_MS, ms = now - b->filled;
	uint64_t more;

	if (burst < BURST_MIN)
		burst = BURST_MIN;
	if (ms > 60000 || b->filled == 0)
		ms = 60000;
	more = rate / 1000 * ms + rate % 1000 * ms / 1000;
	if (more == 0)
		return; /* not enough time for a byte: it adds up */
	b->filled = now;
	for (int way = 0; way < 2; way++) {
		b->ready[way] += (int64_t)more;
		if (b->ready[way] > (int64_t)burst)
			b->ready[way] = (int64_t)burst;
	}
}

uint64_t budget_lend(struct guard *g, struct guard_budget *b, int way, bool pieces)
{
	uint64_t most = !b ? GUARD_ANY : b->left[way];

	if (!b || !has_rate(b))
		return most;
	refill(b, g->now);
	if (b->ready[way] <= 0)
		return 0;
	if (most > ANY)
		most = ANY;
	return !pieces || most < (uint64_t)b->ready[way] ? most : (uint64_t)b->ready[way];
}

void budget_take(struct guard_budget *b, int way, uint64_t lent, uint64_t left)
{
	uint64_t used = lent - left;

	if (!b || lent == GUARD_ANY)
		return;
	if (b->left[way] != GUARD_ANY)
		b->left[way] -= used;
	if (has_rate(b))
		b->ready[way] -= (int64_t)used;
}

bool budget_is_late(const struct guard_budget *b, int way)
{
	return b && has_rate(b) && b->left[way] > 0;
}
