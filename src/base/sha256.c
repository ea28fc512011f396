/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include "base/sha256_unit.h"
#include "base/str.h"

#include <string.h>

#define BLOCK sizeof(((struct sha256 *)0)->block)

/* Whoever has done so many is worth the question what the processor can do. */
#define BLOCKS_BEFORE_ASKING 512

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
	0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* The fractional parts of the cube roots of the first 64 primes. */
const uint32_t sha256_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6,
	0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
	0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
	0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static uint32_t load(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store(uint8_t *p, uint32_t x)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static void expand(const uint8_t *block, uint32_t w[64])
{
	for (int i = 0; i < 16; i++)
		w[i] = load(block + (size_t)i * 4);
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		uint32_t s0 = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
		uint32_t s1 = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;

		w[i] = w[i - 16] + s0 + w[i - 7] + s1;
	}
}

/* The letters are those of the standard. */
static void compress_one(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

	expand(block, w);
#pragma GCC unroll 8 /* then the letters change their places by name only */
	for (int i = 0; i < 64; i++) {
		uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
		uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + sha256_constants[i] + w[i];
		uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
		uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}

	const uint32_t add[8] = {a, b, c, d, e, f, g, h};

	for (int i = 0; i < 8; i++)
		state[i] += add[i];
}

static bool has_unit(size_t more)
{
	static size_t done;
	static enum { NOT_ASKED, THERE, MISSING } unit;

	if (unit != NOT_ASKED)
		return unit == THERE;
	done += more;
	if (done >= BLOCKS_BEFORE_ASKING)
		unit = sha256_unit_exists() ? THERE : MISSING;
	return unit == THERE;
}

static void compress(uint32_t state[8], const uint8_t *blocks, size_t count)
{
	if (has_unit(count)) {
		sha256_unit_compress(state, blocks, count);
		return;
	}
	for (; count > 0; count--, blocks += BLOCK)
		compress_one(state, blocks);
}

void sha256_init(struct sha256 *s)
{
	*s = (struct sha256){0};
	memcpy(s->state, start, sizeof(start));
}

void sha256_add(struct sha256 *s, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t held = s->length % BLOCK;

	if (len == 0)
		return;
	s->length += len;
	if (held) {
		size_t part = len < BLOCK - held ? len : BLOCK - held;

		memcpy(s->block + held, p, part);
		if (held + part < BLOCK)
			return;
		compress(s->state, s->block, 1);
		p += part;
		len -= part;
	}
	if (len >= BLOCK)
		compress(s->state, p, len / BLOCK);
	if (len % BLOCK)
		memcpy(s->block, p + len / BLOCK * BLOCK, len % BLOCK);
}

void sha256_end(struct sha256 *s, uint8_t out[SHA256_SIZE])
{
	static const uint8_t padding[BLOCK] = {0x80};
	uint64_t bits = s->length * 8;
	size_t held = s->length % BLOCK;
	uint8_t tail[8];

	store(tail, (uint32_t)(bits >> 32));
	store(tail + 4, (uint32_t)bits);
	sha256_add(s, padding, (held < BLOCK - 8 ? BLOCK : 2 * BLOCK) - 8 - held);
	sha256_add(s, tail, sizeof(tail));
	for (size_t i = 0; i < 8; i++)
		store(out + i * 4, s->state[i]);
}

void sha256_of(const void *data, size_t len, uint8_t out[SHA256_SIZE])
{
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, data, len);
	sha256_end(&s, out);
}

void sha256_hex(const uint8_t digest[SHA256_SIZE], char out[2 * SHA256_SIZE + 1])
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA256_SIZE; i++) {
		out[2 * i] = hex[digest[i] >> 4];
		out[2 * i + 1] = hex[digest[i] & 15];
	}
	out[2 * SHA256_SIZE] = '\0';
}

bool sha256_unhex(const char *hex, uint8_t out[SHA256_SIZE])
{
	for (size_t i = 0; i < SHA256_SIZE; i++) {
		int high = str_hex_digit(hex[2 * i]);
		int low = high < 0 ? -1 : str_hex_digit(hex[2 * i + 1]);

		if (low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
