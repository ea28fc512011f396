/* SPDX-License-Identifier: Apache-2.0 */
#include "door/consent.h"

#include "base/cleanup.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

/* The last reason is the one that people are told. */
static void refuse(struct verdict *v, struct arena *a, const struct err *why)
{
	v->permission = PERMISSION_DENY;
	if (v->reason_count == VERDICT_REASONS)
		v->reason_count--;
	v->reasons[v->reason_count++] = (struct verdict_reason){.code = BECAUSE_APPROVAL,
		.text = arena_text(a, why->text, strlen(why->text)),
		.at = v->rule ? v->rule->at : (struct where){0}};
}

static int begin(
	const struct run_request *q, struct arena *a, struct run_answer *answer, struct err *e)
{
	struct consent *c = q->consent;
	struct approval_request request = {.config = q->config,
		.verdict = &answer->verdict,
		.argv = q->argv,
		.env = q->env,
		.own_input = true,
		.entrance = c->entrance,
		.record = c->record,
		.terminal = q->waits != NULL};
	int r;

	c->cwd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (c->cwd < 0)
		return err_sys(e, -errno, "open the current folder");
	request.cwd = c->cwd;
	r = approval_begin(&request, a, &c->approval, e);
	if (r < 0)
		return r;
	if (q->waits && approval_step(c->approval, NULL) == APPROVAL_WAITS)
		q->waits(c->approval);
	return 0;
}

void consent_ask(const struct run_request *q, struct arena *a, struct run_answer *io)
{
	struct consent *c = q->consent;
	struct verdict *v = &io->verdict;
	struct err why = {0};
	int r = 0;

	if (v->permission == PERMISSION_DENY || (v->permission == PERMISSION_ALLOW && !v->rule))
		return;
	if (!c->approval)
		r = begin(q, a, io, &why);
	if (r == 0)
		r = approval_wait(c->approval, &why);
	if (r == 0)
		v->permission = PERMISSION_ALLOW;
	else
		refuse(v, a, &why);
	if (c->approval)
		snprintf(io->approval, sizeof io->approval, "%s", approval_id(c->approval));
}

void consent_close(struct consent *c)
{
	approval_free(&c->approval);
	cleanup_fd(&c->cwd);
	c->cwd = -1;
}
