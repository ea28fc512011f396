/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the guard and the resolver, a program of its own, say to each other over a socket of
 * packets: a name, and the addresses that it has now. The guard asks only for names that its policy
 * allows, believes of the answers nothing but the addresses, and judges each of them again.
 */

#include "model/net.h"

#include <stdint.h>

#define NAMES_ADDRESSES 16 /* of one name; more are left out */
#define NAMES_OPEN 256     /* questions that wait for an answer */

struct names_question {
	uint32_t id;
	char name[NET_HOST_MAX]; /* canonical */
};

enum names_end {
	NAMES_FOUND,
	NAMES_NONE,   /* there is no such name, or it has no address */
	NAMES_FAILED, /* nobody answered, or not to the point */
	NAMES_BUSY,   /* too many are asked already */
	NAMES_ENDS
};

struct names_address {
	uint8_t bytes[16]; /* IPv4: the first four */
	uint8_t family;    /* 4 or 6 */
};

struct names_answer {
	uint32_t id;
	uint32_t end; /* enum names_end */
	uint32_t ttl; /* s */
	uint32_t count;
	struct names_address address[NAMES_ADDRESSES];
};
