/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net.h"

#include "base/macro.h"
#include "test.h"

#define L9 "abcdefgh."
#define L63 L9 L9 L9 L9 L9 L9 L9
#define LABEL63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void names_have_one_form(void)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"example.com", "example.com"},
		{"API.Example.COM", "api.example.com"},
		{"api.example.com.", "api.example.com"},
		{"a", "a"},
		{"localhost", "localhost"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"XN--BCHER-KVA.example", "xn--bcher-kva.example"},
		{"_dmarc.example.com", "_dmarc.example.com"},
		{"a-b.c--d.e", "a-b.c--d.e"},
		{"1.example", "1.example"},
		{"127.0.0.1.nip.io", "127.0.0.1.nip.io"},
		{"0x7f.example", "0x7f.example"},
		{"example.0xg", "example.0xg"},
		{"example.1a", "example.1a"},
		{"deadbeef", "deadbeef"},
		{LABEL63 ".example", LABEL63 ".example"},
		{L63 L63 L63 L63 "a", L63 L63 L63 L63 "a"}, /* 253 */
		{L63 L63 L63 L63 "a.", L63 L63 L63 L63 "a"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char out[NET_HOST_MAX] = "", again[NET_HOST_MAX] = "";
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(net_host_canonical(rows[i].text, out, &e), 0);
		check_str(out, rows[i].canonical);
		check_int(net_host_canonical(out, again, &e), 0);
		check_str(again, out);
	}
}

static void bad_names_are_refused(void)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"", "empty part"},
		{".", "empty part"},
		{"..", "empty part"},
		{"api.example.com..", "empty part"},
		{".example.com", "empty part"},
		{"a..b", "empty part"},
		{"example.com:443", "':'"},
		{"user@example.com", "'@'"},
		{"example.com:443@evil.test", "':'"},
		{"evil.test\\@allowed.test", "'\\'"},
		{"evil.test#@allowed.test", "'#'"},
		{"evil.test?x", "'?'"},
		{"//evil.test", "'/'"},
		{"http:/evil.test", "':'"},
		{"%65xample.com", "'%'"},
		{"example%2ecom", "'%'"},
		{"example.com%00", "'%'"},
		{"exa mple.com", "control"},
		{" example.com", "control"},
		{"example.com ", "control"},
		{"example.com\t", "control"},
		{"example.com\r\n", "control"},
		{"exam\x7fple.com", "control"},
		{"example\xe3\x80\x82"
		 "com",
			"xn--"},
		{"b\xc3\xbc"
		 "cher.example",
			"xn--"},
		{"\xef\xbd\x85xample.com", "xn--"},
		{"[allowed.test]", "'['"},
		{"[::1]", "'['"},
		{"*.example.com", "'*'"},
		{"-a.example", "'-'"},
		{"a-.example", "'-'"},
		{"example.-", "'-'"},
		{"2130706433", "number"},
		{"0177.0.0.1", "number"},
		{"0x7f.1", "number"},
		{"127.1", "number"},
		{"0", "number"},
		{"127.0.0.1", "number"},
		{"127.0.0.1.", "number"},
		{"0x7f000001", "number"},
		{"0X7F000001", "number"},
		{"0x", "number"},
		{"example.0x7f", "number"},
		{"example.123", "number"},
		{LABEL63 "a.example", "longer than 63"},
		{L63 L63 L63 L63 "ab", "at most 253"},
		{L63 L63 L63 L63 "ab.", "at most 253"},
		{L63 L63 L63 L63 L63, "at most 253"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char out[NET_HOST_MAX] = "kept";
		struct err e = {0};

		test_row("%s", rows[i].text);
		check_int(net_host_canonical(rows[i].text, out, &e), -22);
		check_has(e.text, rows[i].error);
		check_str(out, "kept");
	}
}

static void foreign_text_is_escaped_in_errors(void)
{
	char out[NET_HOST_MAX];
	struct err e = {0};

	check(net_host_canonical("a\x1b[31mb\n", out, &e) < 0);
	check(!strchr(e.text, '\x1b') && !strchr(e.text, '\n'));
}

static void targets(void)
{
	static const struct {
		const char *text, *host; /* NULL: refused */
		int port;
		bool is_addr;
	} rows[] = {
		{"Example.COM.:443", "example.com", 443, false},
		{"example.com", "example.com", 0, false},
		{"192.0.2.7:22", "192.0.2.7", 22, true},
		{"192.0.2.7", "192.0.2.7", 0, true},
		{"[2001:DB8::1]:443", "2001:db8::1", 443, true},
		{"[::1]", "::1", 0, true},
		{"host-service:5432", "host-service", 5432, false},
		{"example.com:", NULL, 0, false},
		{"example.com:0", NULL, 0, false},
		{"example.com:65536", NULL, 0, false},
		{"example.com:0443", NULL, 0, false},
		{"example.com:443.evil", NULL, 0, false},
		{"example.com:443:443", NULL, 0, false},
		{"example.com:443@evil.test", NULL, 0, false},
		{"http://evil.test\\@allowed.test/", NULL, 0, false},
		{"http://allowed.test@evil.test", NULL, 0, false},
		{"http://evil.test#@allowed.test", NULL, 0, false},
		{"//evil.test", NULL, 0, false},
		{"http:/evil.test", NULL, 0, false},
		{"::1", NULL, 0, false},
		{"2001:db8::1:443", NULL, 0, false},
		{"[::1]443", NULL, 0, false},
		{"[::1", NULL, 0, false},
		{"[::1]]:443", NULL, 0, false},
		{"[127.0.0.1]:80", NULL, 0, false},
		{"[fe80::1%eth0]:80", NULL, 0, false},
		{"[::1%25lo]", NULL, 0, false},
		{"[allowed.test]", NULL, 0, false},
		{"10.0.0.0/8", NULL, 0, false},
		{"2130706433:80", NULL, 0, false},
		{"0x7f.1:80", NULL, 0, false},
		{":443", NULL, 0, false},
		{"", NULL, 0, false},
		{"[]:443", NULL, 0, false},
		{"*:443", NULL, 0, false},
		{"*.example.com:443", NULL, 0, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct net_target t = {.port = 9};
		struct err e = {0};
		char text[NETADDR_TEXT];
		int r = net_target_parse(rows[i].text, &t, &e);

		test_row("%s", rows[i].text);
		if (!rows[i].host) {
			check_int(r, -22);
			check(e.text[0] != '\0' && t.port == 9);
			continue;
		}
		if (!check_int(r, 0))
			continue;
		netaddr_text(&t.addr, text);
		check_int(t.is_addr, rows[i].is_addr);
		check_int(t.port, rows[i].port);
		check_str(t.is_addr ? text : t.host, rows[i].host);
	}
}

static void published_ports(void)
{
	static const struct {
		const char *text, *addr; /* NULL: refused */
		int host, inside;
	} rows[] = {
		{"8080:80", "127.0.0.1", 8080, 80},
		{"1:65535", "127.0.0.1", 1, 65535},
		{"0.0.0.0:8080:80", "0.0.0.0", 8080, 80},
		{"192.0.2.7:8080:80", "192.0.2.7", 8080, 80},
		{"[::1]:8080:80", "::1", 8080, 80},
		{"[::]:8080:80", "::", 8080, 80},
		{"8080", NULL, 0, 0},
		{"", NULL, 0, 0},
		{":", NULL, 0, 0},
		{":80", NULL, 0, 0},
		{"8080:", NULL, 0, 0},
		{":8080:80", NULL, 0, 0},
		{"08080:80", NULL, 0, 0},
		{"8080:080", NULL, 0, 0},
		{"0:80", NULL, 0, 0},
		{"8080:0", NULL, 0, 0},
		{"65536:80", NULL, 0, 0},
		{"655350:80", NULL, 0, 0},
		{"8080:65536", NULL, 0, 0},
		{"+8080:80", NULL, 0, 0},
		{"-1:80", NULL, 0, 0},
		{"8080-8090:80", NULL, 0, 0},
		{"8080:80/tcp", NULL, 0, 0},
		{"8080:80 ", NULL, 0, 0},
		{"localhost:8080:80", NULL, 0, 0},
		{"127.1:8080:80", NULL, 0, 0},
		{"::1:8080:80", NULL, 0, 0},
		{"[127.0.0.1]:8080:80", NULL, 0, 0},
		{"[::1%lo]:8080:80", NULL, 0, 0},
		{"10.0.0.0/8:8080:80", NULL, 0, 0},
		{"127.0.0.1:9:8080:80", NULL, 0, 0},
		{"[::1]:8080:80:80", NULL, 0, 0},
		{"[0000:0000:0000:0000:0000:ffff:255.255.255.255000]:1:1", NULL, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct net_publish p = {.host_port = 9};
		struct err e = {0};
		char text[NETADDR_TEXT];
		int r = net_publish_parse(rows[i].text, &p, &e);

		test_row("%s", rows[i].text);
		check_int(net_check_publish(rows[i].text, NULL), r);
		if (!rows[i].addr) {
			check_int(r, -22);
			check(e.text[0] != '\0' && p.host_port == 9);
		} else if (check_int(r, 0)) {
			netaddr_text(&p.addr, text);
			check_str(text, rows[i].addr);
			check_int(p.host_port, rows[i].host);
			check_int(p.inside_port, rows[i].inside);
		}
	}
}

static void resolvers_and_hosts(void)
{
	static const struct {
		const char *text;
		bool dns, host;
	} rows[] = {
		{"9.9.9.9", true, true},
		{"127.0.0.53", true, true},
		{"10.0.0.2", true, true},
		{"2620:fe::fe", true, true},
		{"0.0.0.0", false, true},
		{"::", false, true},
		{"255.255.255.255", false, true},
		{"ff02::fb", false, true},
		{"::ffff:224.0.0.1", false, true},
		{"[2620:fe::fe]", false, false},
		{"9.9.9.9:53", false, false},
		{"dns.example", false, false},
		{"fe80::1%eth0", false, false},
		{"", false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].text);
		check_int(net_check_dns(rows[i].text, NULL) == 0, rows[i].dns);
		check_int(net_check_hosts_value(rows[i].text, NULL) == 0, rows[i].host);
	}
	check_int(net_check_hosts_name("db.internal", NULL), 0);
	check(net_check_hosts_name("db internal", NULL) < 0);
}

static void localhost(void)
{
	check(net_is_localhost("localhost"));
	check(net_is_localhost("a.localhost"));
	check(!net_is_localhost("alocalhost"));
	check(!net_is_localhost("localhost.example"));
	check(net_is_localhost("ip6-localhost"));
	check(net_is_localhost("host.docker.internal"));
	check(net_is_metadata("metadata.google.internal"));
	check(!net_is_metadata("metadata.example"));
}

static const struct test tests[] = {
	{"names have one form", names_have_one_form},
	{"bad names are refused", bad_names_are_refused},
	{"foreign text is escaped in errors", foreign_text_is_escaped_in_errors},
	{"targets of requests", targets},
	{"published ports", published_ports},
	{"resolvers and hosts", resolvers_and_hosts},
	{"localhost and below", localhost},
};
TEST_MAIN(tests)
