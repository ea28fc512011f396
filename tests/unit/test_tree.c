/* SPDX-License-Identifier: Apache-2.0 */

/* The module itself is included, so that the comparisons of keys can be counted. */

#include <string.h>

static unsigned long compared;

static int counting_strcmp(const char *a, const char *b)
{
	compared++;
	return strcmp(a, b);
}

#define strcmp counting_strcmp
#include "../../src/json/tree.c"
#undef strcmp

#include "test.h"

#define TEXT(k, t)                                                     \
	{                                                              \
		.key = (k), .value = {.type = NODE_TEXT, .text = (t) } \
	}
#define OBJECT(k, list)                           \
	{                                         \
		.key = (k), .value = {            \
			.type = NODE_OBJECT,      \
			.count = ARRAY_LEN(list), \
			.members = (list)         \
		}                                 \
	}

static const struct member inner[] = {TEXT("c", "deep"), TEXT("", "empty key"), TEXT("a.b", "dot")};
static const struct member middle[] = {OBJECT("b", inner), TEXT("x", "y")};
static const struct member outer[] = {OBJECT("a", middle), TEXT("ab", "longer"), TEXT("", "none")};
static const struct node root = {.type = NODE_OBJECT, .count = ARRAY_LEN(outer), .members = outer};
static const struct node text = {.type = NODE_TEXT, .text = "a"};

static void test_names_of_types(void)
{
	check_str(tree_type_name(NODE_NULL), "null");
	check_str(tree_type_name(NODE_BOOL), "true or false");
	check_str(tree_type_name(NODE_NUMBER), "a number");
	check_str(tree_type_name(NODE_TEXT), "a text");
	check_str(tree_type_name(NODE_ARRAY), "a list");
	check_str(tree_type_name(NODE_OBJECT), "an object");
}

static const char *found(const struct node *n)
{
	return n && n->type == NODE_TEXT ? n->text : n ? "an object" : "nothing";
}

static void test_get(void)
{
	check_str(found(tree_get(&root, "ab")), "longer");
	check_str(found(tree_get(&root, "a")), "an object");
	check_str(found(tree_get(&root, "")), "none");
	check_str(found(tree_get(&root, "abc")), "nothing");
	check_str(found(tree_get(&root, "A")), "nothing");
	check_str(found(tree_get(&root, "b")), "nothing");
	check_str(found(tree_get(&text, "a")), "nothing");
	check_str(found(tree_get(NULL, "a")), "nothing");
}

static void test_path(void)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{"a", "an object"},
		{"a.b", "an object"},
		{"a.b.c", "deep"},
		{"a.x", "y"},
		{"ab", "longer"},
		{"a.b.", "empty key"},
		{"", "none"},
		{"a.b.c.d", "nothing"},
		{"a..c", "nothing"},
		{".a", "nothing"},
		{"a.b.a.b", "nothing"}, /* a path cannot name a key that holds a dot */
		{"a.c", "nothing"},
		{"x", "nothing"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].path);
		check_str(found(tree_path(&root, rows[i].path)), rows[i].want);
	}
	check_str(found(tree_path(&text, "a")), "nothing");
	check_str(found(tree_path(NULL, "a")), "nothing");
}

/* Each letter is a key. */
static bool duplicate(const char *letters, size_t *ret_index)
{
	struct member members[64];
	char keys[64][2];
	size_t count = strlen(letters);

	for (size_t i = 0; i < count; i++) {
		keys[i][0] = letters[i];
		keys[i][1] = '\0';
		members[i] = (struct member){.key = keys[i]};
	}
	return tree_has_duplicate(members, count, ret_index);
}

static void test_duplicates(void)
{
	static const struct {
		const char *keys;
		int want; /* index; -1: none */
	} rows[] = {
		{"", -1},
		{"a", -1},
		{"ab", -1},
		{"aa", 1},
		{"aba", 2},
		{"abba", 2},
		{"aaa", 1},
		{"abcdefgh", -1},
		{"abcdefga", 7},
		/* From here on they are sorted. */
		{"abcdefghi", -1},
		{"abcdefghia", 9},
		{"abcdefghijj", 10},
		{"ihgfedcbai", 9},
		{"aabcdefghi", 1},
		{"abcdefghhgfedcba", 8},
		{"abcdefghaaaaaaaa", 8},
		{"zyxwvutsrqponmlkjihgfedcbaq", 26},
		{"aAbBcCdDeEfF", -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t index = 777;

		test_row("%s", rows[i].keys);
		check_int(duplicate(rows[i].keys, &index), rows[i].want >= 0);
		check_int(index, rows[i].want >= 0 ? rows[i].want : 777);
	}
}

#define MANY 100000

/* In order, in reverse, and all alike but for the last digits. */
static void fill(struct member *members, char (*keys)[24], int kind)
{
	for (unsigned i = 0; i < MANY; i++) {
		unsigned n = kind == 0 ? i : kind == 1 ? MANY - i : (i * 2654435761u) % 4294967291u;

		snprintf(keys[i], sizeof keys[i], "%s%010u", kind == 2 ? "same-prefix" : "", n);
		members[i] = (struct member){.key = keys[i]};
	}
}

static void test_many_keys_are_not_compared_with_each_other(void)
{
	auto_free struct member *members = malloc(MANY * sizeof *members);
	auto_free char(*keys)[24] = malloc(MANY * sizeof *keys);

	for (int kind = 0; kind < 3; kind++) {
		size_t index = 0;

		test_row("kind %d", kind);
		fill(members, keys, kind);
		compared = 0;
		check(!tree_has_duplicate(members, MANY, &index));
		/* 17 is the binary logarithm; each with each would be 50,000 a key. */
		check(compared < 4ul * 17 * MANY);
		memcpy(keys[MANY - 1], keys[MANY / 2], sizeof keys[0]);
		check(tree_has_duplicate(members, MANY, &index));
		check_int(index, MANY - 1);
	}
}

static const struct test tests[] = {
	{"names of types", test_names_of_types},
	{"a member by its key", test_get},
	{"a member by its path", test_path},
	{"duplicates: the second one is reported", test_duplicates},
	{"many keys are not compared each with each",
		test_many_keys_are_not_compared_with_each_other},
};

TEST_MAIN(tests)
