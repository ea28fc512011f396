/* SPDX-License-Identifier: Apache-2.0 */
#include "door/cow.h"

#include "base/cleanup.h"
#include "door/living.h"
#include "door/load.h"
#include "state/place.h"

#include <errno.h>

static int find_state(struct arena *a, const char **ret, struct err *e)
{
	*ret = load_state_path(a);
	return *ret ? 0
		    : err_set(e, ENOENT,
			      "there is no folder to keep changes in; set HOME or XDG_STATE_HOME");
}

int cow_take(struct arena *a, const char *name, unsigned wait_ms, struct plan *p, int *ret_lock,
	struct err *e)
{
	struct layer l = LAYER_NONE;
	const char *state;
	int r;

	*ret_lock = -1;
	if (p->workspace != WORKSPACE_COW)
		return 0;
	r = find_state(a, &state, e);
	if (r == 0)
		r = layer_open(a, state, arena_printf(a, "%s", name), p->workspace_path, &l, e);
	if (r == 0)
		r = layer_lock(&l, wait_ms, e);
	if (r == 0) {
		*e = (struct err){0}; /* that there was none before is no error */
		p->layer = layer_plan(&l);
		p->layer.below = arena_copy(
			a, p->layer.below, p->layer.below_count * sizeof *p->layer.below);
		*ret_lock = take_fd(&l.lock);
	}
	layer_close(&l);
	return r;
}

int cow_look(struct arena *a, const char *name, struct layer *ret, struct err *e)
{
	const char *state;
	int r = find_state(a, &state, e);

	*ret = LAYER_NONE;
	return r < 0 ? r : layer_open(a, state, name, NULL, ret, e);
}

static int stop(struct arena *a, const char *name, bool anyway, struct err *e)
{
	auto_fd int place = place_open(a, e);
	struct place_row row;
	int r = place < 0 ? place : living_stop(place, name, anyway, e);

	if (r == -EBUSY && place_read(place, name, &row) == 0)
		return err_set(e, EBUSY,
			"%u command%s in the sandbox, %u of them in the background; wait for them, "
			"or end them: --force",
			row.card.running, row.card.running == 1 ? " runs" : "s run",
			row.card.background);
	return r == -ENOENT ? 0 : r;
}

int cow_hold(struct arena *a, const char *name, bool anyway, struct layer *ret, struct err *e)
{
	int r = cow_look(a, name, ret, e);

	if (r == 0)
		r = stop(a, name, anyway, e);
	if (r == 0)
		*e = (struct err){0};
	return r < 0 ? r : layer_lock(ret, COW_WAIT_MS, e);
}

static void prune_one(struct arena *a, const char *state, const char *name, uint64_t age_ms,
	bool try, cow_fn *fn, void *ctx)
{
	auto_(layer_close) struct layer l = LAYER_NONE;
	enum layer_worth worth = LAYER_WORTH_NOTHING;
	struct err unused = {0};
	int64_t idle = 0;
	int r = layer_open(a, state, name, NULL, &l, &unused);

	/* One whose making was interrupted has no chain. What cannot be read is left alone. */
	if (l.own < 0 || (r < 0 && r != -ENOENT))
		return;
	if (r == 0)
		worth = layer_worth(&l, &idle);
	if (worth == LAYER_WORTH_CHANGES && (age_ms == 0 || (uint64_t)idle < age_ms))
		return;
	if (r == 0 && layer_lock(&l, 0, &unused) < 0)
		return;
	if (try || layer_delete(&l, &unused) == 0)
		fn(ctx, name, r == 0 ? l.chain.workspace : NULL, worth == LAYER_WORTH_CHANGES);
}

int cow_prune(struct arena *a, uint64_t age_ms, bool try, cow_fn *fn, void *ctx, struct err *e)
{
	const char *state = load_state_path(a), **names;
	size_t count = 0;
	int r = state ? layer_list(a, state, &names, &count, e) : 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		prune_one(a, state, names[i], age_ms, try, fn, ctx);
	return r;
}
