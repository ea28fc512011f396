/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Hosts, rules and decisions on foreign text. The first byte chooses the modes of two policies; the
 * rest of the first line is where somebody wants to go; each further line is a rule: + allows and -
 * denies in the first policy, < allows and > denies in the second. Held to: one form of each name
 * and rule, deny wins, the loopback is never reached, an empty list reaches nothing, and a policy
 * within another reaches no more.
 */

#include "model/netpolicy.h"

#include "base/cleanup.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#define RULES_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct side {
	struct netrule allow[RULES_MAX], deny[RULES_MAX];
	struct net_policy policy;
};

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_refusal(int r, const struct err *e)
{
	size_t len = strlen(e->text);
	uint32_t c;

	require(r < 0 && e->code == -r && len > 0);
	for (size_t i = 0, step; i < len; i += step) {
		step = utf8_decode(e->text + i, len - i, &c);
		require(step > 0 && !utf8_is_deceptive(c));
	}
}

static void check_host(const char *text)
{
	char host[NET_HOST_MAX], again[NET_HOST_MAX];
	struct err e = {0};
	int r = net_host_canonical(text, host, &e);

	if (r != 0) {
		check_refusal(r, &e);
		return;
	}
	require(strspn(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(host));
	require(host[0] && strlen(host) < NET_HOST_MAX);
	require(net_host_canonical(host, again, NULL) == 0 && strcmp(host, again) == 0);
	require(netaddr_parse(text, &(struct netaddr){0}, NULL) < 0);
}

static void check_address(const char *text)
{
	struct netaddr a, again;
	char printed[NETADDR_TEXT];
	struct err e = {0};
	int r = netaddr_parse(text, &a, &e);

	if (r != 0) {
		check_refusal(r, &e);
		return;
	}
	netaddr_text(&a, printed);
	require(netaddr_parse(printed, &again, NULL) == 0);
	require(a.v4 == again.v4 && memcmp(a.bytes, again.bytes, sizeof(a.bytes)) == 0);
}

static void check_rule(const struct netrule *rule)
{
	uint16_t port = rule->port ? rule->port : NETRULE_PORT_HTTPS;
	char below[NET_HOST_MAX + 2] = "a.";

	require(netrule_covers(rule, rule));
	switch (rule->kind) {
	case NETRULE_ADDRESS:
		require(netrule_matches_addr(rule, &rule->cidr.net, port));
		break;
	case NETRULE_SUFFIX:
		memcpy(below + 2, rule->name, strlen(rule->name) + 1);
		require(netrule_matches_name(rule, below, port));
		require(!netrule_matches_name(rule, rule->name, port));
		break;
	case NETRULE_NAME:
	case NETRULE_SERVICE:
		require(netrule_matches_name(rule, rule->name, port));
		break;
	case NETRULE_KINDS:
		abort();
	}
}

static bool read_rule(struct arena *a, const char *text, struct netrule *ret)
{
	struct netrule again;
	struct err e = {0};
	char printed[NETRULE_TEXT], twice[NETRULE_TEXT];
	int r = netrule_parse(a, text, ret, &e);

	if (r != 0) {
		check_refusal(r, &e);
		return false;
	}
	check_rule(ret);
	netrule_text(ret, printed);
	require(netrule_parse(a, printed, &again, NULL) == 0);
	netrule_text(&again, twice);
	require(strcmp(printed, twice) == 0);
	require(netrule_covers(ret, &again) && netrule_covers(&again, ret));
	return true;
}

static void add_rule(struct arena *a, struct side sides[2], const char *line)
{
	struct side *side = &sides[line[0] == '<' || line[0] == '>'];
	struct net_policy *p = &side->policy;
	bool deny = line[0] == '-' || line[0] == '>';
	size_t *count = deny ? &p->deny_count : &p->allow_count;

	if (!deny)
		p->has_allow = true;
	if (*count < RULES_MAX &&
		read_rule(a, line + 1, deny ? &side->deny[*count] : &side->allow[*count]))
		++*count;
}

static struct net_verdict decide(const struct net_policy *p, const struct net_target *t)
{
	if (t->is_addr)
		return net_decide_addr(p, &t->addr, t->port, false);
	return net_decide_name(p, t->host, t->port);
}

static void check_verdict(const struct net_policy *p, const struct net_target *t)
{
	struct net_verdict v = decide(p, t);

	require(v.why && v.why[0]);
	if (!v.allow)
		return;
	require(t->port != 0);
	require(p->has_allow ? v.rule != NULL : p->mode != NET_NONE);
	require(!t->is_addr || netaddr_class_of(&t->addr) < NETADDR_UNSPECIFIED);
	for (size_t i = 0; i < p->deny_count; i++) {
		struct netaddr plain = netaddr_unmap(&t->addr);

		require(t->is_addr ? !netrule_matches_addr(&p->deny[i], &plain, t->port)
				   : !netrule_matches_name(&p->deny[i], t->host, t->port));
	}
}

static void check_within(
	const struct net_policy *a, const struct net_policy *b, const struct net_target *t)
{
	require(net_policy_within(a, a));
	if (net_policy_within(a, b) && decide(a, t).allow)
		require(decide(b, t).allow);
}

static void check_sides(struct side sides[2], const struct net_target *t)
{
	check_verdict(&sides[0].policy, t);
	check_verdict(&sides[1].policy, t);
	check_within(&sides[0].policy, &sides[1].policy, t);
	check_within(&sides[1].policy, &sides[0].policy, t);
}

static void check_lines(char *text, uint8_t modes)
{
	auto_(arena_free) struct arena a = {0};
	struct side sides[2] = {0};
	struct net_target target;
	char *next = strchr(text, '\n');

	for (int i = 0; i < 2; i++) {
		sides[i].policy.mode = (enum net_mode)((modes >> 2 * i & 3) % NET_MODES);
		sides[i].policy.allow = sides[i].allow;
		sides[i].policy.deny = sides[i].deny;
	}
	if (next)
		*next++ = '\0';
	for (char *line = next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (line[0])
			add_rule(&a, sides, line);
	}
	check_host(text);
	check_address(text);
	net_check_publish(text, NULL);
	if (net_target_parse(text, &target, NULL) == 0)
		check_sides(sides, &target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *text = NULL;

	if (size == 0 || size > 4096)
		return 0;
	text = mem_alloc(size);
	memcpy(text, data + 1, size - 1);
	check_lines(text, data[0]);
	return 0;
}
