/* SPDX-License-Identifier: Apache-2.0 */
#include "model/session.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/str.h"
#include "test.h"

#include <errno.h>

static const struct {
	const char *key, *agent; /* as given */
	const char *whole;       /* NULL: refused */
	const char *rest;
	bool main;
} keys[] = {
	{NULL, NULL, "agent:main:main", "main", true},
	{NULL, "x", "agent:x:main", "main", true},
	{"main", NULL, "agent:main:main", "main", true},
	{"chat", NULL, "agent:main:chat", "chat", false},
	{"chat", "x", "agent:x:chat", "chat", false},
	{"main", "x", "agent:x:main", "main", true},
	{"agent:x:main", NULL, "agent:x:main", "main", true},
	{"agent:x:main", "x", "agent:x:main", "main", true},
	{"agent:x:telegram:group:-1", NULL, "agent:x:telegram:group:-1", "telegram:group:-1",
		false},
	{"agent:x::", NULL, "agent:x::", ":", false},
	{"agent:x: ", NULL, "agent:x: ", " ", false},
	{"agent:x:\xff\n", NULL, "agent:x:\xff\n", "\xff\n", false},
	{"agents:x:main", NULL, "agent:main:agents:x:main", "agents:x:main", false},
	{"Agent:x:main", NULL, "agent:main:Agent:x:main", "Agent:x:main", false},
	{" agent:x:main", NULL, "agent:main: agent:x:main", " agent:x:main", false},
	{"a.b-c_d", "A.b-c_9", "agent:A.b-c_9:a.b-c_d", "a.b-c_d", false},
	{"", NULL, NULL, NULL, false},
	{"", "x", NULL, NULL, false},
	{"agent:", NULL, NULL, NULL, false},
	{"agent:x", NULL, NULL, NULL, false},
	{"agent:x:", NULL, NULL, NULL, false},
	{"agent::", NULL, NULL, NULL, false},
	{"agent::main", NULL, NULL, NULL, false},
	{"agent:..:main", NULL, NULL, NULL, false},
	{"agent:../x:main", NULL, NULL, NULL, false},
	{"agent:a/b:main", NULL, NULL, NULL, false},
	{"agent:a b:main", NULL, NULL, NULL, false},
	{"agent:-a:main", NULL, NULL, NULL, false},
	{"agent:a.:main", NULL, NULL, NULL, false},
	{"agent:\xc3\xa9:main", NULL, NULL, NULL, false},
	{"agent:x:main", "y", NULL, NULL, false},
	{"agent:x:main", "X", NULL, NULL, false},
	{"main", "", NULL, NULL, false},
	{"main", "a:b", NULL, NULL, false},
	{"main", "../x", NULL, NULL, false},
	{NULL, "a\nb", NULL, NULL, false},
};

static void test_keys(void)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		auto_(arena_free) struct arena a = {0};
		struct session s = {.key = "untouched"};
		struct err e = {0};
		int r = session_parse(&a, keys[i].key, keys[i].agent, &s, &e);

		test_row("key %s, agent %s", keys[i].key ? keys[i].key : "(none)",
			keys[i].agent ? keys[i].agent : "(none)");
		if (!keys[i].whole) {
			check_int(r, -EINVAL);
			check_int(e.code, EINVAL);
			check(e.text[0] && !strchr(e.text, '\n'));
			check_str(s.key, "untouched");
			continue;
		}
		check_int(r, 0);
		check_str(s.key, keys[i].whole);
		check_str(s.rest, keys[i].rest);
		check_int(s.main, keys[i].main);
	}
}

static void test_bounds(void)
{
	auto_(arena_free) struct arena a = {0};
	char text[SESSION_MAX + 2];
	struct session s;
	struct err e = {0};

	memset(text, 'a', sizeof text);
	text[SESSION_MAX] = '\0';
	check(session_parse(&a, text, NULL, &s, &e) == 0);
	text[SESSION_MAX] = 'a';
	text[SESSION_MAX + 1] = '\0';
	check(session_parse(&a, text, NULL, &s, &e) == -EINVAL);
	check_has(e.text, "1024");
	text[64] = '\0';
	check(session_parse(&a, "x", text, &s, &e) == 0);
	text[64] = 'a';
	text[65] = '\0';
	check(session_parse(&a, "x", text, &s, &e) == -EINVAL);
}

/* Names of folders on people's disks: they stay what they are. */
static const struct {
	const char *key;
	enum scope scope;
	const char *name;
} names[] = {
	{"agent:main:main", SCOPE_SESSION, "s-main-jku4hotjd6q2qwzlf2xorpxcijbwt7xp"},
	{"agent:main:telegram:group:-100123", SCOPE_SESSION,
		"s-telegram-group-1-bmvhqapnthayd34skucy6cmmxpa35mzv"},
	{"agent:main:\xff"
	 "\xfe"
	 "\x01"
	 "",
		SCOPE_SESSION, "s-kabqvfngst5nudcizybm2yex56jlmbnw"},
	{"agent:main:../../etc/passwd", SCOPE_SESSION,
		"s-etc-passwd-bh22ltnytw236zgfei5qdqqob36gjkxt"},
	{"agent:main:---", SCOPE_SESSION, "s-ayqxdq3gpjhgmgi44xubtmwtwbavpwok"},
	{"agent:main:ABCDEFGHIJKLMNOPQRSTUVWXYZ", SCOPE_SESSION,
		"s-abcdefghijklmnop-bo4zochecmeswatkiyf5yaoa4bpwn3tt"},
	{"agent:main:a/b", SCOPE_SESSION, "s-a-b-3sskmpz4oyuafcjk7qrwcupi76wbxdz3"},
	{"agent:main:a-b", SCOPE_SESSION, "s-a-b-f6mtukaaggcjweixjz6ggef2dbbgi6k7"},
	{"agent:other:main", SCOPE_SESSION, "s-main-bc2iewrpiybzpjevlryjh2fk7wtchxe2"},
	{"agent:main:a\nb", SCOPE_SESSION, "s-a-b-at75d6rjgwxf2h5kmfjudk2f2tuztaku"},
	{"agent:main:x", SCOPE_AGENT, "a-main-v3m2fnldxtmvbi4i36j3zinikek6bhyt"},
	{"agent:other:x", SCOPE_AGENT, "a-other-tqpm7hqqo65suohegkc2ap6apiypgo24"},
	{"agent:a.b-C_9:x", SCOPE_AGENT, "a-a-b-c-9-zth2nosr5io4wgvh3igiqfq72mr6unzt"},
	{"agent:main:main", SCOPE_SHARED, "x-shared-7qw2shzuunx7qctrqf3zz3tg2qnm2ifw"},
	{"agent:other:chat", SCOPE_SHARED, "x-shared-7qw2shzuunx7qctrqf3zz3tg2qnm2ifw"},
};

static void scope_name(const char *key, enum scope scope, char out[SCOPE_NAME])
{
	auto_(arena_free) struct arena a = {0};
	struct session s;

	out[0] = '\0';
	if (check(session_parse(&a, key, NULL, &s, NULL) == 0))
		session_scope_name(&s, scope, out);
}

static void test_names_are_stable(void)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char got[SCOPE_NAME];

		test_row("%zu", i);
		scope_name(names[i].key, names[i].scope, got);
		check_str(got, names[i].name);
	}
}

static bool is_safe(const char *name)
{
	size_t len = strlen(name);

	return len > 2 && len <= 63 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len && name[0] != '-' &&
	       name[len - 1] != '-' && !strstr(name, "--");
}

#define GENERATED 100000
#define AGENTS 10000

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Odd bytes, with a number that makes each key another one. */
static void odd_key(unsigned i, uint64_t *state, char out[64])
{
	static const char *const pairs[] = {"/", "-", " ", ".", "..", "\n", "\x01", "\xff",
		"\xc3\xa9", "A", "a", ":", "%2e", "\\"};
	size_t n = (size_t)snprintf(out, 16, "%x", i);

	for (unsigned k = 0; k < i % 24; k++) {
		*state = *state * UINT64_C(6364136223846793005) + 1;
		out[n++] = (char)(1 + (*state >> 40) % 255);
	}
	/* Neighbours differ in nothing but a character that no file name shows. */
	n += (size_t)snprintf(out + n, 8, "%s", pairs[i % ARRAY_LEN(pairs)]);
	out[n] = '\0';
}

static void add_name(char (*all)[SCOPE_NAME], size_t *count, const char *key, enum scope scope)
{
	auto_(arena_free) struct arena a = {0};
	char again[SCOPE_NAME];
	struct session s;

	if (!check(session_parse(&a, key, NULL, &s, NULL) == 0))
		return;
	session_scope_name(&s, scope, all[*count]);
	session_scope_name(&s, scope, again);
	check(is_safe(all[*count]));
	check_str(again, all[*count]);
	++*count;
}

static void test_names_are_distinct(void)
{
	char(*all)[SCOPE_NAME] = mem_realloc(NULL, GENERATED + AGENTS + 1, SCOPE_NAME);
	size_t count = 0;
	uint64_t state = 7;
	char key[96], rest[64];

	for (unsigned i = 0; i < GENERATED; i++) {
		odd_key(i / 14, &state, rest);
		snprintf(key, sizeof key, "agent:a%u:%s", i % 14, rest);
		add_name(all, &count, key, SCOPE_SESSION);
	}
	for (unsigned i = 0; i < AGENTS; i++) {
		snprintf(key, sizeof key, "agent:a%u:main", i);
		add_name(all, &count, key, SCOPE_AGENT);
	}
	add_name(all, &count, "x", SCOPE_SHARED);
	check_u64(count, GENERATED + AGENTS + 1);
	qsort(all, count, SCOPE_NAME, compare);
	for (size_t i = 1; i < count && !test_failed; i++)
		test_check(strcmp(all[i - 1], all[i]) != 0, __FILE__, __LINE__, "%s twice", all[i]);
	free(all);
}

/* A pair that only its last character tells apart, or that spells a scope's name. */
static const struct {
	const char *a, *b;
} twins[] = {
	{"agent:main:a/b", "agent:main:a-b"},
	{"agent:main:a", "agent:main:A"},
	{"agent:main:a", "agent:main:a "},
	{"agent:main:a", "agent:main:a\x01"},
	{"agent:a:b", "agent:a.b:b"},
	{"agent:a:b:c", "agent:a:b::c"},
	{"agent:a:\xff", "agent:a:\xfe"},
	{"agent:a:main", "agent:b:main"},
	{"agent:session:agent", "agent:agent:session"},
	{"agent:shared:shared", "agent:session:shared"},
};

static void test_twins(void)
{
	for (size_t i = 0; i < ARRAY_LEN(twins); i++) {
		char a[SCOPE_NAME], b[SCOPE_NAME];

		test_row("%zu", i);
		scope_name(twins[i].a, SCOPE_SESSION, a);
		scope_name(twins[i].b, SCOPE_SESSION, b);
		check(strcmp(a, b) != 0);
		/* The part that makes them different is not the hint. */
		check(strcmp(a + strlen(a) - 32, b + strlen(b) - 32) != 0);
	}
}

/* Whatever the key is, its three names are three. */
static void test_kinds_never_meet(void)
{
	static const char *const some[] = {"main", "shared", "agent", "session", "x", "a", "s",
		"agent:agent:agent", "agent:shared:shared", "agent:session:session"};

	for (size_t i = 0; i < ARRAY_LEN(some); i++) {
		char of[SCOPE_COUNT][SCOPE_NAME];

		test_row("%s", some[i]);
		for (int k = 0; k < SCOPE_COUNT; k++)
			scope_name(some[i], (enum scope)k, of[k]);
		for (int k = 0; k < SCOPE_COUNT; k++) {
			const char *one = of[k], *two = of[(k + 1) % SCOPE_COUNT];

			check(strcmp(one, two) != 0);
			check(strcmp(one + strlen(one) - 32, two + strlen(two) - 32) != 0);
			check(one[0] != two[0]);
		}
	}
}

static void test_scopes_are_shared_as_they_say(void)
{
	char a[SCOPE_NAME], b[SCOPE_NAME];

	scope_name("agent:x:one", SCOPE_AGENT, a);
	scope_name("agent:x:two", SCOPE_AGENT, b);
	check_str(a, b);
	scope_name("agent:x:one", SCOPE_SHARED, a);
	scope_name("agent:y:two", SCOPE_SHARED, b);
	check_str(a, b);
	scope_name("one", SCOPE_SESSION, a);
	scope_name("agent:main:one", SCOPE_SESSION, b);
	check_str(a, b);
}

static const struct test tests[] = {
	{"keys", test_keys},
	{"bounds", test_bounds},
	{"names are stable", test_names_are_stable},
	{"names are distinct and safe", test_names_are_distinct},
	{"keys that look alike", test_twins},
	{"sessions, agents and the shared one never meet", test_kinds_never_meet},
	{"scopes are shared as they say", test_scopes_are_shared_as_they_say},
};
TEST_MAIN(tests)
