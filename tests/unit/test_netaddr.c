/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netaddr.h"

#include "base/macro.h"
#include "test.h"

static struct netaddr addr(const char *text)
{
	struct netaddr a = {0};
	struct err e = {0};

	if (!check_int(netaddr_parse(text, &a, &e), 0))
		printf("# %s\n", e.text);
	return a;
}

static void good_addresses_have_one_text(void)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"0.0.0.0", "0.0.0.0"},
		{"255.255.255.255", "255.255.255.255"},
		{"198.51.100.7", "198.51.100.7"},
		{"::", "::"},
		{"::1", "::1"},
		{"1::", "1::"},
		{"2001:DB8::00Ff", "2001:db8::ff"},
		{"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
		{"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
		{"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
		{"2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
		{"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
		{"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
		{"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
		{"::ffff:127.0.0.1", "::ffff:127.0.0.1"},
		{"::FFFF:7f00:1", "::ffff:127.0.0.1"},
		{"0000:0000:0000:0000:0000:ffff:255.255.255.255", "::ffff:255.255.255.255"},
		{"::127.0.0.1", "::7f00:1"},
		{"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
		{"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
		{"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
			"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct netaddr a, again;
		char text[NETADDR_TEXT];

		test_row("%s", rows[i].text);
		a = addr(rows[i].text);
		netaddr_text(&a, text);
		check_str(text, rows[i].canonical);
		again = addr(text);
		check(memcmp(&a.bytes, &again.bytes, 16) == 0 && a.v4 == again.v4);
	}
}

static void bad_addresses_are_refused(void)
{
	static const char *const rows[] = {"", " ", "0", "1", "127.1", "127.0.1", "2130706433",
		"0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "127.0.0.01", "127.0.0.1.", ".127.0.0.1",
		"127.0.0.1 ", " 127.0.0.1", "127.0.0.256", "127.0.0.-1", "+127.0.0.1", "127.0.0",
		"127.0.0.1.1", "127..0.1", "1.2.3.4/32", "1.2.3.4:80", "4294967296.0.0.0",
		"99999999999999999999.0.0.0", ":", ":::", "1", "1:2", "1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2::3", ":1::2",
		"1:2:3:4:5:6:7:", ":2:3:4:5:6:7:8", "12345::", "g::", "::g", "[::1]", "::1%lo",
		"fe80::1%eth0", "::1%25lo", "::127.1", "::127.0.0.01", "127.0.0.1::", "::1.2.3.4:5",
		"1:2:3:4:5:6:7:1.2.3.4", "::1 ", "::1/128", "0x1::", "\xe3\x80\x82", "1\n::"};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct netaddr a = {.bytes = {42}};
		struct err e = {0};

		test_row("%s", rows[i]);
		check_int(netaddr_parse(rows[i], &a, &e), -22);
		check(e.text[0] != '\0');
		check_int(a.bytes[0], 42);
	}
}

static void zones_are_explained(void)
{
	struct netaddr a;
	struct err e = {0};

	check(netaddr_parse("fe80::1%eth0", &a, &e) < 0);
	check_has(e.text, "zone");
}

static void classes(void)
{
	static const struct {
		const char *text;
		enum netaddr_class class;
	} rows[] = {
		{"9.9.9.9", NETADDR_PUBLIC},
		{"1.0.0.0", NETADDR_PUBLIC},
		{"0.0.0.0", NETADDR_UNSPECIFIED},
		{"0.255.255.255", NETADDR_UNSPECIFIED},
		{"9.255.255.255", NETADDR_PUBLIC},
		{"10.0.0.0", NETADDR_PRIVATE},
		{"10.255.255.255", NETADDR_PRIVATE},
		{"11.0.0.0", NETADDR_PUBLIC},
		{"100.63.255.255", NETADDR_PUBLIC},
		{"100.64.0.0", NETADDR_CGNAT},
		{"100.100.100.200", NETADDR_METADATA},
		{"100.100.100.201", NETADDR_CGNAT},
		{"100.128.0.0", NETADDR_PUBLIC},
		{"127.0.0.1", NETADDR_LOOPBACK},
		{"127.255.255.254", NETADDR_LOOPBACK},
		{"128.0.0.0", NETADDR_PUBLIC},
		{"168.63.129.16", NETADDR_METADATA},
		{"168.63.129.17", NETADDR_PUBLIC},
		{"169.254.0.1", NETADDR_LINK_LOCAL},
		{"169.254.169.254", NETADDR_METADATA},
		{"169.254.170.2", NETADDR_METADATA},
		{"169.255.0.0", NETADDR_PUBLIC},
		{"172.15.255.255", NETADDR_PUBLIC},
		{"172.16.0.0", NETADDR_PRIVATE},
		{"172.31.255.255", NETADDR_PRIVATE},
		{"172.32.0.0", NETADDR_PUBLIC},
		{"192.0.0.1", NETADDR_RESERVED},
		{"192.0.0.192", NETADDR_METADATA},
		{"192.0.2.1", NETADDR_DOCUMENTATION},
		{"192.168.0.0", NETADDR_PRIVATE},
		{"192.169.0.0", NETADDR_PUBLIC},
		{"198.18.0.1", NETADDR_RESERVED},
		{"198.19.255.255", NETADDR_RESERVED},
		{"198.20.0.0", NETADDR_PUBLIC},
		{"198.51.100.1", NETADDR_DOCUMENTATION},
		{"203.0.113.1", NETADDR_DOCUMENTATION},
		{"223.255.255.255", NETADDR_PUBLIC},
		{"224.0.0.1", NETADDR_MULTICAST},
		{"239.255.255.255", NETADDR_MULTICAST},
		{"240.0.0.1", NETADDR_RESERVED},
		{"255.255.255.254", NETADDR_RESERVED},
		{"255.255.255.255", NETADDR_BROADCAST},
		{"2606:4700::1", NETADDR_PUBLIC},
		{"2a00::1", NETADDR_PUBLIC},
		{"3ffe::1", NETADDR_PUBLIC},
		{"4000::1", NETADDR_RESERVED},
		{"1fff::1", NETADDR_RESERVED},
		{"100::1", NETADDR_RESERVED},
		{"5f00::1", NETADDR_RESERVED},
		{"8000::1", NETADDR_RESERVED},
		{"::", NETADDR_UNSPECIFIED},
		{"::1", NETADDR_LOOPBACK},
		{"::2", NETADDR_UNSPECIFIED},
		{"fc00::1", NETADDR_PRIVATE},
		{"fdff::1", NETADDR_PRIVATE},
		{"fd00:ec2::254", NETADDR_METADATA},
		{"fd00:ec2::253", NETADDR_PRIVATE},
		{"fd20:ce::254", NETADDR_METADATA},
		{"fe00::1", NETADDR_RESERVED},
		{"fe80::1", NETADDR_LINK_LOCAL},
		{"febf::1", NETADDR_LINK_LOCAL},
		{"fec0::1", NETADDR_PRIVATE},
		{"ff02::1", NETADDR_MULTICAST},
		{"2001:db8::1", NETADDR_DOCUMENTATION},
		{"3fff::1", NETADDR_DOCUMENTATION},
		{"2001:1::1", NETADDR_RESERVED},
		{"2001:200::1", NETADDR_PUBLIC},
		/* What carries IPv4 is judged by what it carries. */
		{"::ffff:9.9.9.9", NETADDR_EMBEDDED},
		{"::ffff:127.0.0.1", NETADDR_LOOPBACK},
		{"::ffff:7f00:1", NETADDR_LOOPBACK},
		{"::ffff:0.0.0.0", NETADDR_UNSPECIFIED},
		{"::ffff:169.254.169.254", NETADDR_METADATA},
		{"::ffff:0:127.0.0.1", NETADDR_LOOPBACK},
		{"::127.0.0.1", NETADDR_LOOPBACK},
		{"::9.9.9.9", NETADDR_EMBEDDED},
		{"64:ff9b::9.9.9.9", NETADDR_EMBEDDED},
		{"64:ff9b::7f00:1", NETADDR_LOOPBACK},
		{"64:ff9b::10.0.0.1", NETADDR_PRIVATE},
		{"64:ff9b:1::9.9.9.9", NETADDR_EMBEDDED},
		{"64:ff9b:1::127.0.0.1", NETADDR_LOOPBACK},
		{"64:ff9b:1:7f00:0:100::", NETADDR_LOOPBACK},
		{"64:ff9b:1::", NETADDR_EMBEDDED},
		{"64:ff9b:2::1", NETADDR_RESERVED},
		{"2002:7f00:1::", NETADDR_LOOPBACK},
		{"2002:a9fe:a9fe::1", NETADDR_METADATA},
		{"2002:909:909::1", NETADDR_EMBEDDED},
		{"2001:0:909:909::f6f6:f6f6", NETADDR_EMBEDDED},
		{"2001:0:909:909::80ff:fffe", NETADDR_LOOPBACK},
		{"2001:0:7f00:1::f6f6:f6f6", NETADDR_LOOPBACK},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct netaddr a;

		test_row("%s", rows[i].text);
		a = addr(rows[i].text);
		check_str(netaddr_class_name(netaddr_class_of(&a)),
			netaddr_class_name(rows[i].class));
	}
}

static void ranges_are_read(void)
{
	static const struct {
		const char *text, *error; /* NULL: good */
	} rows[] = {
		{"10.0.0.0/8", NULL},
		{"0.0.0.0/0", NULL},
		{"192.0.2.7/32", NULL},
		{"128.0.0.0/1", NULL},
		{"2001:db8::/32", NULL},
		{"::/0", NULL},
		{"::1/128", NULL},
		{"10.1.2.3/8", "write 10.0.0.0/8"},
		{"10.0.0.1/31", "write 10.0.0.0/31"},
		{"129.0.0.0/0", "write 0.0.0.0/0"},
		{"2001:db8::1/64", "write 2001:db8::/64"},
		{"10.0.0.0/33", "at most 32"},
		{"::/129", "number of bits"},
		{"10.0.0.0/", "number of bits"},
		{"10.0.0.0/08", "number of bits"},
		{"10.0.0.0/+8", "number of bits"},
		{"10.0.0.0/8/8", "number of bits"},
		{"10.0.0.0/8 ", "number of bits"},
		{"10.0.0.0/255.0.0.0", "number of bits"},
		{"10.0.0.0", "range"},
		{"10/8", "not an IPv4"},
		{"/8", "not an IPv4"},
		{"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/8", "range"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct netcidr c = {.bits = 99};
		struct err e = {0};
		char text[NETCIDR_TEXT];
		int r = netcidr_parse(rows[i].text, &c, &e);

		test_row("%s", rows[i].text);
		if (rows[i].error) {
			check_int(r, -22);
			check_has(e.text, rows[i].error);
			check_int(c.bits, 99);
		} else if (check_int(r, 0)) {
			netcidr_text(&c, text);
			check_str(text, rows[i].text);
		}
	}
}

static struct netcidr cidr(const char *text)
{
	struct netcidr c = {0};

	check_int(netcidr_parse(text, &c, NULL), 0);
	return c;
}

static void ranges_contain(void)
{
	static const struct {
		const char *range, *addr;
		bool in;
	} rows[] = {
		{"10.0.0.0/8", "10.255.0.1", true},
		{"10.0.0.0/8", "11.0.0.0", false},
		{"10.0.0.0/8", "::ffff:10.0.0.1", false},
		{"0.0.0.0/0", "9.9.9.9", true},
		{"0.0.0.0/0", "::1", false},
		{"::/0", "2001:db8::1", true},
		{"::/0", "10.0.0.1", false},
		{"192.0.2.6/31", "192.0.2.7", true},
		{"192.0.2.6/31", "192.0.2.8", false},
		{"2001:db8::/33", "2001:db8:7fff::", true},
		{"2001:db8::/33", "2001:db8:8000::", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct netcidr c = cidr(rows[i].range);
		struct netaddr a = addr(rows[i].addr);

		test_row("%s %s", rows[i].range, rows[i].addr);
		check_int(netcidr_has(&c, &a), rows[i].in);
	}
}

static void ranges_cover(void)
{
	struct netcidr ten = cidr("10.0.0.0/8"), part = cidr("10.1.0.0/16"),
		       other = cidr("11.0.0.0/16");

	check(netcidr_covers(&ten, &ten));
	check(netcidr_covers(&ten, &part));
	check(!netcidr_covers(&part, &ten));
	check(!netcidr_covers(&ten, &other));
}

static void special_range_of_a_range(void)
{
	static const struct {
		const char *range;
		enum netaddr_class class;
		int bits;
	} rows[] = {
		{"10.0.0.0/8", NETADDR_PRIVATE, 8},
		{"10.1.0.0/16", NETADDR_PRIVATE, 8},
		{"10.0.0.0/7", NETADDR_PUBLIC, 0},
		{"0.0.0.0/0", NETADDR_PUBLIC, 0},
		{"::/0", NETADDR_PUBLIC, 0},
		{"2000::/3", NETADDR_PUBLIC, 0},
		{"169.254.0.0/16", NETADDR_LINK_LOCAL, 16},
		{"169.254.169.254/32", NETADDR_METADATA, 32},
		{"64:ff9b::/96", NETADDR_EMBEDDED, 96},
		{"64:ff9b::9.9.9.9/128", NETADDR_EMBEDDED, 96},
		{"64:ff9b::10.0.0.1/128", NETADDR_PRIVATE, 128},
		{"127.0.0.0/8", NETADDR_LOOPBACK, 8},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct netcidr c = cidr(rows[i].range);
		uint8_t bits = 77;

		test_row("%s", rows[i].range);
		check_int(netcidr_class_of(&c, &bits), rows[i].class);
		check_int(bits, rows[i].bits);
	}
}

static void mapped_addresses_are_unmapped(void)
{
	struct netaddr mapped = addr("::ffff:10.0.0.1"), nat = addr("64:ff9b::10.0.0.1");
	struct netaddr plain = netaddr_unmap(&mapped), same = netaddr_unmap(&nat);
	char text[NETADDR_TEXT];

	netaddr_text(&plain, text);
	check_str(text, "10.0.0.1");
	netaddr_text(&same, text);
	check_str(text, "64:ff9b::a00:1");
}

static void ports(void)
{
	static const char *const bad[] = {"", "0", "65536", "0443", "00", "443.evil", "443 ",
		" 443", "+443", "-1", "4e2", "0x1bb", "99999999999999999999", "443:"};
	uint16_t port = 7;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		test_row("%s", bad[i]);
		check(!netaddr_port(bad[i], &port));
	}
	check_int(port, 7);
	check(netaddr_port("1", &port) && port == 1);
	check(netaddr_port("65535", &port) && port == 65535);
}

static const struct test tests[] = {
	{"good addresses have one text", good_addresses_have_one_text},
	{"bad addresses are refused", bad_addresses_are_refused},
	{"zones are explained", zones_are_explained},
	{"classes", classes},
	{"ranges are read", ranges_are_read},
	{"ranges contain addresses", ranges_contain},
	{"ranges cover ranges", ranges_cover},
	{"the special range that a range lies in", special_range_of_a_range},
	{"mapped addresses are unmapped", mapped_addresses_are_unmapped},
	{"ports", ports},
};
TEST_MAIN(tests)
