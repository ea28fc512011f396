/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The native engine: carries out a plan with nothing but the kernel. One call is one command in a
 * fresh sandbox; when it returns, nothing of it is left.
 */

#include "base/err.h"
#include "model/plan.h"
#include "model/result.h"

struct native_call {
	const struct plan *plan;
	char *arguments; /* of this process, which init overwrites with its own name */
	size_t arguments_len;
	int layer; /* the lock of its layer; -1: it has none */
};

/* Fails when nothing was run. result_free() afterwards. */
int native_run(const struct native_call *call, struct result *ret, struct err *e);
/*
 * The steps in order, without running anything: name, the process that does it, and its arguments,
 * one a line: a word, spaces, the rest.
 */
typedef void native_step_fn(
	void *ctx, const char *name, const char *place, const struct buf *arguments);
void native_steps(const struct plan *p, native_step_fn *fn, void *ctx);
