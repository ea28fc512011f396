/* SPDX-License-Identifier: Apache-2.0 */
#include "base/siphash.h"

struct state {
	uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

/* Up to eight bytes, the first one lowest. */
static uint64_t load(const uint8_t *p, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)p[i] << (8 * i);
	return word;
}

static void stir(struct state *s, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		s->a += s->b;
		s->c += s->d;
		s->b = rotate(s->b, 13) ^ s->a;
		s->d = rotate(s->d, 16) ^ s->c;
		s->a = rotate(s->a, 32);
		s->c += s->b;
		s->a += s->d;
		s->b = rotate(s->b, 17) ^ s->c;
		s->d = rotate(s->d, 21) ^ s->a;
		s->c = rotate(s->c, 32);
	}
}

static void absorb(struct state *s, uint64_t word)
{
	s->d ^= word;
	stir(s, 2);
	s->a ^= word;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY], const void *data, size_t len)
{
	uint64_t low = load(key, 8), high = load(key + 8, 8);
	struct state s = {
		.a = low ^ UINT64_C(0x736f6d6570736575),
		.b = high ^ UINT64_C(0x646f72616e646f6d),
		.c = low ^ UINT64_C(0x6c7967656e657261),
		.d = high ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *p = data;
	size_t left = len;

	for (; left >= 8; left -= 8, p += 8)
		absorb(&s, load(p, 8));
	absorb(&s, (uint64_t)len << 56 | load(p, left));
	s.c ^= 0xff;
	stir(&s, 4);
	return s.a ^ s.b ^ s.c ^ s.d;
}
