/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The policy's answers, and what it cannot know: whether an address is the machine's own. Every
 * name and every address that is dialled passes here.
 */

#include "base/cleanup.h"
#include "guard/parts.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

socklen_t judge_sockaddr(const struct netaddr *a, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)ret;

	memset(ret, 0, sizeof *ret);
	if (a->v4) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		memcpy(&v4->sin_addr, a->bytes, sizeof v4->sin_addr);
		return sizeof *v4;
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	memcpy(&v6->sin6_addr, a->bytes, sizeof v6->sin6_addr);
	return sizeof *v6;
}

/* The kernel sends to itself from the very address that it sends to. */
static bool is_the_machines_own(const struct netaddr *a)
{
	struct sockaddr_storage to, from;
	socklen_t len = judge_sockaddr(a, 1, &to), size = sizeof from;
	auto_fd int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct sockaddr_in *from4 = (const struct sockaddr_in *)(const void *)&from;
	const struct sockaddr_in6 *from6 = (const struct sockaddr_in6 *)(const void *)&from;

	if (fd < 0)
		return true; /* in doubt */
	/* What cannot be reached at all is no danger; dialling it will say so. */
	if (connect(fd, (struct sockaddr *)&to, len) < 0)
		return errno != ENETUNREACH && errno != EHOSTUNREACH;
	if (getsockname(fd, (struct sockaddr *)&from, &size) < 0)
		return true;
	return a->v4 ? memcmp(&from4->sin_addr, a->bytes, sizeof from4->sin_addr) == 0
		     : memcmp(&from6->sin6_addr, a->bytes, sizeof from6->sin6_addr) == 0;
}

/* It is named when a rule that allows lies within that very address. */
static bool is_named(const struct net_verdict *v)
{
	return v->rule && v->rule->kind == NETRULE_ADDRESS &&
	       v->rule->cidr.bits == (v->rule->cidr.net.v4 ? 32 : 128);
}

bool judge_forbids_names(const struct guard *g)
{
	const struct net_policy *p = g->call.policy;

	for (size_t i = 0; i < p->deny_count; i++)
		if (p->deny[i].kind != NETRULE_ADDRESS)
			return true;
	return false;
}

struct net_verdict judge_name(const struct guard *g, const char *name, uint16_t port)
{
	return net_decide_name(g->call.policy, name, port);
}

struct net_verdict judge_address(
	const struct guard *g, const struct netaddr *addr, uint16_t port, const char *name)
{
	struct netaddr plain = netaddr_unmap(addr);
	struct net_verdict v = net_decide_addr(g->call.policy, &plain, port, name != NULL);

	if (v.allow && !is_named(&v) && is_the_machines_own(&plain)) {
		v.allow = false;
		v.why = "it is an address of this machine itself";
	}
	return v;
}
