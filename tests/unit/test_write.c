/* SPDX-License-Identifier: Apache-2.0 */
#include "json/write.h"

#include "base/cleanup.h"
#include "json/json5.h"
#include "test.h"

static void test_shape(void)
{
	static const char *const words[] = {"x", "y", NULL};
	static const char *const none[] = {NULL};
	auto_(buf_free) struct buf out = BUF(4096);
	struct writer w = WRITER(&out);

	write_object(&w, NULL);
	write_text(&w, "text", "a \"b\"");
	write_text(&w, "nothing", NULL);
	write_bool(&w, "yes", true);
	write_bool(&w, "no", false);
	write_number(&w, "least", INT64_MIN);
	write_unsigned(&w, "most", UINT64_MAX);
	write_raw(&w, "raw", "[1, 2]");
	write_texts(&w, "words", words);
	write_texts(&w, "none", none);
	write_object(&w, "empty");
	write_end_object(&w);
	write_list(&w, "list");
	write_object(&w, NULL);
	write_number(&w, "a", -1);
	write_end_object(&w);
	write_list(&w, NULL);
	write_end_list(&w);
	write_bool(&w, NULL, true);
	write_end_list(&w);
	write_end_object(&w);
	check_str(buf_text(&out), "{\n"
				  "  \"text\": \"a \\\"b\\\"\",\n"
				  "  \"nothing\": null,\n"
				  "  \"yes\": true,\n"
				  "  \"no\": false,\n"
				  "  \"least\": -9223372036854775808,\n"
				  "  \"most\": 18446744073709551615,\n"
				  "  \"raw\": [1, 2],\n"
				  "  \"words\": [\n"
				  "    \"x\",\n"
				  "    \"y\"\n"
				  "  ],\n"
				  "  \"none\": [],\n"
				  "  \"empty\": {},\n"
				  "  \"list\": [\n"
				  "    {\n"
				  "      \"a\": -1\n"
				  "    },\n"
				  "    [],\n"
				  "    true\n"
				  "  ]\n"
				  "}\n");
}

static void test_only_one_value(void)
{
	auto_(buf_free) struct buf empty = BUF(64), list = BUF(64), text = BUF(64);
	struct writer w = WRITER(&empty);

	write_object(&w, NULL);
	write_end_object(&w);
	check_str(buf_text(&empty), "{}\n");
	w = WRITER(&list);
	write_list(&w, NULL);
	write_end_list(&w);
	check_str(buf_text(&list), "[]\n");
	w = WRITER(&text);
	write_text(&w, NULL, "a");
	check_str(buf_text(&text), "\"a\"");
}

static void test_keys_are_escaped(void)
{
	auto_(buf_free) struct buf out = BUF(256);
	struct writer w = WRITER(&out);

	write_object(&w, NULL);
	write_bool(&w, "a\n\x1b\xff\"", true);
	write_end_object(&w);
	check_str(buf_text(&out), "{\n  \"a\\n\\u001b\\ufffd\\\"\": true\n}\n");
}

/* Two members on each level, the first an empty list. */
static void write_levels(struct writer *w, unsigned levels)
{
	for (unsigned i = 0; i < levels; i++) {
		write_object(w, i ? "deeper" : NULL);
		write_list(w, "first");
		write_end_list(w);
	}
	for (unsigned i = 0; i < levels; i++) {
		write_bool(w, "last", true);
		write_end_object(w);
	}
}

static void test_any_depth(void)
{
	for (unsigned levels = 1; levels <= 60; levels++) {
		auto_(buf_free) struct buf out = BUF(1 << 16);
		auto_(arena_free) struct arena a = {0};
		struct writer w = WRITER(&out);
		const struct node *n;
		struct err e = {0};
		struct node root;

		test_row("%u levels", levels);
		write_levels(&w, levels);
		check_int(w.depth, 0);
		if (!check_int(json5_parse(&a, "out", buf_text(&out), out.len, &root, &e), 0)) {
			printf("# %s\n", e.text);
			return;
		}
		n = &root;
		for (unsigned i = 1; i < levels && n; i++) {
			check_int(n->count, 3);
			n = tree_get(n, "deeper");
		}
		check(n && n->count == 2);
		/* A comma too many is fine in JSON5, not in JSON. */
		check(!strstr(buf_text(&out), ",\n\n") && !strstr(buf_text(&out), ",}"));
		for (const char *p = buf_text(&out); (p = strchr(p, ',')) != NULL; p++)
			check(p[1 + strspn(p + 1, " \n")] == '"');
	}
}

static void test_what_is_written_reads_back(void)
{
	static const char *const texts[] = {"", "plain", "\"\\/\b\f\n\r\t", "\x01\x1f\x7f",
		"\xc2\x9b\xe2\x80\xa8\xe2\x80\xae", "\xf0\x9f\x98\x80\xf3\xa0\x81\x81",
		"\xef\xbf\xbf", "</script>", "$(x) `y`"};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		auto_(buf_free) struct buf out = BUF(1024);
		auto_(arena_free) struct arena a = {0};
		struct writer w = WRITER(&out);
		struct err e = {0};
		struct node root;

		test_row("%zu", i);
		write_list(&w, NULL);
		write_text(&w, NULL, texts[i]);
		write_end_list(&w);
		if (check_int(json5_parse(&a, "out", buf_text(&out), out.len, &root, &e), 0))
			check_str(root.items[0].text, texts[i]);
		for (size_t k = 0; k < out.len; k++)
			check((unsigned char)out.data[k] >= 0x20 || out.data[k] == '\n');
	}
}

static void test_compact(void)
{
	auto_(buf_free) struct buf out = BUF(256);
	struct writer w = WRITER_COMPACT(&out);

	write_object(&w, NULL);
	write_bytes(&w, "bytes", "a\0b\n\xff", 5);
	write_list(&w, "list");
	write_number(&w, NULL, 1);
	write_object(&w, NULL);
	write_end_object(&w);
	write_end_list(&w);
	write_end_object(&w);
	check_str(buf_text(&out), "{\"bytes\":\"a\\u0000b\\n\\ufffd\",\"list\":[1,{}]}");
}

static const struct test tests[] = {
	{"shape", test_shape},
	{"only one value", test_only_one_value},
	{"keys are escaped", test_keys_are_escaped},
	{"any depth", test_any_depth},
	{"what is written reads back", test_what_is_written_reads_back},
	{"on one line", test_compact},
};

TEST_MAIN(tests)
