/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * One rule of network.allow or network.deny, as text and as something to match with. Pure: a name
 * is matched as a name, an address as an address; what a name resolves to is a later question
 * (model/netpolicy.h). Names live in the arena of the configuration.
 *
 *   example.com        that name             10.0.0.0/8         a range
 *   *.example.com      all names below it    192.0.2.7          one address
 *   example.com:22     at that port          [2001:db8::7]:22   IPv6 in brackets
 *                                            [2001:db8::]/32    or 2001:db8::/32
 *   host-service:5432  a service on the loopback of the host
 *
 * Without a port a rule that allows means 80 and 443, and one that denies means every port.
 */

#include "base/err.h"
#include "base/mem.h"
#include "model/net.h"

#include <stdbool.h>
#include <stdint.h>

enum netrule_kind { NETRULE_NAME, NETRULE_SUFFIX, NETRULE_ADDRESS, NETRULE_SERVICE, NETRULE_KINDS };

struct netrule {
	enum netrule_kind kind;
	const char *name;    /* canonical, without "*."; NULL for addresses */
	struct netcidr cidr; /* ADDRESS */
	uint16_t port;       /* 0 = 80 and 443 */
};

#define NETRULE_PORT_HTTP 80
#define NETRULE_PORT_HTTPS 443

int netrule_parse(struct arena *a, const char *text, struct netrule *ret, struct err *e);
/* For field tables: the form; and for rules that allow, whether the rule can ever open anything. */
int netrule_check(const char *text, struct err *e);
int netrule_check_allow(const char *text, struct err *e);

/* The text that reads back as the same rule. */
#define NETRULE_TEXT (NET_HOST_MAX + 16)
void netrule_text(const struct netrule *r, char out[NETRULE_TEXT]);

/* host must come from net_host_canonical, and addr must not be IPv4 in IPv6 (netaddr_unmap). */
bool netrule_matches_name(const struct netrule *r, const char *canonical_host, uint16_t port);
bool netrule_matches_addr(const struct netrule *r, const struct netaddr *addr, uint16_t port);
/* Everything that inner matches, outer matches too. */
bool netrule_covers(const struct netrule *outer, const struct netrule *inner);
