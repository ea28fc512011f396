/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The sockets that catch everything which programs of a network namespace send anywhere, made in
 * that namespace by whoever may administer it, and used from outside. sys/route.h and sys/nft.h
 * lead the packets to them. The caller owns the descriptors; as long as one of them is open, the
 * namespace lives.
 *
 * Should: the programs inside cannot bind to the same ports: none shares its address or port.
 */

#include <stdint.h>

#define CATCH_PORT 1

enum catch_socket {
	CATCH_TCP,  /* accepts every connection, of both families; its own name is where it
		     * wanted to go */
	CATCH_UDP4, /* datagrams for anywhere but port 53, with where they wanted to go */
	CATCH_UDP6,
	CATCH_DNS4, /* questions to any server */
	CATCH_DNS6,
	CATCH_DNS_TCP, /* of both families */
	CATCH_RAW4,    /* answers, from whom they were expected */
	CATCH_RAW6,
	CATCH_DIAG, /* whose sockets there are (sys/sockdiag.h) */
	CATCH_COUNT
};

/* All of them, not waiting, or none. */
int catch_open(int ret[CATCH_COUNT]);
/* Where nothing leads to those: one that accepts what is for that port, of any address. */
int catch_port(uint16_t port);
/* What of the namespace's settings has to be another than the machine's. */
int catch_settings(void);
