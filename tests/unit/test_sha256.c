/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include "base/macro.h"
#include "test.h"

static const char *hex_of(const void *data, size_t len)
{
	static char hex[2 * SHA256_SIZE + 1];
	uint8_t digest[SHA256_SIZE];

	sha256_of(data, len, digest);
	sha256_hex(digest, hex);
	return hex;
}

/* Bytes without a period that divides the block. */
static const uint8_t *message(void)
{
	static uint8_t bytes[512];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)((i * 7 + 3) % 251);
	return bytes;
}

static void published_answers(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		 "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
			"cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("row %zu", i);
		check_str(hex_of(rows[i].text, strlen(rows[i].text)), rows[i].want);
	}
}

static void a_million_letters(void)
{
	struct sha256 s;
	uint8_t digest[SHA256_SIZE];
	char chunk[1000], hex[2 * SHA256_SIZE + 1];

	memset(chunk, 'a', sizeof(chunk));
	sha256_init(&s);
	for (int i = 0; i < 1000; i++)
		sha256_add(&s, chunk, sizeof(chunk));
	sha256_end(&s, digest);
	sha256_hex(digest, hex);
	check_str(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void lengths_around_the_block(void)
{
	static const struct {
		size_t len;
		const char *want;
	} rows[] = {
		{0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{1, "084fed08b978af4d7d196a7446a86b58009e636b611db16211b65a9aadff29c5"},
		{55, "1deace58c745f3ecadde68a5923f494c3703fa73f0306483ccb898a5826e8d70"},
		{56, "06dbe23685750e4d3881ded95047abaf93fa8f9c5d3501dc57c717a72ff1398e"},
		{57, "011f4bced20a249afb834d24b3e4eca31ad5ea2bdd1d8a1a564c2d2410398e69"},
		{63, "47fb38b12335c9298d09280515c0666489a189d1554bb0ac1a0740806ce9d8b6"},
		{64, "dfa798724b1a8014994f363e5da7474ed26ce3757fb29e07aa47ad5a9352d37b"},
		{65, "dd2eab5a5507d7717c63ce953d9ac61752c21e664425ad1227054722a0d97f69"},
		{111, "2ea239204423b890039a115a62d44a1b1c37675a784f5c6a9b786e9fca4c4cee"},
		{112, "ab7909f0b44839b4f374c4e5974bc1dd7c50eae999602865138f9e3586da29c2"},
		{119, "c6e0f435df5d7d265baacca31e0602c00aa22fa6d3819aed664649294c743756"},
		{120, "17eb8960823a644bde3065620bb9d45931fe8993fd8eb692a17aff0fd725db6a"},
		{127, "2409a159329f4e770a7d8128130497abb1de01ffb6ad389d97d89ebbeeb7f02c"},
		{128, "3a9c1e22e20578eebe442238f431befd688bd56698eb7c77d95d3f97d8f58207"},
		{129, "956f5da998f608be52587f28902b608909b661f99a1b300e3d3046b4f69f6fb5"},
		{191, "62c1107391c5e145e5577267d09df1fdc02fc5e5a03f5dba9d7788d8382d5dff"},
		{192, "c1828d1c5542ac4ce1da57e0fb6430a1a25b281c4d422cef968921f4567f9c13"},
		{200, "58571ac1c94ce02ff78ca2556530759ff4b9d60ba9d41bee6bb65d0edea9f1c6"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("length %zu", rows[i].len);
		check_str(hex_of(message(), rows[i].len), rows[i].want);
	}
}

/* The hash of the hashes of every length. */
static void every_length(void)
{
	struct sha256 all;
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	sha256_init(&all);
	for (size_t len = 0; len <= 300; len++) {
		sha256_of(message(), len, digest);
		sha256_add(&all, digest, sizeof(digest));
	}
	sha256_end(&all, digest);
	sha256_hex(digest, hex);
	check_str(hex, "f3020111b64a62a31251a1fe087e6b70729bffa197e5b9bff5e767adf7bbfccf");
}

static void pieces_make_no_difference(void)
{
	size_t wrong = 0;

	for (size_t len = 0; len <= 200; len++) {
		uint8_t whole[SHA256_SIZE];

		sha256_of(message(), len, whole);
		for (size_t cut = 0; cut <= len; cut++) {
			struct sha256 s;
			uint8_t parts[SHA256_SIZE];

			sha256_init(&s);
			sha256_add(&s, message(), cut);
			sha256_add(&s, NULL, 0);
			sha256_add(&s, message() + cut, len - cut);
			sha256_end(&s, parts);
			wrong += memcmp(whole, parts, sizeof(parts)) != 0;
		}
	}
	check_u64(wrong, 0);
}

static void byte_by_byte(void)
{
	struct sha256 s;
	uint8_t digest[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	sha256_init(&s);
	for (size_t i = 0; i < 300; i++)
		sha256_add(&s, message() + i, 1);
	sha256_end(&s, digest);
	sha256_hex(digest, hex);
	check_str(hex, hex_of(message(), 300));
}

static void hex_and_back(void)
{
	uint8_t digest[SHA256_SIZE], back[SHA256_SIZE];
	char hex[2 * SHA256_SIZE + 1];

	sha256_of(message(), 300, digest);
	sha256_hex(digest, hex);
	check(sha256_unhex(hex, back));
	check(memcmp(digest, back, sizeof back) == 0);
	hex[2 * SHA256_SIZE - 1] = 'g';
	check(!sha256_unhex(hex, back));
	hex[2 * SHA256_SIZE - 1] = '\0';
	check(!sha256_unhex(hex, back));
	check(!sha256_unhex("", back));
}

static const struct test tests[] = {
	{"published answers", published_answers},
	{"lengths around the block", lengths_around_the_block},
	{"a million letters, on the way to the processor's own instructions", a_million_letters},
	{"published answers, by these", published_answers},
	{"lengths around the block, by these", lengths_around_the_block},
	{"every length", every_length},
	{"pieces make no difference", pieces_make_no_difference},
	{"byte by byte", byte_by_byte},
	{"as digits, and back", hex_and_back},
};

TEST_MAIN(tests)
