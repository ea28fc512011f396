/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a sandbox may reach: the decision about one name and about one address, and whether one
 * policy stays within another. Pure; `ward explain` prints these verdicts and the network guard
 * carries them out.
 *
 * A connection is decided twice. First by name (net_decide_name); what the name resolves to is then
 * decided address by address (net_decide_addr with by_name). A literal address is decided by the
 * second alone. An answer of a NETRULE_SERVICE rule is dialled to the host's loopback at that port
 * and nowhere else, without the second question.
 *
 * Should: deny wins in any order; with an allow list nothing else is reachable, and an empty one
 * means no network. Mustn't: reach the loopback by address, or any other special address (private,
 * link-local, metadata, ...) unless an address rule names it: lies within that special range, so
 * 0.0.0.0/0 opens public addresses only. What text cannot show (an address that belongs to the host
 * itself) is asked by whoever dials.
 */

#include "model/netrule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tightest first. */
enum net_mode { NET_NONE, NET_LIMITED, NET_FULL, NET_MODES };
extern const char *const net_mode_names[]; /* NULL at the end */

struct net_policy {
	enum net_mode mode; /* what holds where there is no allow list */
	bool has_allow;     /* nothing else than what the list has; otherwise it adds to the mode */
	const struct netrule *allow;
	size_t allow_count;
	const struct netrule *deny;
	size_t deny_count;
};

struct net_verdict {
	bool allow;
	const struct netrule *rule; /* the one that decided; NULL: none did */
	const char *why;            /* a sentence without a full stop; constant */
};

struct net_verdict net_decide_name(
	const struct net_policy *p, const char *canonical_host, uint16_t port);
/* by_name: the address stands for a name that net_decide_name allowed for this port. */
struct net_verdict net_decide_addr(
	const struct net_policy *p, const struct netaddr *dialled, uint16_t port, bool by_name);

#define NET_PORTS 16
/* The ports at which anything can be reached at all; 0: more than that, or all of them. */
size_t net_policy_ports(const struct net_policy *p, uint16_t ret[NET_PORTS]);

/* Everything that inner can reach, outer can reach too, as far as the rules show: false when in
 * doubt. */
bool net_policy_within(const struct net_policy *inner, const struct net_policy *outer);
