/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The made-up addresses of one sandbox. A name that is asked for gets one IPv4 and one IPv6
 * address, the same ones as long as the table lives; a connection to one of them is a connection to
 * that name. Pure but for memory, which grows with the names: nothing for none, some 40 bytes and
 * its text for each. Owns the names.
 *
 * The n-th name has the n-th address of a walk through the whole IPv4 block that the key chooses,
 * so that addresses need no table of their own, and one that a program remembers from an earlier
 * table will hardly be another name's. The IPv6 address is the block's with the IPv4 address at its
 * end.
 *
 * Should: find a name or an address in constant time, whoever chose the names. Mustn't: hand out an
 * address outside of the blocks, or one that ends in .0 or .255, which programs take for a
 * broadcast; give the address of a name to another one: a full table stays as it is.
 */

#include "base/mem.h"
#include "base/siphash.h"
#include "model/netaddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ALIAS_NAMES_MAX 65536

struct alias_name;

struct alias_table {
	struct netcidr v4, v6;
	uint8_t key[SIPHASH_KEY];
	uint32_t usable;        /* addresses of the IPv4 block */
	uint32_t start, stride; /* of the walk */
	uint32_t back;          /* stride * back = 1, modulo usable */
	uint32_t most;          /* names */

	struct arena texts;
	struct alias_name *names; /* in the order of their addresses' walk */
	uint32_t count, room;
	uint32_t *slots; /* by hash: 1 + which name, 0 = free */
	uint32_t slot_count;
};

struct alias_pair {
	struct netaddr v4, v6;
};

/*
 * The IPv4 block has 8 to 24 bits, the IPv6 block 8 to 96; the key is random. There are at most
 * `most` names, or as many as the IPv4 block has addresses. -EINVAL: the blocks or the number are
 * none of these; the table is then empty and can be freed.
 */
int alias_init(struct alias_table *t, const struct netcidr *v4, const struct netcidr *v6,
	uint32_t most, const uint8_t key[SIPHASH_KEY]);
void alias_free(struct alias_table *t);

/* The addresses of a name in its canonical form; a new one gets some. -ENOSPC: the table is full;
 * -EINVAL: no name has that length. */
int alias_of_name(struct alias_table *t, const char *host, struct alias_pair *ret);
/* -ENOENT: nobody has asked for it. */
int alias_find_name(const struct alias_table *t, const char *host, struct alias_pair *ret);
/* Whose address it is; NULL: nobody's. The text lives as long as the table. An IPv4 address may be
 * mapped into IPv6, as sockets for both show it. */
const char *alias_name_at(const struct alias_table *t, const struct netaddr *addr);
/* The address lies in one of the blocks, whether or not it was handed out. */
bool alias_owns(const struct alias_table *t, const struct netaddr *addr);
