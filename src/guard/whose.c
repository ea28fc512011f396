/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whose program it is that began something. Where it can be only one's, nobody is asked. Otherwise
 * the kernel is asked for the sockets that have the address from which it came, and whoever has
 * called the guard for whose those are. What a program says of itself does not count.
 */

#include "guard/parts.h"

#include <netinet/in.h>
#include <string.h>

#define SOCKETS 8 /* that share an address and port; with more it is nobody's */

static struct sockdiag_ends ends_of(const struct whose_ends *e)
{
	struct sockdiag_ends ret = {
		.v4 = e->client.v4, .local_port = e->client_port, .remote_port = e->to_port};

	memcpy(ret.local, e->client.bytes, sizeof ret.local);
	memcpy(ret.remote, e->to.bytes, sizeof ret.remote);
	return ret;
}

static bool take_client(int fd, struct whose_ends *e)
{
	struct sockaddr_in6 name;
	socklen_t len = sizeof name;
	struct netaddr a = {.v4 = false};

	if (getpeername(fd, (struct sockaddr *)&name, &len) < 0 || name.sin6_family != AF_INET6)
		return false;
	memcpy(a.bytes, &name.sin6_addr, sizeof a.bytes);
	e->client = netaddr_unmap(&a);
	e->client_port = ntohs(name.sin6_port);
	return true;
}

bool whose_only(const struct guard *g, uint64_t *ret)
{
	*ret = 0;
	return !g->call.owner || g->call.owner(g->call.ctx, NULL, 0, ret);
}

static uint64_t owner_of(const struct guard *g, const uint32_t *inodes, int count)
{
	uint64_t owner = 0;

	g->call.owner(g->call.ctx, inodes, count > 0 ? (size_t)count : 0, &owner);
	return owner;
}

uint64_t whose_connection(const struct guard *g, int fd, const struct netaddr *to, uint16_t port)
{
	struct whose_ends e = {.to = *to, .to_port = port};
	struct sockdiag_ends ends;
	uint32_t inode = 0;
	uint64_t owner;
	int r;

	if (whose_only(g, &owner))
		return owner;
	if (!take_client(fd, &e))
		return owner_of(g, &inode, 0);
	ends = ends_of(&e);
	r = sockdiag_tcp(g->sockets[CATCH_DIAG].fd, &ends, &inode);
	return owner_of(g, &inode, r == 0);
}

/* Of what comes from outside: whoever listens inside. */
uint64_t whose_port(const struct guard *g, const struct netaddr *own, uint16_t port)
{
	struct whose_ends e = {.client = *own, .client_port = port};
	struct sockdiag_ends ends = ends_of(&e);
	uint32_t inode = 0;
	uint64_t owner;
	int r;

	if (whose_only(g, &owner))
		return owner;
	r = sockdiag_listener(g->sockets[CATCH_DIAG].fd, &ends, &inode);
	return owner_of(g, &inode, r == 0);
}

uint64_t whose_datagram(const struct guard *g, const struct whose_ends *e)
{
	struct sockdiag_ends ends = ends_of(e);
	uint32_t inodes[SOCKETS] = {0};
	uint64_t owner;

	if (whose_only(g, &owner))
		return owner;
	return owner_of(g, inodes, sockdiag_udp(g->sockets[CATCH_DIAG].fd, &ends, inodes, SOCKETS));
}

uint32_t whose_socket(const struct guard *g, const struct whose_ends *e)
{
	struct sockdiag_ends ends = ends_of(e);
	uint32_t inode = 0;

	return sockdiag_udp_one(g->sockets[CATCH_DIAG].fd, &ends, &inode) == 0 ? inode : 0;
}
