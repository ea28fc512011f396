/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netpolicy.h"

#include "base/macro.h"
#include "base/str.h"

const char *const net_mode_names[] = {"none", "limited", "full", NULL};
_Static_assert(ARRAY_LEN(net_mode_names) == NET_MODES + 1, "a name for each mode");

static struct net_verdict denied(const struct netrule *rule, const char *why)
{
	return (struct net_verdict){.rule = rule, .why = why};
}

static struct net_verdict allowed(const struct netrule *rule, const char *why)
{
	return (struct net_verdict){.allow = true, .rule = rule, .why = why};
}

/* A rule that denies without a port means every port, so it is asked about one that it has. */
static uint16_t deny_port(const struct netrule *r, uint16_t port)
{
	return r->port ? port : NETRULE_PORT_HTTPS;
}

static const struct netrule *deny_name(const struct net_policy *p, const char *host, uint16_t port)
{
	for (size_t i = 0; i < p->deny_count; i++)
		if (netrule_matches_name(&p->deny[i], host, deny_port(&p->deny[i], port)))
			return &p->deny[i];
	return NULL;
}

static const struct netrule *deny_addr(
	const struct net_policy *p, const struct netaddr *addr, uint16_t port)
{
	for (size_t i = 0; i < p->deny_count; i++)
		if (netrule_matches_addr(&p->deny[i], addr, deny_port(&p->deny[i], port)))
			return &p->deny[i];
	return NULL;
}

static struct net_verdict by_mode(enum net_mode mode, uint16_t port)
{
	switch (mode) {
	case NET_LIMITED:
		if (port == NETRULE_PORT_HTTP || port == NETRULE_PORT_HTTPS)
			return allowed(NULL, "network mode limited allows ports 80 and 443");
		return denied(NULL, "network mode limited allows only ports 80 and 443");
	case NET_FULL:
		return allowed(NULL, "network mode full allows public addresses");
	case NET_NONE:
	case NET_MODES:
		break;
	}
	return denied(NULL, "network mode none: there is no network");
}

/* With an allow list, when no rule of it matched. */
static struct net_verdict not_listed(const struct net_policy *p)
{
	if (p->allow_count == 0)
		return denied(NULL, "the allow list is empty: there is no network");
	return denied(NULL, "no rule of the allow list matches this host and port");
}

struct net_verdict net_decide_name(
	const struct net_policy *p, const char *canonical_host, uint16_t port)
{
	const struct netrule *rule = deny_name(p, canonical_host, port);

	if (rule)
		return denied(rule, "a deny rule matches, and deny wins");
	if (port == 0)
		return denied(NULL, "port 0 is not a port");
	if (net_is_localhost(canonical_host))
		return denied(
			NULL, "the loopback of the host is reached only by a host-service rule");
	if (net_is_metadata(canonical_host))
		return denied(NULL, "it hands out credentials of the machine; only an address rule "
				    "for exactly its address opens it");
	for (size_t i = 0; i < p->allow_count; i++)
		if (netrule_matches_name(&p->allow[i], canonical_host, port))
			return allowed(&p->allow[i], "a rule of the allow list matches");
	if (str_eq(canonical_host, NET_HOST_SERVICE))
		return denied(NULL, "a service of the host needs a host-service rule for its port");
	return p->has_allow ? not_listed(p) : by_mode(p->mode, port);
}

/*
 * An allow rule opens a special address only when it lies within the range that makes the address
 * special. Both contain the address, so the one with more bits lies in the other.
 */
static const struct netrule *allow_addr(
	const struct net_policy *p, const struct netaddr *addr, uint16_t port, uint8_t special_bits)
{
	for (size_t i = 0; i < p->allow_count; i++)
		if (netrule_matches_addr(&p->allow[i], addr, port) &&
			p->allow[i].cidr.bits >= special_bits)
			return &p->allow[i];
	return NULL;
}

/* Also what the address leads to: 64:ff9b::192.0.2.7 ends at 192.0.2.7. */
static const struct netrule *deny_any(
	const struct net_policy *p, const struct netaddr *addr, uint16_t port)
{
	struct netaddr inner[NETADDR_CARRIED];
	size_t count = netaddr_carried(addr, inner);
	const struct netrule *rule = deny_addr(p, addr, port);

	for (size_t i = 0; !rule && i < count; i++)
		rule = deny_addr(p, &inner[i], port);
	return rule;
}

static struct net_verdict special_addr(enum netaddr_class class, bool by_name)
{
	if (class >= NETADDR_UNSPECIFIED)
		return denied(NULL, "the loopback of the host is never reached by address, only by "
				    "a host-service rule");
	if (class == NETADDR_METADATA)
		return denied(NULL, "it hands out credentials of the machine; only an address rule "
				    "for exactly this "
				    "address opens it");
	if (by_name)
		return denied(NULL, "the name leads to an address that is not public; a rule for "
				    "the name does not "
				    "open it, only an address rule within its range does");
	return denied(
		NULL, "the address is not public; only an address rule within its range opens it");
}

struct net_verdict net_decide_addr(
	const struct net_policy *p, const struct netaddr *dialled, uint16_t port, bool by_name)
{
	struct netaddr addr = netaddr_unmap(dialled);
	struct netcidr single = netcidr_single(&addr);
	uint8_t bits;
	enum netaddr_class class = netcidr_class_of(&single, &bits);
	const struct netrule *rule = deny_any(p, &addr, port);

	if (rule)
		return denied(rule, "a deny rule matches, and deny wins");
	if (port == 0)
		return denied(NULL, "port 0 is not a port");
	if (class >= NETADDR_UNSPECIFIED)
		return special_addr(class, by_name);
	rule = allow_addr(p, &addr, port, bits);
	if (rule)
		return allowed(rule, "a rule of the allow list matches");
	if (class != NETADDR_PUBLIC)
		return special_addr(class, by_name);
	if (by_name)
		return allowed(NULL, "the name is allowed and leads to a public address");
	return p->has_allow ? not_listed(p) : by_mode(p->mode, port);
}

static bool add_port(uint16_t ports[NET_PORTS], size_t *count, uint16_t port)
{
	for (size_t i = 0; i < *count; i++)
		if (ports[i] == port)
			return true;
	if (*count == NET_PORTS)
		return false;
	ports[(*count)++] = port;
	return true;
}

size_t net_policy_ports(const struct net_policy *p, uint16_t ret[NET_PORTS])
{
	static const struct netrule web = {.port = 0};
	size_t count = 0, rules = p->has_allow ? p->allow_count : 1;

	if (!p->has_allow && p->mode != NET_LIMITED)
		return 0;
	for (size_t i = 0; i < rules; i++) {
		const struct netrule *r = p->has_allow ? &p->allow[i] : &web;

		if (r->port ? !add_port(ret, &count, r->port)
			    : !add_port(ret, &count, NETRULE_PORT_HTTP) ||
					!add_port(ret, &count, NETRULE_PORT_HTTPS))
			return 0;
	}
	return count;
}

static bool reaches_nothing(const struct net_policy *p)
{
	return p->has_allow ? p->allow_count == 0 : p->mode == NET_NONE;
}

/* As netrule_covers, and outer opens the special range too that inner lies in. */
static bool allow_covers(const struct netrule *outer, const struct netrule *inner)
{
	uint8_t bits = 0;

	if (!netrule_covers(outer, inner))
		return false;
	if (inner->kind == NETRULE_ADDRESS)
		netcidr_class_of(&inner->cidr, &bits);
	return outer->kind != NETRULE_ADDRESS || outer->cidr.bits >= bits;
}

static bool listed(const struct net_policy *outer, const struct netrule *inner)
{
	for (size_t i = 0; i < outer->allow_count; i++)
		if (allow_covers(&outer->allow[i], inner))
			return true;
	return false;
}

static bool within_mode(enum net_mode mode, const struct netrule *inner)
{
	uint8_t bits;

	if (inner->kind == NETRULE_SERVICE)
		return false;
	if (inner->kind == NETRULE_ADDRESS &&
		netcidr_class_of(&inner->cidr, &bits) != NETADDR_PUBLIC)
		return false;
	return by_mode(mode, inner->port).allow;
}

/* One rule at one port. */
static bool reaches(const struct net_policy *outer, const struct netrule *inner)
{
	return outer->has_allow ? listed(outer, inner) : within_mode(outer->mode, inner);
}

/* A rule without a port is two rules, which may be covered by different ones. */
static bool allow_within(const struct netrule *inner, const struct net_policy *outer)
{
	struct netrule http = *inner, https = *inner;

	if (inner->port)
		return reaches(outer, inner);
	http.port = NETRULE_PORT_HTTP;
	https.port = NETRULE_PORT_HTTPS;
	return reaches(outer, &http) && reaches(outer, &https);
}

static bool allows_within(const struct net_policy *inner, const struct net_policy *outer)
{
	if (!outer->has_allow && inner->mode > outer->mode)
		return false;
	if (!inner->has_allow)
		return !outer->has_allow;
	for (size_t i = 0; i < inner->allow_count; i++)
		if (!allow_within(&inner->allow[i], outer))
			return false;
	return true;
}

/* Deny rules without a port mean every port, on both sides. */
static bool deny_covers(const struct netrule *outer, const struct netrule *inner)
{
	struct netrule at_port = *inner;

	if (!outer->port)
		at_port.port = 0;
	return netrule_covers(outer, &at_port);
}

static bool still_denied(const struct net_policy *inner, const struct netrule *rule)
{
	for (size_t i = 0; i < inner->deny_count; i++)
		if (deny_covers(&inner->deny[i], rule))
			return true;
	return false;
}

bool net_policy_within(const struct net_policy *inner, const struct net_policy *outer)
{
	if (reaches_nothing(inner))
		return true;
	if (!allows_within(inner, outer))
		return false;
	/* The very same list: it need not be compared with itself, which takes time by its square.
	 */
	if (inner->deny == outer->deny && inner->deny_count == outer->deny_count)
		return true;
	for (size_t i = 0; i < outer->deny_count; i++)
		if (!still_denied(inner, &outer->deny[i]))
			return false;
	return true;
}
