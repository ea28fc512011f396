/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Questions for names, whichever server they were meant for. Every host name gets a made-up
 * address, whether it is allowed or not, so that the attempt is seen with its port and can be
 * answered with a reason; no question leaves the machine.
 */

#include "base/macro.h"
#include "guard/dns.h"
#include "guard/parts.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define TTL 60       /* s; the address stays as long as the sandbox lives */
#define TURN 32      /* datagrams, until others get their turn */
#define MESSAGE 4096 /* longer ones are no question for a host */

/* By any rule, at whatever port; the port decides again when it is dialled. */
static bool may_exist(const struct guard *g, const char *name)
{
	const struct net_policy *p = g->call.policy;

	if (judge_name(g, name, NETRULE_PORT_HTTPS).allow ||
		judge_name(g, name, NETRULE_PORT_HTTP).allow)
		return true;
	for (size_t i = 0; i < p->allow_count; i++)
		if (p->allow[i].port && judge_name(g, name, p->allow[i].port).allow)
			return true;
	return p->mode == NET_FULL && !p->has_allow && judge_name(g, name, 22).allow;
}

static enum dns_rcode find(
	struct guard *g, const struct dns_question *q, struct dns_answer *ret, size_t *ret_count)
{
	struct alias_pair pair;
	bool exists = may_exist(g, q->host);

	*ret_count = 0;
	if (!exists)
		guard_tell(g, &(struct guard_event){.kind = GUARD_NAME,
				      .name = q->host,
				      .why = judge_name(g, q->host, NETRULE_PORT_HTTPS).why});
	/* Those that lead nowhere must not take the places of the others. */
	if (!exists && (g->call.nxdomain || g->aliases.count >= g->aliases.most / 4))
		return DNS_NXDOMAIN;
	if (q->type != DNS_TYPE_A && q->type != DNS_TYPE_AAAA)
		return DNS_NOERROR;
	if (alias_of_name(&g->aliases, q->host, &pair) < 0)
		return DNS_SERVFAIL;
	*ret = (struct dns_answer){.addr = q->type == DNS_TYPE_A ? pair.v4 : pair.v6, .ttl = TTL};
	*ret_count = 1;
	return DNS_NOERROR;
}

size_t ask_answer(
	struct guard *g, const uint8_t *m, size_t len, bool tcp, uint8_t *out, size_t room)
{
	struct dns_question q;
	struct dns_answer answer;
	size_t count = 0;
	enum dns_rcode rcode;
	int r = dns_read(m, len, &q);

	if (r < 0)
		return 0;
	rcode = r == 1 ? q.rcode : find(g, &q, &answer, &count);
	return dns_write(&q, rcode, &answer, count, tcp, out, room);
}

/* The answer comes from whom it was expected: the address that was asked goes back with it. */
void ask_datagrams(struct guard *g, struct watch *w)
{
	for (int i = 0; i < TURN; i++) {
		static uint8_t in[MESSAGE], out[MESSAGE];
		struct sockaddr_storage from;
		char control[128];
		struct iovec part = {in, sizeof in};
		struct msghdr h = {.msg_name = &from,
			.msg_namelen = sizeof from,
			.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof control};
		ssize_t n = recvmsg(w->fd, &h, MSG_DONTWAIT);

		if (n < 0)
			return;
		if (h.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
			continue;
		part = (struct iovec){out, ask_answer(g, in, (size_t)n, false, out, sizeof out)};
		if (part.iov_len > 0)
			sendmsg(w->fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}
