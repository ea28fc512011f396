/* SPDX-License-Identifier: Apache-2.0 */
#include "door/pass.h"

#include <errno.h>
#include <string.h>

int pass_open(struct pass *n, struct record *given, const struct config *c, struct arena *a,
	struct err *e)
{
	*n = (struct pass){.record = given};
	if (given)
		return 0;
	n->record = &n->own;
	return record_open(&n->own, c, a, e);
}

int pass_begin(struct pass *n, const struct record_request *q, struct err *e)
{
	int r;

	if (n->begin)
		return 0;
	r = record_begin(n->record, q, &n->begin, e);
	n->unwritable = r < 0;
	return r;
}

/* A refusal that cannot be recorded stays a refusal. */
static int refuse(struct pass *n, const struct record_request *q, int r, const struct err *e)
{
	const char *why = q->verdict ? decide_why(q->verdict) : NULL;

	if (!n->unwritable)
		record_deny(n->record, q, r < 0 && e ? e->text : why, NULL);
	return r;
}

int pass_close(struct pass *n, const struct record_request *q, bool ran, int r,
	struct result *result, struct err *e)
{
	struct err failed = {0};
	int ended = 0;

	if (!n->begin)
		refuse(n, q, r, e);
	else if (n->handed_over)
		record_hand_over(n->record, n->begin);
	else if (!result)
		ended = record_end_tool(n->record, n->begin, r < 0 ? e : NULL, 0, &failed);
	else if (r < 0 || !ran)
		ended = record_end_failed(n->record, n->begin, e, &failed);
	else
		ended = record_end(n->record, n->begin, result, &failed);
	if (ended < 0 && result)
		result->unrecorded = true;
	if (n->record == &n->own)
		record_close(&n->own);
	return r;
}
