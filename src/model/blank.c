/* SPDX-License-Identifier: Apache-2.0 */
#include "model/blank.h"

#include "model/pathname.h"

#include <string.h>

/* Whether the row can be made, and judged, without knowing the workspace. */
static bool stands_alone(const struct plan *p, const struct plan_row *row)
{
	switch (row->kind) {
	case PLAN_LAYERS: /* belong to the workspace */
	case PLAN_OWN:    /* belongs to the session */
	case PLAN_IMAGE:  /* may have something where the workspace comes */
		return false;
	case PLAN_BIND: /* must not lead into the workspace by another way */
		return p->hide_count == 0 && !(row->writable && p->protect_count > 0);
	case PLAN_DIR:
	case PLAN_FILE:
	case PLAN_LINK:
	case PLAN_MIRROR:
	case PLAN_WORKSPACE_BIND:
	case PLAN_TMPFS:
	case PLAN_DEVICE:
	case PLAN_PTS:
	case PLAN_PROC:
	case PLAN_MASK:
	case PLAN_KIND_COUNT:
		break;
	}
	return true;
}

static bool is_inside(const struct plan_row *row, const struct plan_row *workspace)
{
	return row != workspace && pathname_within(row->target, workspace->target);
}

bool blank_make(const struct plan *p, struct arena *a, struct blank *ret)
{
	static const char *const nothing[] = {NULL};
	bool found = false;

	if (p->setup || p->workspace == WORKSPACE_COW || p->network.publish_count > 0)
		return false;
	*ret = (struct blank){.plan = *p, .rows = arena_array(a, p->row_count, sizeof *ret->rows)};
	for (size_t i = 0; i < p->row_count; i++) {
		if (!stands_alone(p, &p->rows[i]))
			return false;
		ret->rows[i] = p->rows[i];
		if (p->rows[i].kind != PLAN_WORKSPACE_BIND)
			continue;
		ret->workspace = i;
		ret->rows[i].source = "";
		found = true;
	}
	/* A rule of Landlock would have to be there before. */
	if (!found || (p->landlock && p->rows[ret->workspace].writable && !p->broker))
		return false;
	for (size_t i = 0; i < p->row_count; i++)
		if (is_inside(&p->rows[i], &p->rows[ret->workspace]))
			return false;
	ret->plan.rows = ret->rows;
	ret->plan.workspace_path = "";
	ret->plan.cwd = "/";
	ret->plan.env = nothing;
	return true;
}

void blank_fill(struct blank *b, const char *workspace)
{
	b->rows[b->workspace].source = workspace;
	b->plan.workspace_path = workspace;
}
