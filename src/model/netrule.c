/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netrule.h"

#include "base/str.h"
#include "model/refuse.h"

#include <stdio.h>
#include <string.h>

/* A range in IPv4 notation only: one spelling for one thing, so that no rule is passed by. */
static int refuse_mapped(const char *text, const struct netcidr *c, struct err *e)
{
	struct netaddr plain = netaddr_unmap(&c->net);
	char shown[NETADDR_TEXT];

	if (c->net.v4 || !plain.v4 || c->bits < 96)
		return 0;
	netaddr_text(&plain, shown);
	return refuse_text(e, text, "this is IPv4; write %s/%d", shown, c->bits - 96);
}

static int parse_address(
	const char *text, const struct net_parts *parts, struct netrule *ret, struct err *e)
{
	struct netrule rule = {.kind = NETRULE_ADDRESS, .port = parts->port};
	struct netaddr addr;
	int r = netaddr_parse(parts->host, &addr, e);

	if (r < 0)
		return r;
	if (parts->bracketed && addr.v4)
		return refuse_text(e, text, "brackets are for IPv6 addresses only");
	if (parts->bits < 0)
		rule.cidr = netcidr_single(&addr);
	else
		r = netcidr_make(&addr, (unsigned)parts->bits, &rule.cidr, e);
	if (r == 0)
		r = refuse_mapped(text, &rule.cidr, e);
	if (r == 0)
		*ret = rule;
	return r;
}

static int refuse_star(const char *text, const char *host, struct err *e)
{
	if (str_eq(host, "*") || str_eq(host, "*."))
		return refuse_text(e, text,
			"no rule means every host; set network to limited (ports 80 and 443) or "
			"full, "
			"without an allow list");
	return refuse_text(e, text, "'*' stands only in front, as in *.example.com");
}

static int parse_name(const char *text, const struct net_parts *parts, char name[NET_HOST_MAX],
	struct netrule *ret, struct err *e)
{
	bool suffix = str_starts(parts->host, "*.") && parts->host[2];
	const char *host = parts->host + (suffix ? 2 : 0);
	struct netrule rule = {.kind = suffix ? NETRULE_SUFFIX : NETRULE_NAME, .port = parts->port};
	int r;

	if (strchr(host, '*'))
		return refuse_star(text, host, e);
	r = net_host_canonical(host, name, e);
	if (r < 0)
		return r;
	if (str_eq(name, NET_HOST_SERVICE)) {
		rule.kind = NETRULE_SERVICE;
		if (suffix || !rule.port)
			return refuse_text(e, text,
				"a service of the host needs its port, as in " NET_HOST_SERVICE
				":5432");
	}
	rule.name = name;
	*ret = rule;
	return 0;
}

/* Brackets and ranges are for addresses only, so what is wrong in them is a wrong address. */
static bool is_address(const struct net_parts *parts)
{
	struct netaddr addr;

	return parts->bracketed || parts->bits >= 0 || netaddr_parse(parts->host, &addr, NULL) == 0;
}

/* The name of the rule is kept in the caller's buffer: checks of the form need no memory of their
 * own. */
static int parse(const char *text, char name[NET_HOST_MAX], struct netrule *ret, struct err *e)
{
	struct net_parts parts;
	int r = net_split(text, &parts, e);

	if (r < 0)
		return r;
	if (is_address(&parts))
		return parse_address(text, &parts, ret, e);
	return parse_name(text, &parts, name, ret, e);
}

int netrule_parse(struct arena *a, const char *text, struct netrule *ret, struct err *e)
{
	char name[NET_HOST_MAX];
	struct netrule rule;
	int r = parse(text, name, &rule, e);

	if (r < 0)
		return r;
	if (rule.name)
		rule.name = arena_text(a, name, strlen(name));
	*ret = rule;
	return 0;
}

int netrule_check(const char *text, struct err *e)
{
	char name[NET_HOST_MAX];
	struct netrule rule;

	return parse(text, name, &rule, e);
}

static bool is_loopback(const struct netrule *r)
{
	uint8_t bits;

	if (r->kind == NETRULE_ADDRESS)
		return netcidr_class_of(&r->cidr, &bits) >= NETADDR_UNSPECIFIED;
	return net_is_localhost(r->name);
}

int netrule_check_allow(const char *text, struct err *e)
{
	char name[NET_HOST_MAX];
	struct netrule rule;
	int r = parse(text, name, &rule, e);

	if (r < 0 || !is_loopback(&rule))
		return r;
	return refuse_text(e, text,
		"the loopback of the host is never reached by address or name; write %s:%d",
		NET_HOST_SERVICE, rule.port ? rule.port : 8080);
}

void netrule_text(const struct netrule *r, char out[NETRULE_TEXT])
{
	char range[NETCIDR_TEXT], port[sizeof(":65535")] = "";
	bool v6 = r->kind == NETRULE_ADDRESS && !r->cidr.net.v4;
	const char *host = r->name;

	if (r->port)
		snprintf(port, sizeof(port), ":%u", r->port);
	if (r->kind == NETRULE_ADDRESS) {
		netaddr_text(&r->cidr.net, range);
		host = range;
	}
	if (r->kind == NETRULE_ADDRESS && r->cidr.bits < (v6 ? 128 : 32))
		snprintf(out, NETRULE_TEXT, "%s%s%s/%d%s", v6 ? "[" : "", host, v6 ? "]" : "",
			r->cidr.bits, port);
	else
		snprintf(out, NETRULE_TEXT, "%s%s%s%s",
			r->kind == NETRULE_SUFFIX ? "*."
			: v6                      ? "["
						  : "",
			host, v6 ? "]" : "", port);
}

static bool matches_port(const struct netrule *r, uint16_t port)
{
	if (r->port)
		return r->port == port;
	return port == NETRULE_PORT_HTTP || port == NETRULE_PORT_HTTPS;
}

/* Truly below: *.example.com is not example.com, and not evilexample.com. */
static bool is_below(const char *host, const char *name)
{
	size_t host_len = strlen(host), name_len = strlen(name);

	return host_len > name_len + 1 && host[host_len - name_len - 1] == '.' &&
	       strcmp(host + host_len - name_len, name) == 0;
}

bool netrule_matches_name(const struct netrule *r, const char *canonical_host, uint16_t port)
{
	if (r->kind == NETRULE_ADDRESS || !matches_port(r, port))
		return false;
	if (r->kind == NETRULE_SUFFIX)
		return is_below(canonical_host, r->name);
	return strcmp(canonical_host, r->name) == 0;
}

bool netrule_matches_addr(const struct netrule *r, const struct netaddr *addr, uint16_t port)
{
	return r->kind == NETRULE_ADDRESS && matches_port(r, port) && netcidr_has(&r->cidr, addr);
}

static bool covers_host(const struct netrule *outer, const struct netrule *inner)
{
	if (outer->kind == NETRULE_SUFFIX && inner->kind == NETRULE_NAME)
		return is_below(inner->name, outer->name);
	if (outer->kind != inner->kind)
		return false;
	if (outer->kind == NETRULE_ADDRESS)
		return netcidr_covers(&outer->cidr, &inner->cidr);
	return strcmp(inner->name, outer->name) == 0 ||
	       (outer->kind == NETRULE_SUFFIX && is_below(inner->name, outer->name));
}

bool netrule_covers(const struct netrule *outer, const struct netrule *inner)
{
	return covers_host(outer, inner) &&
	       (inner->port == outer->port || (inner->port && matches_port(outer, inner->port)));
}
