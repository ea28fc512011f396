/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/alias.h"

#include "model/net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define V4_BITS_MIN 8
#define V4_BITS_MAX 24
#define V6_BITS_MIN 8
#define V6_BITS_MAX 96
#define PER_256 254 /* without .0 and .255 */
#define FIRST 16    /* names and slots that memory is first had for */

struct alias_name {
	const char *text;
	uint32_t hash;
};

/* A block as netcidr_make() gives it: no bits behind the prefix. */
static bool block_is(const struct netcidr *c, bool v4, unsigned min, unsigned max)
{
	struct netcidr same;

	return c->net.v4 == v4 && c->bits >= min && c->bits <= max &&
	       netcidr_make(&c->net, c->bits, &same, NULL) == 0;
}

/* The number whose product with n is 1 modulo m; 0: n and m have a divisor in common. */
static uint32_t inverse(uint32_t n, uint32_t m)
{
	int64_t above = m, below = n, factor = 0, next = 1;

	while (below > 0) {
		int64_t times = above / below;
		int64_t rest = above - times * below, earlier = factor;

		above = below;
		below = rest;
		factor = next;
		next = earlier - times * next;
	}
	if (above != 1)
		return 0;
	return (uint32_t)(factor < 0 ? factor + m : factor);
}

/* A stride without a common divisor comes to every address before it comes back to the first. */
static void choose_walk(struct alias_table *t)
{
	uint64_t random = siphash(t->key, "walk", 4);

	t->start = (uint32_t)(random >> 32) % t->usable;
	t->stride = (uint32_t)random % t->usable;
	while (!(t->back = inverse(t->stride, t->usable)))
		t->stride = (t->stride + 1) % t->usable;
}

int alias_init(struct alias_table *t, const struct netcidr *v4, const struct netcidr *v6,
	uint32_t most, const uint8_t key[SIPHASH_KEY])
{
	*t = (struct alias_table){0};
	if (!block_is(v4, true, V4_BITS_MIN, V4_BITS_MAX) ||
		!block_is(v6, false, V6_BITS_MIN, V6_BITS_MAX) || most == 0 ||
		most > ALIAS_NAMES_MAX)
		return -EINVAL;
	t->v4 = *v4;
	t->v6 = *v6;
	memcpy(t->key, key, sizeof t->key);
	t->usable = (UINT32_C(1) << (24 - v4->bits)) * PER_256;
	t->most = most < t->usable ? most : t->usable;
	choose_walk(t);
	return 0;
}

void alias_free(struct alias_table *t)
{
	arena_free(&t->texts);
	free(t->names);
	free(t->slots);
	*t = (struct alias_table){0};
}

static uint32_t load32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store32(uint8_t *p, uint32_t value)
{
	for (int i = 3; i >= 0; i--, value >>= 8)
		p[i] = (uint8_t)value;
}

static struct alias_pair pair_of(const struct alias_table *t, uint32_t which)
{
	struct alias_pair pair = {.v4 = t->v4.net, .v6 = t->v6.net};
	uint64_t step = (uint64_t)which * t->stride % t->usable;
	uint32_t at = (uint32_t)((step + t->start) % t->usable);
	uint32_t v4 = load32(t->v4.net.bytes) | at / PER_256 << 8 | (at % PER_256 + 1);

	store32(pair.v4.bytes, v4);
	store32(pair.v6.bytes + 12, v4);
	return pair;
}

/* The way back from an IPv4 address; t->count or more: nobody has it. */
static uint32_t which_has(const struct alias_table *t, uint32_t v4)
{
	uint32_t behind = v4 - load32(t->v4.net.bytes), last = behind & 0xff;
	uint32_t at = (behind >> 8) * PER_256 + last - 1;

	if (last == 0 || last == 0xff)
		return UINT32_MAX;
	return (uint32_t)((uint64_t)(at + t->usable - t->start) * t->back % t->usable);
}

/* The slot of the name, or the free one where it would be; there is always a free one. */
static uint32_t *slot_of(const struct alias_table *t, const char *host, uint32_t hash)
{
	uint32_t at = hash & (t->slot_count - 1);

	for (; t->slots[at]; at = (at + 1) & (t->slot_count - 1)) {
		const struct alias_name *name = &t->names[t->slots[at] - 1];

		if (host && name->hash == hash && strcmp(name->text, host) == 0)
			break;
	}
	return &t->slots[at];
}

/* Room for one more name, and half of the slots free. */
static void grow(struct alias_table *t)
{
	if (t->count == t->room) {
		t->room = t->room ? t->room * 2 : FIRST;
		t->names = mem_realloc(t->names, t->room, sizeof(*t->names));
	}
	if (t->slot_count >= 2 * (t->count + 1))
		return;
	free(t->slots);
	t->slot_count = t->slot_count ? t->slot_count * 2 : 2 * FIRST;
	t->slots = mem_alloc(t->slot_count * sizeof(*t->slots));
	for (uint32_t i = 0; i < t->count; i++)
		*slot_of(t, NULL, t->names[i].hash) = i + 1;
}

/* Which name it is, or t->count. */
static uint32_t find(const struct alias_table *t, const char *host, uint32_t hash)
{
	uint32_t slot = t->count ? *slot_of(t, host, hash) : 0;

	return slot ? slot - 1 : t->count;
}

int alias_of_name(struct alias_table *t, const char *host, struct alias_pair *ret)
{
	size_t len = strlen(host);
	uint32_t hash = (uint32_t)siphash(t->key, host, len);
	uint32_t which = find(t, host, hash);

	if (which == t->count) {
		if (len == 0 || len >= NET_HOST_MAX)
			return -EINVAL;
		if (t->count >= t->most)
			return -ENOSPC;
		grow(t);
		t->names[which] = (struct alias_name){arena_text(&t->texts, host, len), hash};
		*slot_of(t, host, hash) = ++t->count;
	}
	*ret = pair_of(t, which);
	return 0;
}

int alias_find_name(const struct alias_table *t, const char *host, struct alias_pair *ret)
{
	uint32_t which = find(t, host, (uint32_t)siphash(t->key, host, strlen(host)));

	if (which == t->count)
		return -ENOENT;
	*ret = pair_of(t, which);
	return 0;
}

const char *alias_name_at(const struct alias_table *t, const struct netaddr *addr)
{
	struct netaddr a = netaddr_unmap(addr), carried = {.v4 = true};
	uint32_t which;

	if (!alias_owns(t, &a))
		return NULL;
	memcpy(carried.bytes, a.v4 ? a.bytes : a.bytes + 12, 4);
	/* An IPv6 address is the block's own but for its end. */
	if (!a.v4 && memcmp(a.bytes, t->v6.net.bytes, 12) != 0)
		return NULL;
	if (!netcidr_has(&t->v4, &carried))
		return NULL;
	which = which_has(t, load32(carried.bytes));
	return which < t->count ? t->names[which].text : NULL;
}

bool alias_owns(const struct alias_table *t, const struct netaddr *addr)
{
	struct netaddr a = netaddr_unmap(addr);

	/* A table without blocks is one that could not be made, and owns nothing. */
	return t->most > 0 && netcidr_has(a.v4 ? &t->v4 : &t->v6, &a);
}
