/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * IPv4 and IPv6 addresses and ranges: read strictly, printed in one form, and sorted into classes
 * by what answers there. No resolver and no socket: text and bytes only. The rules, the policy and
 * the network guard all use this one reader and this one table of special ranges.
 *
 * Strict means: IPv4 is four decimal parts without leading zeros (0177.0.0.1, 127.1 and 2130706433
 * are not addresses); IPv6 is the text form of RFC 4291 without a zone, which has no meaning
 * outside one host.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct netaddr {
	uint8_t bytes[16]; /* IPv4: the first four, the rest is 0 */
	bool v4;
};

struct netcidr {
	struct netaddr net; /* bits after the first `bits` are 0 */
	uint8_t bits;
};

/* From harmless to worst. Everything but PUBLIC is special: a rule has to name it. */
enum netaddr_class {
	NETADDR_PUBLIC,
	NETADDR_EMBEDDED, /* IPv6 that carries a public IPv4 address: NAT64, 6to4, Teredo, mapped */
	NETADDR_DOCUMENTATION,
	NETADDR_RESERVED,
	NETADDR_CGNAT,
	NETADDR_PRIVATE,
	NETADDR_LINK_LOCAL,
	NETADDR_MULTICAST,
	NETADDR_BROADCAST,
	NETADDR_METADATA,    /* credentials of a cloud machine */
	NETADDR_UNSPECIFIED, /* the kernel takes it for the loopback */
	NETADDR_LOOPBACK,
	NETADDR_CLASSES
};
const char *netaddr_class_name(enum netaddr_class class); /* "public", "link-local", ... */

#define NETADDR_TEXT 46
int netaddr_parse(const char *text, struct netaddr *ret, struct err *e);
/* RFC 5952: lower case, the longest run of zeros as ::, mapped addresses with a dotted quad. */
void netaddr_text(const struct netaddr *a, char out[NETADDR_TEXT]);

/* ::ffff:192.0.2.1 is dialled as 192.0.2.1: decide about that. Others stay as they are. */
struct netaddr netaddr_unmap(const struct netaddr *a);
/* The IPv4 addresses that an IPv6 address may lead to; returns how many. */
#define NETADDR_CARRIED 2
size_t netaddr_carried(const struct netaddr *a, struct netaddr ret[NETADDR_CARRIED]);
enum netaddr_class netaddr_class_of(const struct netaddr *a);

#define NETCIDR_TEXT (NETADDR_TEXT + 4)
/* "10.0.0.0/8"; bits set behind the prefix are an error that shows the right form. */
int netcidr_parse(const char *text, struct netcidr *ret, struct err *e);
int netcidr_make(const struct netaddr *a, unsigned bits, struct netcidr *ret, struct err *e);
struct netcidr netcidr_single(const struct netaddr *a);
void netcidr_text(const struct netcidr *c, char out[NETCIDR_TEXT]);
bool netcidr_has(const struct netcidr *c, const struct netaddr *a);
bool netcidr_covers(const struct netcidr *outer, const struct netcidr *inner);

/*
 * The class of the narrowest special range that the whole of c lies in, and that range's bits;
 * PUBLIC and 0 when c lies in none. A range such as 0.0.0.0/0 that merely contains special ones is
 * PUBLIC. An IPv6 address that carries a special IPv4 address is a range of its own (128 bits).
 */
enum netaddr_class netcidr_class_of(const struct netcidr *c, uint8_t *ret_bits);

/* A port: decimal, 1 to 65535, no sign, no leading zero. false: it is not one. */
bool netaddr_port(const char *text, uint16_t *ret);
