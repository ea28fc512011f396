/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256_unit.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define HAS_SSSE3 (1u << 9)  /* leaf 1, ecx */
#define HAS_SSE41 (1u << 19) /* leaf 1, ecx */
#define HAS_SHA (1u << 29)   /* leaf 7, ebx */
#define HERE __attribute__((target("sha,sse4.1,ssse3")))

bool sha256_unit_exists(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & HAS_SSSE3) && (c & HAS_SSE41) &&
	       __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & HAS_SHA);
}

/* The next four words of the schedule, of the sixteen before them. */
HERE static __m128i next_words(const __m128i w[4])
{
	__m128i sum =
		_mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4));

	return _mm_sha256msg2_epu32(sum, w[3]);
}

HERE static void one_block(__m128i *io_abef, __m128i *io_cdgh, const uint8_t *block)
{
	const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i abef = *io_abef, cdgh = *io_cdgh, w[4];

#pragma GCC unroll 16 /* then the words stay in registers */
	for (int i = 0; i < 16; i++) {
		__m128i now, sum;

		if (i < 4) {
			now = _mm_loadu_si128((const __m128i *)(const void *)(block + 16 * i));
			now = w[i] = _mm_shuffle_epi8(now, big_endian);
		} else {
			now = next_words(w);
			w[0] = w[1];
			w[1] = w[2];
			w[2] = w[3];
			w[3] = now;
		}
		sum = _mm_add_epi32(now,
			_mm_loadu_si128((const __m128i *)(const void *)&sha256_constants[4 * i]));
		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
		abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
	}
	*io_abef = _mm_add_epi32(*io_abef, abef);
	*io_cdgh = _mm_add_epi32(*io_cdgh, cdgh);
}

/* The instructions want the letters of the state in another order. */
HERE void sha256_unit_compress(uint32_t s[8], const uint8_t *blocks, size_t count)
{
	__m128i abef = _mm_set_epi32((int)s[0], (int)s[1], (int)s[4], (int)s[5]);
	__m128i cdgh = _mm_set_epi32((int)s[2], (int)s[3], (int)s[6], (int)s[7]);

	for (; count > 0; count--, blocks += 64)
		one_block(&abef, &cdgh, blocks);
	s[0] = (uint32_t)_mm_extract_epi32(abef, 3);
	s[1] = (uint32_t)_mm_extract_epi32(abef, 2);
	s[4] = (uint32_t)_mm_extract_epi32(abef, 1);
	s[5] = (uint32_t)_mm_extract_epi32(abef, 0);
	s[2] = (uint32_t)_mm_extract_epi32(cdgh, 3);
	s[3] = (uint32_t)_mm_extract_epi32(cdgh, 2);
	s[6] = (uint32_t)_mm_extract_epi32(cdgh, 1);
	s[7] = (uint32_t)_mm_extract_epi32(cdgh, 0);
}

#else

bool sha256_unit_exists(void)
{
	return false;
}

void sha256_unit_compress(uint32_t state[8], const uint8_t *blocks, size_t count)
{
	(void)state;
	(void)blocks;
	(void)count;
}

#endif
