/* SPDX-License-Identifier: Apache-2.0 */

/* Datagrams for anywhere but a name server: read, and told of; this version relays none. */

#include "guard/parts.h"

#include <netinet/in.h>
#include <string.h>

#define TURN 64

static bool take_destination(struct msghdr *h, struct netaddr *ret, uint16_t *ret_port)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	memset(ret, 0, sizeof *ret);
	if (!c)
		return false;
	if (c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVORIGDSTADDR) {
		memcpy(&v4, CMSG_DATA(c), sizeof v4);
		memcpy(ret->bytes, &v4.sin_addr, 4);
		ret->v4 = true;
		*ret_port = ntohs(v4.sin_port);
		return true;
	}
	if (c->cmsg_level != SOL_IPV6 || c->cmsg_type != IPV6_RECVORIGDSTADDR)
		return false;
	memcpy(&v6, CMSG_DATA(c), sizeof v6);
	memcpy(ret->bytes, &v6.sin6_addr, 16);
	*ret_port = ntohs(v6.sin6_port);
	return true;
}

void udp_datagrams(struct guard *g, struct watch *w)
{
	for (int i = 0; i < TURN; i++) {
		char data[1], control[128];
		struct iovec part = {data, sizeof data};
		struct msghdr h = {.msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof control};
		struct guard_event e = {.kind = GUARD_UDP, .why = "datagrams are not relayed"};
		const char *name;

		if (recvmsg(w->fd, &h, MSG_DONTWAIT) < 0)
			return;
		if (!take_destination(&h, &e.addr, &e.port))
			continue;
		name = alias_name_at(&g->aliases, &e.addr);
		e.name = name ? name : "";
		guard_tell(g, &e);
	}
}
