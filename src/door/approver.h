/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The other side of door/approval: whoever looks at requests that wait, and answers. No list is
 * kept: each request is a socket in a folder of the user's own, and is asked itself. What it says
 * lives in the arena.
 */

#include "base/err.h"
#include "base/mem.h"
#include "door/approval.h"

#include <stddef.h>
#include <stdint.h>

struct approver_row {
	char id[APPROVAL_ID];
	const char *json, *text; /* text: for people, safe to print */
};

/* The folder of the sockets, for whoever wants to be told of new ones. */
int approver_folder(struct arena *a, struct err *e);
/* All that wait; what is left of others is removed. */
int approver_list(struct arena *a, struct approver_row **ret, size_t *ret_count, struct err *e);

struct approver_answer {
	bool yes;
	uint64_t for_ms; /* 0: not said */
	uint32_t uses;   /* 0: not said */
	const char *advice;
};
/* id may be a beginning that only one has. ret: what was answered. -ENOENT: nobody waits. */
int approver_answer(struct arena *a, const char *id, const struct approver_answer *answer,
	struct approver_row *ret, struct err *e);
