/* SPDX-License-Identifier: Apache-2.0 */

/* A plan's network: the texts of the configuration, which the reader has checked, as values. */

#include "base/str.h"
#include "model/net.h"
#include "model/plan.h"

#include <stdio.h>

/* Unannounced, and public to whoever looks: programs refuse to fetch from private addresses. */
static const struct netcidr made_up[] = {
	{.net = {.bytes = {11}, .v4 = true}, .bits = 8},
	{.net = {.bytes = {0x3f, 0xfe}}, .bits = 16},
};

/* An allow list that is there and empty allows nothing. */
static bool is_guarded(const struct network *n)
{
	return n->allow.at.source ? n->allow.count > 0 : n->mode.v != NET_NONE;
}

static uint64_t limit(const struct opt_number *n)
{
	return n->at.source ? n->v : PLAN_NO_LIMIT;
}

static void take_budgets(const struct network *n, struct arena *a, struct plan_network *to)
{
	const struct budgets *from = n->budget.at.source ? n->budget.v : NULL;
	struct plan_budget *rows = arena_array(a, from ? from->count : 0, sizeof *rows);

	for (size_t i = 0; from && i < from->count; i++) {
		const struct budget *b = &from->items[i];
		char *name = arena_alloc(a, NET_HOST_MAX);
		struct netaddr addr;

		/* An address is a name here, in the one form that is compared. */
		if (netaddr_parse(b->name, &addr, NULL) == 0) {
			addr = netaddr_unmap(&addr);
			netaddr_text(&addr, name);
		} else if (net_host_canonical(b->name, name, NULL) < 0) {
			snprintf(name, NET_HOST_MAX, "%s", b->name);
		}
		rows[to->budget_count++] = (struct plan_budget){.name = name,
			.up = limit(&b->up),
			.down = limit(&b->down),
			.rate = limit(&b->rate),
			.connections = limit(&b->connections)};
	}
	to->budgets = rows;
}

static void take_hosts(const struct network *n, struct arena *a, struct plan_network *to)
{
	struct plan_host *hosts = arena_array(a, n->hosts.count + 1, sizeof *hosts);

	for (size_t i = 0; i < n->hosts.count; i++) {
		char *name = arena_alloc(a, NET_HOST_MAX);
		struct plan_host *h = &hosts[to->host_count];

		if (net_host_canonical(n->hosts.entries[i].key, name, NULL) < 0 ||
			netaddr_parse(n->hosts.entries[i].text.text, &h->addr, NULL) < 0)
			continue;
		h->name = name;
		to->host_count++;
	}
	to->hosts = hosts;
}

static void take_ports(const struct network *n, struct arena *a, struct plan_network *to)
{
	struct net_publish *ports = arena_array(a, n->publish.count + 1, sizeof *ports);

	for (size_t i = 0; i < n->publish.count; i++)
		if (net_publish_parse(n->publish.items[i].text, &ports[to->publish_count], NULL) ==
			0)
			to->publish_count++;
	to->publish = ports;
}

static void take_made_up(const struct network *n, struct plan_network *to)
{
	to->made_up4 = made_up[0];
	to->made_up6 = made_up[1];
	for (size_t i = 0; i < n->made_up.count; i++) {
		struct netcidr c;

		if (net_made_up_parse(n->made_up.items[i].text, &c, NULL) < 0)
			continue;
		if (c.net.v4)
			to->made_up4 = c;
		else
			to->made_up6 = c;
	}
}

void plan_network(const struct plan_request *q, struct arena *a, struct plan_network *ret)
{
	const struct network *n = &q->verdict->effective->s.sandbox.network;
	const char **dns = arena_array(a, n->dns.count + 1, sizeof *dns);

	take_ports(n, a, ret);
	if (!is_guarded(n))
		return;
	ret->guarded = true;
	ret->policy = q->verdict->effective->net;
	ret->nxdomain = n->denied_names.v == DENIED_NXDOMAIN;
	for (size_t i = 0; i < n->dns.count; i++)
		dns[ret->dns_count++] = n->dns.items[i].text;
	ret->dns = dns;
	take_hosts(n, a, ret);
	take_budgets(n, a, ret);
	take_made_up(n, ret);
}
