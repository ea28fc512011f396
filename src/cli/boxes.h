/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the commands about sandboxes that live share: whose sandbox is meant, and how it is shown.
 */

#include "cli/cli.h"
#include "door/exec.h"
#include "json/write.h"
#include "state/place.h"

struct boxes_options {
	struct opt_text session, agent, config;
	struct opt_list set;
	struct opt_bool all, force, line, dry_run, json, follow, end, stat, allow_protected, once;
	struct opt_text since;
	struct opt_text net;
	struct opt_list allow, deny, publish;
	struct opt_bool now;
};

#define BOXES_OPTIONS                                                             \
	OPTION_SESSION(struct boxes_options), OPTION_AGENT(struct boxes_options), \
		OPTION_CONFIG(struct boxes_options), OPTION_SET(struct boxes_options)

#define BOXES_NETWORK                                                         \
	OPTION_NET(struct boxes_options), OPTION_ALLOW(struct boxes_options), \
		OPTION_DENY(struct boxes_options), OPTION_PUBLISH(struct boxes_options)

/* The request that names a session's sandbox; config is the caller's to free. */
int boxes_request(struct call *c, struct config *config, struct run_request *ret, struct err *e);
/* The same, decided and planned: its name, and what it would be made from. */
int boxes_find(struct call *c, struct exec_answer *ret, struct err *e);
/* A connection to the session's sandbox, which must run. */
int boxes_connect(struct call *c, struct err *e);
/* Into the audit log, what is done to a sandbox; on failure it must not be done. */
int boxes_record(struct call *c, const char *event, const struct record_fact *facts, size_t count,
	struct err *e);
/* Those that the arguments name (the beginning of a name is enough), all, or the session's own. */
int boxes_choose(
	struct call *c, int place, struct place_row **ret, size_t *ret_count, struct err *e);

void boxes_write(struct writer *w, const struct place_row *row);
/* For people: how long ago, in one unit. */
void boxes_ago(uint64_t ms, char out[16]);
uint64_t boxes_idle_ms(const struct card *c);
uint64_t boxes_age_ms(const struct card *c);
