/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The way to a decision for every entrance: the request is decided against the machine it would run
 * on, which is looked at only as far as the decision needs. Container engines are searched for when
 * the native runtime does not do, not before: that search costs more than the rest.
 */

#include "model/decide.h"

struct ask {
	const struct config *config;
	const struct request *request;
	const struct machine *given; /* NULL: this machine */
	bool sandbox_only;           /* decide_sandbox() in place of decide() */
	bool hopeful;                /* see probe_hopeful() */
};

/* machine receives what was decided against. */
int ask_decide(const struct ask *ask, struct arena *a, struct machine *ret_machine,
	struct verdict *ret, struct err *e);
