/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netrule.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "test.h"

static void good_rules_have_one_text(void)
{
	static const struct {
		const char *text, *canonical;
		enum netrule_kind kind;
	} rows[] = {
		{"example.com", "example.com", NETRULE_NAME},
		{"Example.COM.", "example.com", NETRULE_NAME},
		{"example.com:22", "example.com:22", NETRULE_NAME},
		{"localhost", "localhost", NETRULE_NAME},
		{"*.example.com", "*.example.com", NETRULE_SUFFIX},
		{"*.Example.com.:8443", "*.example.com:8443", NETRULE_SUFFIX},
		{"*.com", "*.com", NETRULE_SUFFIX},
		{"10.0.0.0/8", "10.0.0.0/8", NETRULE_ADDRESS},
		{"10.0.0.0/8:443", "10.0.0.0/8:443", NETRULE_ADDRESS},
		{"192.0.2.7", "192.0.2.7", NETRULE_ADDRESS},
		{"192.0.2.7/32:22", "192.0.2.7:22", NETRULE_ADDRESS},
		{"192.0.2.7:22", "192.0.2.7:22", NETRULE_ADDRESS},
		{"[2001:DB8::]/32", "[2001:db8::]/32", NETRULE_ADDRESS},
		{"[2001:db8::]/32:443", "[2001:db8::]/32:443", NETRULE_ADDRESS},
		{"2001:db8::/32", "[2001:db8::]/32", NETRULE_ADDRESS},
		{"2001:db8::/32:443", "[2001:db8::]/32:443", NETRULE_ADDRESS},
		{"[2001:db8::7]:22", "[2001:db8::7]:22", NETRULE_ADDRESS},
		{"[2001:db8::7]", "[2001:db8::7]", NETRULE_ADDRESS},
		{"[::]/0", "[::]/0", NETRULE_ADDRESS},
		{"127.0.0.0/8", "127.0.0.0/8", NETRULE_ADDRESS},
		{"host-service:5432", "host-service:5432", NETRULE_SERVICE},
		{"HOST-Service:5432", "host-service:5432", NETRULE_SERVICE},
		{"host-service.example", "host-service.example", NETRULE_NAME},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct netrule rule, again;
		struct err e = {0};
		char text[NETRULE_TEXT], text2[NETRULE_TEXT];

		test_row("%s", rows[i].text);
		if (!check_int(netrule_parse(&a, rows[i].text, &rule, &e), 0))
			continue;
		check_int(rule.kind, rows[i].kind);
		netrule_text(&rule, text);
		check_str(text, rows[i].canonical);
		check_int(netrule_parse(&a, text, &again, &e), 0);
		netrule_text(&again, text2);
		check_str(text2, text);
		check(netrule_covers(&rule, &rule));
		check(netrule_covers(&rule, &again) && netrule_covers(&again, &rule));
	}
}

static void bad_rules_are_explained(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "empty part"},
		{"*", "limited"},
		{"*:443", "full"},
		{"*.", "limited"},
		{"*.*", "limited"},
		{"**.example.com", "only in front"},
		{"*example.com", "only in front"},
		{"a.*.example.com", "only in front"},
		{"*.*.example.com", "only in front"},
		{"*.10.0.0.1", "number"},
		{"*..example.com", "empty part"},
		{"http://example.com", "URL"},
		{"https://example.com/path", "URL"},
		{"//example.com", "URL"},
		{"example.com/path", "number of bits"},
		{"example.com/24", "not an IPv4"},
		{"example.com:443/24", "not an IPv6"},
		{"example.com:", "port"},
		{"example.com:0", "port"},
		{"example.com:65536", "port"},
		{"example.com:0443", "port"},
		{"example.com:443.evil", "port"},
		{"example.com:80-90", "port"},
		{"example.com:*", "port"},
		{"example.com:https", "port"},
		{"example.com..", "empty part"},
		{"user@example.com", "'@'"},
		{"exam ple.com", "control"},
		{"b\xc3\xbc"
		 "cher.example",
			"xn--"},
		{"2001:db8::7", "brackets"},
		{"2001:db8::7:443", "brackets"},
		{"::1", "brackets"},
		{"[2001:db8::7", "']'"},
		{"[2001:db8::/32]", "IPv6"},
		{"[2001:db8::7]x", "behind ']'"},
		{"[192.0.2.7]", "brackets"},
		{"[192.0.2.0]/24", "brackets"},
		{"[example.com]", "not an IPv4"},
		{"[fe80::1%eth0]", "zone"},
		{"[::ffff:10.0.0.1]", "write 10.0.0.1/32"},
		{"[::ffff:10.0.0.0]/104", "write 10.0.0.0/8"},
		{"10.0.0.1/8", "write 10.0.0.0/8"},
		{"[2001:db8::1]/32", "write 2001:db8::/32"},
		{"10.0.0.0/33", "at most 32"},
		{"10.0.0.0/08", "number of bits"},
		{"10.0.0.0/8x", "number of bits"},
		{"10.0.0.0/", "number of bits"},
		{"10.0.0.0/8:0", "port"},
		{"10.0.0/24", "not an IPv4"},
		{"2130706433", "number"},
		{"0177.0.0.1", "number"},
		{"0x7f.1", "number"},
		{"127.1", "number"},
		{"0", "number"},
		{"host-service", "port"},
		{"*.host-service:80", "port"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct netrule rule = {.port = 9};
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(netrule_parse(&a, rows[i].text, &rule, &e), -22);
		check_has(e.text, rows[i].error);
		check_int(rule.port, 9);
		check(netrule_check(rows[i].text, NULL) < 0);
		check(netrule_check_allow(rows[i].text, NULL) < 0);
	}
}

static void rules_that_open_nothing_are_refused_as_allow(void)
{
	static const char *const useless[] = {"localhost", "localhost:8080", "a.localhost",
		"*.localhost", "127.0.0.1", "127.0.0.1:8080", "127.0.0.0/8", "0.0.0.0", "[::1]",
		"[::]:80", "[64:ff9b::127.0.0.1]"};
	static const char *const useful[] = {"10.0.0.0/8", "0.0.0.0/0", "[::]/0", "169.254.169.254",
		"localhost.example", "host-service:80"};
	struct err e = {0};

	for (size_t i = 0; i < ARRAY_LEN(useless); i++) {
		test_row("%s", useless[i]);
		check_int(netrule_check(useless[i], NULL), 0);
		check_int(netrule_check_allow(useless[i], &e), -22);
		check_has(e.text, "host-service:");
	}
	for (size_t i = 0; i < ARRAY_LEN(useful); i++) {
		test_row("%s", useful[i]);
		check_int(netrule_check_allow(useful[i], NULL), 0);
	}
}

static struct netrule rule(struct arena *a, const char *text)
{
	struct netrule r = {0};

	check_int(netrule_parse(a, text, &r, NULL), 0);
	return r;
}

static void names_match(void)
{
	static const struct {
		const char *rule, *host;
		int port;
		bool match;
	} rows[] = {
		{"example.com", "example.com", 443, true},
		{"example.com", "example.com", 80, true},
		{"example.com", "example.com", 22, false},
		{"example.com", "example.com", 0, false},
		{"example.com", "example.com", 2375, false},
		{"example.com", "sub.example.com", 443, false},
		{"example.com", "evilexample.com", 443, false},
		{"example.com", "example.com.evil.test", 443, false},
		{"example.com", "example.comx", 443, false},
		{"example.com", "xample.com", 443, false},
		{"git.test:22", "git.test", 22, true},
		{"git.test:22", "git.test", 443, false},
		{"*.example.com", "sub.example.com", 443, true},
		{"*.example.com", "a.b.example.com", 80, true},
		{"*.example.com", "example.com", 443, false},
		{"*.example.com", "evilexample.com", 443, false},
		{"*.example.com", "sub.example.com.evil.test", 443, false},
		{"*.example.com", "sub.example.com", 22, false},
		{"10.0.0.0/8", "example.com", 443, false},
		{"host-service:5432", "host-service", 5432, true},
		{"host-service:5432", "host-service", 5433, false},
		{"host-service:5432", "a.host-service", 5432, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct netrule r = rule(&a, rows[i].rule);

		test_row("%s %s:%d", rows[i].rule, rows[i].host, rows[i].port);
		check_int(netrule_matches_name(&r, rows[i].host, (uint16_t)rows[i].port),
			rows[i].match);
	}
}

static void addresses_match(void)
{
	static const struct {
		const char *rule, *addr;
		int port;
		bool match;
	} rows[] = {
		{"10.0.0.0/8", "10.1.2.3", 443, true},
		{"10.0.0.0/8", "10.1.2.3", 22, false},
		{"10.0.0.0/8:22", "10.1.2.3", 22, true},
		{"10.0.0.0/8", "11.1.2.3", 443, false},
		{"192.0.2.7", "192.0.2.7", 80, true},
		{"192.0.2.7", "192.0.2.8", 80, false},
		{"[2001:db8::]/32", "2001:db8:1::1", 443, true},
		{"[2001:db8::7]:22", "2001:db8::7", 22, true},
		{"0.0.0.0/0", "2001:db8::7", 443, false},
		{"example.com", "192.0.2.7", 443, false},
		{"host-service:80", "127.0.0.1", 80, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct netrule r = rule(&a, rows[i].rule);
		struct netaddr addr = {0};

		test_row("%s %s:%d", rows[i].rule, rows[i].addr, rows[i].port);
		check_int(netaddr_parse(rows[i].addr, &addr, NULL), 0);
		check_int(netrule_matches_addr(&r, &addr, (uint16_t)rows[i].port), rows[i].match);
	}
}

static void rules_cover_rules(void)
{
	static const struct {
		const char *outer, *inner;
		bool covers;
	} rows[] = {
		{"example.com", "example.com:443", true},
		{"example.com", "example.com:80", true},
		{"example.com", "example.com:22", false},
		{"example.com:443", "example.com", false},
		{"*.example.com", "a.example.com", true},
		{"*.example.com", "example.com", false},
		{"*.example.com", "*.a.example.com", true},
		{"*.example.com", "*.example.com:443", true},
		{"*.a.example.com", "*.example.com", false},
		{"*.example.com", "*.evilexample.com", false},
		{"a.example.com", "*.example.com", false},
		{"10.0.0.0/8", "10.1.0.0/16", true},
		{"10.1.0.0/16", "10.0.0.0/8", false},
		{"10.0.0.0/8", "10.0.0.1:22", false},
		{"10.0.0.0/8:22", "10.0.0.1:22", true},
		{"0.0.0.0/0", "[2001:db8::]/32", false},
		{"0.0.0.0/0", "example.com", false},
		{"host-service:80", "host-service:80", true},
		{"host-service:80", "host-service:443", false},
		{"*.com", "host-service:80", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_(arena_free) struct arena a = {0};
		struct netrule outer = rule(&a, rows[i].outer), inner = rule(&a, rows[i].inner);

		test_row("%s over %s", rows[i].outer, rows[i].inner);
		check_int(netrule_covers(&outer, &inner), rows[i].covers);
	}
}

static const struct test tests[] = {
	{"good rules have one text", good_rules_have_one_text},
	{"bad rules are explained", bad_rules_are_explained},
	{"rules that open nothing are refused as allow",
		rules_that_open_nothing_are_refused_as_allow},
	{"names match", names_match},
	{"addresses match", addresses_match},
	{"rules cover rules", rules_cover_rules},
};
TEST_MAIN(tests)
