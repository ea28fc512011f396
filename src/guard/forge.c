/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Packets into the sandbox from whom its programs expect them: answers to datagrams, and that
 * nobody listens. Written whole into sockets that were made inside for it.
 */

#include "guard/parts.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <string.h>

#define LIFE 64  /* hops */
#define QUOTED 8 /* bytes of a datagram that is spoken of */

/* Sum of 16-bit numbers as the internet's checksums have it; what is odd is filled up with 0. */
static uint32_t sum(uint32_t so_far, const void *data, size_t size)
{
	const uint8_t *at = data;

	for (; size > 1; size -= 2, at += 2)
		so_far += (uint32_t)at[0] << 8 | at[1];
	if (size)
		so_far += (uint32_t)at[0] << 8;
	return so_far;
}

static uint16_t fold(uint32_t so_far)
{
	while (so_far >> 16)
		so_far = (so_far & 0xffff) + (so_far >> 16);
	return htons((uint16_t)~so_far);
}

static struct iphdr head4(
	const struct netaddr *from, const struct netaddr *to, int protocol, size_t size)
{
	struct iphdr h = {.version = 4,
		.ihl = 5,
		.ttl = LIFE,
		.protocol = (uint8_t)protocol,
		.tot_len = htons((uint16_t)(sizeof h + size))};

	memcpy(&h.saddr, from->bytes, 4);
	memcpy(&h.daddr, to->bytes, 4);
	return h;
}

static struct ip6_hdr head6(
	const struct netaddr *from, const struct netaddr *to, int protocol, size_t size)
{
	struct ip6_hdr h = {0};

	h.ip6_flow = htonl(6u << 28);
	h.ip6_plen = htons((uint16_t)size);
	h.ip6_nxt = (uint8_t)protocol;
	h.ip6_hlim = LIFE;
	memcpy(&h.ip6_src, from->bytes, 16);
	memcpy(&h.ip6_dst, to->bytes, 16);
	return h;
}

/* Of version 6 the checksum covers both addresses, the length and the protocol. */
static uint32_t sum_ends(const struct ip6_hdr *h)
{
	uint32_t s = sum(0, &h->ip6_src, 16);

	s = sum(s, &h->ip6_dst, 16);
	return s + ntohs(h->ip6_plen) + h->ip6_nxt;
}

static void put(struct guard *g, const struct netaddr *to, struct iovec *parts, size_t count)
{
	struct sockaddr_storage at;
	struct msghdr h = {.msg_name = &at, .msg_iov = parts, .msg_iovlen = count};
	int fd = g->sockets[to->v4 ? CATCH_RAW4 : CATCH_RAW6].fd;

	h.msg_namelen = judge_sockaddr(to, 0, &at);
	sendmsg(fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static struct udphdr udp_head(uint16_t from, uint16_t to, size_t size)
{
	return (struct udphdr){.source = htons(from),
		.dest = htons(to),
		.len = htons((uint16_t)(sizeof(struct udphdr) + size))};
}

void forge_datagram(struct guard *g, const struct forge_ends *ends, const void *data, size_t size)
{
	struct udphdr udp = udp_head(ends->from_port, ends->to_port, size);
	struct iphdr v4 = head4(&ends->from, &ends->to, IPPROTO_UDP, sizeof udp + size);
	struct ip6_hdr v6 = head6(&ends->from, &ends->to, IPPROTO_UDP, sizeof udp + size);
	bool four = ends->to.v4;
	struct iovec parts[] = {{four ? (void *)&v4 : (void *)&v6, four ? sizeof v4 : sizeof v6},
		{&udp, sizeof udp}, {(void *)data, size}};

	if (!four) { /* with version 4 none is needed */
		udp.check = fold(sum(sum(sum_ends(&v6), &udp, sizeof udp), data, size));
		if (udp.check == 0)
			udp.check = 0xffff;
	}
	put(g, &ends->to, parts, 3);
}

static void unreachable4(struct guard *g, const struct forge_ends *e, size_t size)
{
	struct icmphdr icmp = {.type = ICMP_DEST_UNREACH, .code = ICMP_PORT_UNREACH};
	struct udphdr udp = udp_head(e->to_port, e->from_port, size);
	struct iphdr asked = head4(&e->to, &e->from, IPPROTO_UDP, sizeof udp + size);
	struct iphdr head =
		head4(&e->from, &e->to, IPPROTO_ICMP, sizeof icmp + sizeof asked + QUOTED);
	struct iovec parts[] = {
		{&head, sizeof head}, {&icmp, sizeof icmp}, {&asked, sizeof asked}, {&udp, QUOTED}};

	icmp.checksum =
		fold(sum(sum(sum(0, &icmp, sizeof icmp), &asked, sizeof asked), &udp, sizeof udp));
	put(g, &e->to, parts, 4);
}

static void unreachable6(struct guard *g, const struct forge_ends *e, size_t size)
{
	struct icmp6_hdr icmp = {
		.icmp6_type = ICMP6_DST_UNREACH, .icmp6_code = ICMP6_DST_UNREACH_NOPORT};
	struct udphdr udp = udp_head(e->to_port, e->from_port, size);
	struct ip6_hdr asked = head6(&e->to, &e->from, IPPROTO_UDP, sizeof udp + size);
	struct ip6_hdr head =
		head6(&e->from, &e->to, IPPROTO_ICMPV6, sizeof icmp + sizeof asked + QUOTED);
	struct iovec parts[] = {
		{&head, sizeof head}, {&icmp, sizeof icmp}, {&asked, sizeof asked}, {&udp, QUOTED}};

	icmp.icmp6_cksum =
		fold(sum(sum(sum(sum_ends(&head), &icmp, sizeof icmp), &asked, sizeof asked), &udp,
			sizeof udp));
	put(g, &e->to, parts, 4);
}

void forge_unreachable(struct guard *g, const struct forge_ends *ends, size_t size)
{
	if (ends->to.v4)
		unreachable4(g, ends, size);
	else
		unreachable6(g, ends, size);
}
