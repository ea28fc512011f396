/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `ward explain` found out, before it is printed as text or JSON. Borrows from the call's
 * arena. */

#include "cli/cli.h"
#include "model/decide.h"

#define EXPLAIN_GAPS 8

struct explain_options {
	struct opt_text session;
	struct opt_text agent;
	struct opt_text tool;
	struct opt_text command;
	struct opt_text reach;
	struct opt_text config;
	struct opt_list set;
	struct opt_text machine;
	struct opt_bool json;
};

struct explained_session {
	const char *key;
	bool sandboxed;
	bool exempt; /* as the main session */
};

struct explanation {
	struct machine machine;
	struct request request;
	bool asked; /* for a command or a tool, not only for the policy */
	struct verdict verdict;
	const struct effective *eff;
	struct explained_session sessions[2];
	const struct runtime_ref *runtime; /* NULL: none */
	struct layer_answer layers[LAYER_COUNT];
	bool required[LAYER_COUNT];
	const char *reach; /* NULL: not asked */
	struct net_verdict net;
};

struct explain_gap {
	const char *what, *text;
};

void explain_json(struct call *c, const struct explanation *x);
/* What of this policy the present version does not carry out; how many, at most EXPLAIN_GAPS. */
size_t explain_gaps(const struct explanation *x, struct explain_gap ret[EXPLAIN_GAPS]);
