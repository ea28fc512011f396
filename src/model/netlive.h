/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the network policy of a running sandbox is now: that of its configuration, and what was
 * changed since. The newer word about one and the same rule counts: allowing it takes back that it
 * was denied meanwhile, and the other way round; what the configuration says is never taken back,
 * so a rule that it denies stays denied. Owns its rules; a policy that was asked for stays where it
 * is, and changes with it.
 */

#include "base/mem.h"
#include "base/err.h"
#include "model/netpolicy.h"

#define NETLIVE_MORE 256     /* rules of each kind, on top of the configured ones */
#define NETLIVE_CHANGES 4096 /* in all: their texts are kept */

struct netlive_list {
	struct netrule *rules;
	size_t count, configured;
};

struct netlive {
	struct net_policy policy;
	struct netlive_list lists[2]; /* allow, deny */
	struct arena arena;
	unsigned changes;
};

void netlive_init(struct netlive *n, const struct net_policy *configured);
void netlive_free(struct netlive *n);
/* A rule as in the configuration; nothing is changed when it fails. */
int netlive_change(struct netlive *n, bool deny, const char *text, struct err *e);
