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
#define QUESTIONS 32 /* over one connection, until others get their turn */

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

/* Those that get an address are told of when they are dialled, with their port. */
static void tell_refused(struct guard *g, const struct ask_from *from, const char *name)
{
	guard_tell(
		g, &(struct guard_event){.kind = GUARD_NAME,
			   .owner = from->flow ? from->flow->owner : whose_datagram(g, &from->ends),
			   .name = name,
			   .why = judge_name(g, name, NETRULE_PORT_HTTPS).why});
}

static enum dns_rcode find(struct guard *g, const struct ask_from *from,
	const struct dns_question *q, struct dns_answer *ret, size_t *ret_count)
{
	struct alias_pair pair;
	bool exists = may_exist(g, q->host);

	*ret_count = 0;
	/* Those that lead nowhere must not take the places of the others. */
	if (!exists && (g->call.nxdomain || g->aliases.count >= g->aliases.most / 4)) {
		tell_refused(g, from, q->host);
		return DNS_NXDOMAIN;
	}
	if (q->type != DNS_TYPE_A && q->type != DNS_TYPE_AAAA)
		return DNS_NOERROR;
	if (alias_of_name(&g->aliases, q->host, &pair) < 0)
		return DNS_SERVFAIL;
	*ret = (struct dns_answer){.addr = q->type == DNS_TYPE_A ? pair.v4 : pair.v6, .ttl = TTL};
	*ret_count = 1;
	return DNS_NOERROR;
}

size_t ask_answer(struct guard *g, const struct ask_from *from, const uint8_t *m, size_t len,
	uint8_t *out, size_t room)
{
	struct dns_question q;
	struct dns_answer answer;
	size_t count = 0;
	enum dns_rcode rcode;
	int r = dns_read(m, len, &q);

	if (r < 0)
		return 0;
	rcode = r == 1 ? q.rcode : find(g, from, &q, &answer, &count);
	return dns_write(&q, rcode, &answer, count, from->flow != NULL, out, room);
}

/* The answer comes from whom it was expected: the address that was asked goes back with it. */
void ask_datagrams(struct guard *g, struct watch *w)
{
	for (int i = 0; i < TURN; i++) {
		static uint8_t in[MESSAGE], out[MESSAGE];
		struct sockaddr_storage from;
		struct ask_from who = {.flow = NULL};
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
		g->behind = i == TURN - 1;
		who.ends.client = udp_address(&from, &who.ends.client_port);
		part = (struct iovec){out, ask_answer(g, &who, in, (size_t)n, out, sizeof out)};
		if (part.iov_len > 0)
			sendmsg(w->fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

/* Each message has its length in front; answers are short, and who does not take them loses. The
 * length of what was dealt with; 0: more has to come; -1: it has ended. */
static ssize_t answer_one(struct guard *g, struct flow *f, const uint8_t *at, size_t left)
{
	uint8_t out[2 + MESSAGE];
	struct ask_from from = {.flow = f};
	size_t size = left < 2 ? 0 : (size_t)at[0] << 8 | at[1], len;

	if (left < 2 || left < 2 + size)
		return 0;
	len = ask_answer(g, &from, at + 2, size, out + 2, MESSAGE);
	out[0] = (uint8_t)(len >> 8);
	out[1] = (uint8_t)len;
	if (len == 0 ||
		send(f->client.fd, out, 2 + len, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)(2 + len))
		return -1;
	return (ssize_t)(2 + size);
}

/* Some, until others have had their turn. */
void ask_connection(struct guard *g, struct flow *f)
{
	ssize_t n = flow_read(g, f), done = 1;
	size_t at = 0;

	if (n <= 0 && n != -EAGAIN && n != -ENOBUFS) {
		flow_close(g, f);
		return;
	}
	for (int i = 0; i < QUESTIONS && done > 0; i++) {
		done = answer_one(g, f, f->head + at, f->head_len - at);
		at += done > 0 ? (size_t)done : 0;
	}
	if (done < 0 || (n == -ENOBUFS && at == 0)) {
		flow_break(g, f, "no question");
		return;
	}
	f->head_len -= at;
	memmove(f->head, f->head + at, f->head_len);
	if (n > 0 || at > 0)
		flow_busy(g, f);
}
