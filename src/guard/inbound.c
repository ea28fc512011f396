/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Ports of the host that lead into the sandbox. Whoever comes by the host's loopback comes by the
 * sandbox's own loopback too; who comes from elsewhere does not: what listens there for itself only
 * must not take them for itself.
 */

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "guard/parts.h"
#include "sys/netsock.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG 128

static int begin_to_listen(const struct net_publish *p)
{
	struct sockaddr_storage at;
	socklen_t len = judge_sockaddr(&p->addr, p->host_port, &at);
	auto_fd int fd = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) < 0 ||
		(at.ss_family == AF_INET6 &&
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one) < 0) ||
		bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	return take_fd(&fd);
}

int inbound_open(struct guard *g, struct err *e)
{
	const struct guard_call *c = &g->call;
	int r = 0;

	g->inbound = mem_alloc((c->publish_count + 1) * sizeof *g->inbound);
	for (size_t i = 0; i < c->publish_count; i++) {
		const struct net_publish *p = &c->publish[i];
		struct inbound *in = &g->inbound[i];
		char text[NETADDR_TEXT];

		in->listener.fd = -1;
		in->port = p->inside_port;
		in->own = netaddr_class_of(&p->addr) == NETADDR_LOOPBACK;
		g->inbound_count++;
		r = begin_to_listen(p);
		if (r >= 0)
			r = guard_watch(g, &in->listener, WATCH_INBOUND, r, in, EPOLLIN);
		if (r < 0) {
			netaddr_text(&p->addr, text);
			return err_sys(e, r,
				"listen at port %u of %s on the host (network.publish)",
				p->host_port, text);
		}
	}
	return 0;
}

void inbound_free(struct guard *g)
{
	for (size_t i = 0; i < g->inbound_count; i++)
		guard_unwatch(g, &g->inbound[i].listener);
	while (g->inside_count > 0)
		close(g->inside[--g->inside_count]);
	cleanup_fd(&g->call.namespace);
	free(take_ptr(g->inbound));
	g->inbound_count = 0;
}

int inbound_socket(struct guard *g)
{
	int r;

	if (g->inside_count == 0) {
		r = netsock_make(g->call.namespace, g->inside);
		if (r < 0)
			return r;
		g->inside_count = NETSOCK_MOST;
	}
	return g->inside[--g->inside_count];
}

socklen_t inbound_sockaddr(const struct netaddr *a, uint16_t port, struct sockaddr_storage *ret)
{
	struct netaddr six = *a;

	if (a->v4) {
		six = (struct netaddr){.bytes = {[10] = 0xff, [11] = 0xff}};
		memcpy(six.bytes + 12, a->bytes, 4);
	}
	return judge_sockaddr(&six, port, ret);
}
