/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/route.h"

#include "sys/netlink.h"

#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#define LOOPBACK 1 /* the first interface of every namespace */

static void raise_loopback(struct netlink *b)
{
	struct ifinfomsg header = {.ifi_family = AF_UNSPEC,
		.ifi_index = LOOPBACK,
		.ifi_flags = IFF_UP,
		.ifi_change = IFF_UP};

	netlink_begin(b, RTM_NEWLINK, NLM_F_ACK, &header, sizeof header);
	netlink_end(b);
}

/* Alone in its network: of a wider one the neighbours would not be routed here. */
static void add_address(struct netlink *b, int family, const uint8_t *own, size_t size)
{
	struct ifaddrmsg header = {.ifa_family = (uint8_t)family,
		.ifa_prefixlen = (uint8_t)(8 * size),
		.ifa_flags = family == AF_INET6 ? IFA_F_NODAD : 0,
		.ifa_scope = RT_SCOPE_UNIVERSE,
		.ifa_index = LOOPBACK};

	netlink_begin(
		b, RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, &header, sizeof header);
	netlink_put(b, IFA_LOCAL, own, size);
	netlink_put(b, IFA_ADDRESS, own, size);
	netlink_end(b);
}

static void add_route(struct netlink *b, int family, const uint8_t *own, size_t size)
{
	struct rtmsg header = {.rtm_family = (uint8_t)family,
		.rtm_table = RT_TABLE_LOCAL,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = family == AF_INET6 ? RT_SCOPE_UNIVERSE : RT_SCOPE_HOST,
		.rtm_type = RTN_LOCAL};
	uint32_t through = LOOPBACK;

	netlink_begin(
		b, RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, &header, sizeof header);
	netlink_put(b, RTA_OIF, &through, sizeof through);
	netlink_put(b, RTA_PREFSRC, own, size);
	netlink_end(b);
}

int route_here(const uint8_t own4[4], const uint8_t own6[16], bool all)
{
	struct netlink b = {.len = 0};

	raise_loopback(&b);
	add_address(&b, AF_INET, own4, 4);
	add_address(&b, AF_INET6, own6, 16);
	if (all) {
		add_route(&b, AF_INET, own4, 4);
		add_route(&b, AF_INET6, own6, 16);
	}
	return netlink_carry_out(&b, NETLINK_ROUTE);
}
