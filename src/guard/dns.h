/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * DNS as a server sees it: one question read from a whole message (a datagram, or what follows the
 * two bytes of length on a stream), and its answer written. The guard answers every question of a
 * sandbox with these. Pure; no message is kept, nothing is resolved.
 *
 * Should: every byte of a question is hostile; what is no proper query is answered as an error or
 * dropped, without the caller having to know which. Mustn't: give a name that another reader could
 * take for a different one. A name that is not of the form of net_host_canonical(), a dot within a
 * label included, is answered here and never shown to the policy as a host.
 */

#include "model/net.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dns_rcode {
	DNS_NOERROR = 0,
	DNS_FORMERR = 1,
	DNS_SERVFAIL = 2, /* stub resolvers ask again */
	DNS_NXDOMAIN = 3, /* final for every type */
	DNS_NOTIMP = 4,
	DNS_REFUSED = 5, /* musl ignores it and waits until its time is over */
	DNS_BADVERS = 16,
};

enum {
	DNS_TYPE_A = 1,
	DNS_TYPE_PTR = 12,
	DNS_TYPE_MX = 15,
	DNS_TYPE_TXT = 16,
	DNS_TYPE_AAAA = 28,
	DNS_TYPE_SVCB = 64,
	DNS_TYPE_HTTPS = 65,
	DNS_TYPE_ANY = 255,
};

#define DNS_UDP_MAX 1232     /* the largest datagram that is asked for and sent */
#define DNS_QUESTION_MAX 259 /* a name of 255 bytes, type and class */
#define DNS_REPLY_MIN 282    /* room for any answer without records */

struct dns_question {
	uint16_t type;
	char host[NET_HOST_MAX]; /* canonical; "" when the name is none */
	enum dns_rcode rcode;    /* when dns_read() returns 1 */

	/* What dns_write() and dns_asked_name() need. */
	uint16_t id;
	uint16_t flags;
	bool edns;      /* an OPT record was there */
	bool edns_do;   /* with the DO bit */
	uint16_t limit; /* the largest datagram that the asker takes */
	uint16_t wire_len;
	uint8_t wire[DNS_QUESTION_MAX]; /* as it was asked, letter case included */
};

/*
 * 0: a question in class IN for a host; which types have an answer is the caller's to decide.
 * 1: the answer is ret->rcode without records, whatever the policy is.
 * -EBADMSG: no query at all (too short, or an answer): drop it. ret is untouched.
 */
int dns_read(const uint8_t *m, size_t len, struct dns_question *ret);

struct dns_answer {
	struct netaddr addr; /* becomes an A or AAAA record */
	uint32_t ttl;        /* seconds */
};

/*
 * The whole answer; returns its length, never above room. Records that do not fit are left out and
 * TC is set. 0: room is less than DNS_REPLY_MIN and too little. Records are only written for a
 * question that could be read.
 */
size_t dns_write(const struct dns_question *q, enum dns_rcode rcode,
	const struct dns_answer *answers, size_t count, bool tcp, uint8_t *out, size_t room);

/* For logs: the name as it was asked in lower case, "." for the root, "" when it could not be read;
 * bytes that no host name has, dots within a label included, are shown as '?'. */
void dns_asked_name(const struct dns_question *q, char out[NET_HOST_MAX]);
const char *dns_type_name(uint16_t type); /* NULL: not one of the usual ones */
