/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Hosts and ports as people and programs write them. Rules, requests and `ward explain` all read
 * them here, so that what is decided about and what is dialled, logged or compared with a TLS name
 * is the same text. No name is resolved. Owns nothing.
 */

#include "base/err.h"
#include "model/netaddr.h"

#define NET_HOST_MAX 254 /* 253 characters and the NUL */

/* The word that stands for a service on the host's own loopback; needs a port. */
#define NET_HOST_SERVICE "host-service"

/*
 * The one form of a name: lower case, without the dot at the end. Labels are 1 to 63 of [a-z0-9-_],
 * not starting or ending with '-'. Refused: everything else, names outside ASCII (write xn--...),
 * and all that a lax reader could take for an address (last part all digits, or 0x...), true
 * addresses included.
 */
int net_host_canonical(const char *text, char out[NET_HOST_MAX], struct err *e);

/* localhost, a name below it, or another usual name of the host; the host is canonical. */
bool net_is_localhost(const char *host);
/* A name by which clouds hand out credentials of the machine. */
bool net_is_metadata(const char *host);

/* `host`, `host:port`, `address`, `address:port`, `[v6]`, `[v6]:port`: where a request wants to go.
 */
struct net_target {
	bool is_addr;
	struct netaddr addr;
	char host[NET_HOST_MAX]; /* canonical; "" for an address */
	uint16_t port;           /* 0 = not written */
};
int net_target_parse(const char *text, struct net_target *ret, struct err *e);

/* The parts of such a text, not yet judged; rules have a range in front of the port. */
struct net_parts {
	char host[NET_HOST_MAX +
		  2]; /* brackets removed; room for the dots and stars to be complained about */
	bool bracketed;
	int bits; /* -1 = no range */
	uint16_t port;
};
int net_split(const char *text, struct net_parts *ret, struct err *e);

/* A port of the host that leads into the sandbox: `[address:]port:port`, the loopback unless
 * written. */
struct net_publish {
	struct netaddr addr;
	uint16_t host_port;
	uint16_t inside_port;
};
int net_publish_parse(const char *text, struct net_publish *ret, struct err *e);

/* A block that names lead to inside: as much of a family as has room for enough names, and nothing
 * that means something to a program. */
int net_made_up_parse(const char *text, struct netcidr *ret, struct err *e);

/* For field tables. */
int net_check_made_up(const char *text, struct err *e);
int net_check_publish(const char *text, struct err *e);
int net_check_hosts_name(const char *text, struct err *e);
int net_check_hosts_value(const char *text, struct err *e);
int net_check_dns(const char *text, struct err *e);
