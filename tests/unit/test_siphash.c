/* SPDX-License-Identifier: Apache-2.0 */
#include "base/siphash.h"

#include "base/macro.h"
#include "test.h"

/* Key and message count upwards from 0, as in the designers' own list. */
static void published_answers(void)
{
	static const struct {
		size_t len;
		uint64_t want;
	} rows[] = {
		{0, UINT64_C(0x726fdb47dd0e0e31)},
		{1, UINT64_C(0x74f839c593dc67fd)},
		{2, UINT64_C(0x0d6c8009d9a94f5a)},
		{3, UINT64_C(0x85676696d7fb7e2d)},
		{8, UINT64_C(0x93f5f5799a932462)},
		{15, UINT64_C(0xa129ca6149be45e5)},
	};
	uint8_t bytes[SIPHASH_KEY];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%zu bytes", rows[i].len);
		check_u64(siphash(bytes, bytes, rows[i].len), rows[i].want);
	}
}

static void the_key_counts(void)
{
	uint8_t key[SIPHASH_KEY] = {0};
	uint64_t first = siphash(key, "example.com", 11);

	for (size_t i = 0; i < sizeof(key); i++) {
		test_row("byte %zu", i);
		key[i] = 1;
		check(siphash(key, "example.com", 11) != first);
		key[i] = 0;
	}
}

static const struct test tests[] = {
	{"published answers", published_answers},
	{"every byte of the key counts", the_key_counts},
};
TEST_MAIN(tests)
