/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/dns.h"

#include "base/macro.h"
#include "test.h"

#include <errno.h>

#define HEADER 12
#define AFTER_NAME (HEADER + 13) /* of example.com */

/* A for example.com as glibc asks it. */
static const uint8_t plain[] = {0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 7, 'e', 'x', 'a',
	'm', 'p', 'l', 'e', 3, 'c', 'o', 'm', 0, 0, 1, 0, 1};

/* AAAA in random letter case, with EDNS: 1400 bytes, DO, and a cookie. */
static const uint8_t extended[] = {0xbe, 0xef, 0x01, 0x20, 0, 1, 0, 0, 0, 0, 0, 1, 7, 'e', 'X', 'A',
	'm', 'P', 'l', 'E', 3, 'C', 'o', 'M', 0, 0, 28, 0, 1, 0, 0, 41, 0x05, 0x78, 0, 0, 0x80, 0,
	0, 12, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
#define OPT_AT sizeof(plain)

/* A message under construction. */
struct message {
	uint8_t bytes[1024];
	size_t len;
};

static struct message copy_of(const uint8_t *bytes, size_t len)
{
	struct message m = {.len = len};

	memcpy(m.bytes, bytes, len);
	return m;
}

static void add(struct message *m, const void *bytes, size_t len)
{
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

/* A query for a name that is given as it stands on the wire. */
static struct message query(const void *name, size_t len, uint16_t type, uint16_t class)
{
	struct message m = copy_of(plain, HEADER);
	uint8_t end[] = {
		(uint8_t)(type >> 8), (uint8_t)type, (uint8_t)(class >> 8), (uint8_t) class};

	add(&m, name, len);
	add(&m, end, sizeof end);
	return m;
}
#define QUERY(name) query(name, sizeof(name), DNS_TYPE_A, 1) /* the NUL is the root */

static int read_it(const struct message *m, struct dns_question *ret)
{
	/* A block of exactly that size, so that one byte too far is seen. */
	uint8_t *exact = malloc(m->len ? m->len : 1);
	int r;

	if (!exact)
		return -ENOMEM;
	memcpy(exact, m->bytes, m->len);
	r = dns_read(exact, m->len, ret);
	free(exact);
	return r;
}

/* The other side: an answer as a resolver reads it. */
struct reply {
	uint16_t id, flags, questions, records, additional;
	const uint8_t *question;
	size_t question_len;
	struct {
		uint16_t type, len;
		uint32_t ttl;
		const uint8_t *data;
	} record[80];
	bool opt;
	uint16_t opt_size, opt_flags;
	uint8_t opt_code, opt_version;
};

static unsigned number(const uint8_t *p, int len)
{
	unsigned value = 0;

	while (len-- > 0)
		value = value << 8 | *p++;
	return value;
}

static size_t parse_question(struct reply *r, const uint8_t *m, size_t at)
{
	r->question = m + at;
	while (m[at])
		at += 1u + m[at];
	at += 5;
	r->question_len = (size_t)(m + at - r->question);
	return at;
}

static size_t parse_record(struct reply *r, const uint8_t *m, size_t at, int i)
{
	check_int(number(m + at, 2), 0xc000 | HEADER);
	check_int(number(m + at + 4, 2), 1);
	r->record[i].type = (uint16_t)number(m + at + 2, 2);
	r->record[i].ttl = number(m + at + 6, 4);
	r->record[i].len = (uint16_t)number(m + at + 10, 2);
	r->record[i].data = m + at + 12;
	return at + 12 + r->record[i].len;
}

static size_t parse_opt(struct reply *r, const uint8_t *m, size_t at)
{
	check_int(m[at], 0);
	check_int(number(m + at + 1, 2), 41);
	r->opt = true;
	r->opt_size = (uint16_t)number(m + at + 3, 2);
	r->opt_code = m[at + 5];
	r->opt_version = m[at + 6];
	r->opt_flags = (uint16_t)number(m + at + 7, 2);
	check_int(number(m + at + 9, 2), 0);
	return at + 11;
}

/* The message ends where its last record does. */
static bool parse(const uint8_t *m, size_t len, struct reply *r)
{
	size_t at = HEADER;

	*r = (struct reply){0};
	if (!check(len >= HEADER))
		return false;
	r->id = (uint16_t)number(m, 2);
	r->flags = (uint16_t)number(m + 2, 2);
	r->questions = (uint16_t)number(m + 4, 2);
	r->records = (uint16_t)number(m + 6, 2);
	r->additional = (uint16_t)number(m + 10, 2);
	check_int(number(m + 8, 2), 0);
	if (!check(r->questions <= 1 && r->additional <= 1 && r->records <= ARRAY_LEN(r->record)))
		return false;
	if (r->questions)
		at = parse_question(r, m, at);
	for (int i = 0; i < r->records; i++)
		at = parse_record(r, m, at, i);
	if (r->additional)
		at = parse_opt(r, m, at);
	return check_int(at, len);
}

static struct dns_answer answer(const char *text, uint32_t ttl)
{
	struct dns_answer a = {.ttl = ttl};

	check_int(netaddr_parse(text, &a.addr, NULL), 0);
	return a;
}

static void a_plain_question(void)
{
	struct message m = copy_of(plain, sizeof plain);
	struct dns_question q;

	check_int(read_it(&m, &q), 0);
	check_int(q.type, DNS_TYPE_A);
	check_str(q.host, "example.com");
	check(!q.edns);
	check_int(q.limit, 512);
}

static void a_plain_answer(void)
{
	struct dns_answer a[] = {answer("11.1.2.3", 60), answer("3ffe::b01:203", 0x01020304)};
	struct message m = copy_of(plain, sizeof plain);
	struct dns_question q;
	struct reply r;
	uint8_t out[512];

	check_int(read_it(&m, &q), 0);
	if (!parse(out, dns_write(&q, DNS_NOERROR, a, 2, false, out, sizeof out), &r))
		return;
	check_int(r.id, 0x1234);
	check_int(r.flags, 0x8180);
	check_int(r.records, 2);
	check(r.question_len == sizeof(plain) - HEADER &&
		memcmp(r.question, plain + HEADER, r.question_len) == 0);
	check_int(r.record[0].type, DNS_TYPE_A);
	check_int(r.record[0].ttl, 60);
	check_int(r.record[0].len, 4);
	check(memcmp(r.record[0].data, "\x0b\1\2\3", 4) == 0);
	check_int(r.record[1].type, DNS_TYPE_AAAA);
	check_int(r.record[1].ttl, 0x01020304);
	check_int(r.record[1].len, 16);
	check(memcmp(r.record[1].data, a[1].addr.bytes, 16) == 0);
	check(!r.opt);
}

static void extensions_and_letter_case(void)
{
	struct dns_answer a = answer("3ffe::1", 5);
	struct message m = copy_of(extended, sizeof extended);
	struct dns_question q;
	struct reply r;
	uint8_t out[512];

	check_int(read_it(&m, &q), 0);
	check_int(q.type, DNS_TYPE_AAAA);
	check_str(q.host, "example.com");
	check(q.edns && q.edns_do);
	check_int(q.limit, DNS_UDP_MAX);
	if (!parse(out, dns_write(&q, DNS_NOERROR, &a, 1, false, out, sizeof out), &r))
		return;
	check_int(r.id, 0xbeef);
	check_int(r.flags, 0x8180);
	check_int(r.records, 1);
	check(memcmp(r.question, extended + HEADER, r.question_len) == 0);
	check(r.opt);
	check_int(r.opt_size, DNS_UDP_MAX);
	check_int(r.opt_flags, 0x8000);
	check_int(r.opt_version, 0);
	check_int(r.opt_code, 0);
}

static void what_the_asker_takes(void)
{
	static const struct {
		uint16_t size, limit;
	} rows[] = {{0, 512}, {511, 512}, {512, 512}, {600, 600}, {1232, 1232}, {65535, 1232}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct message m = copy_of(extended, sizeof extended);
		struct dns_question q;

		test_row("%u", rows[i].size);
		m.bytes[OPT_AT + 3] = (uint8_t)(rows[i].size >> 8);
		m.bytes[OPT_AT + 4] = (uint8_t)rows[i].size;
		check_int(read_it(&m, &q), 0);
		check_int(q.limit, rows[i].limit);
	}
}

/* One byte of a message changed; what is answered then. */
static void wrong_headers(void)
{
	static const struct {
		const char *what;
		size_t at;
		uint8_t value;
		int result, rcode;
	} rows[] = {
		{"an answer", 2, 0x81, -EBADMSG, 0},
		{"an answer of another kind", 2, 0xa9, -EBADMSG, 0},
		{"inverse query", 2, 0x09, 1, DNS_NOTIMP},
		{"status", 2, 0x11, 1, DNS_NOTIMP},
		{"update", 2, 0x29, 1, DNS_NOTIMP},
		{"unknown kind", 2, 0x79, 1, DNS_NOTIMP},
		{"no question", 5, 0, 1, DNS_FORMERR},
		{"two questions", 5, 2, 1, DNS_FORMERR},
		{"257 questions", 4, 1, 1, DNS_FORMERR},
		{"an answer in a query", 7, 1, 1, DNS_FORMERR},
		{"an authority in a query", 9, 1, 1, DNS_FORMERR},
		{"a record too few", 11, 0, 1, DNS_FORMERR},
		{"a record too many", 11, 2, 1, DNS_FORMERR},
		{"257 records", 10, 1, 1, DNS_FORMERR},
		{"TC and AA set", 2, 0x07, 0, DNS_NOERROR},
		{"RD clear", 2, 0x00, 0, DNS_NOERROR},
		{"everything else set", 3, 0xff, 0, DNS_NOERROR},
		{"a pointer as first label", HEADER, 0xc0, 1, DNS_FORMERR},
		{"a pointer to itself", HEADER + 8, 0xc0, 1, DNS_FORMERR},
		{"a withdrawn kind of label", HEADER, 0x41, 1, DNS_FORMERR},
		{"an unused kind of label", HEADER, 0x87, 1, DNS_FORMERR},
		{"a label that is too long", HEADER, 64, 1, DNS_FORMERR},
		{"a label that goes beyond the end", HEADER, 63, 1, DNS_FORMERR},
		{"class CHAOS", AFTER_NAME + 3, 3, 1, DNS_NOERROR},
		{"class ANY", AFTER_NAME + 3, 255, 1, DNS_NOERROR},
		{"class 257", AFTER_NAME + 2, 1, 1, DNS_NOERROR},
		{"OPT with a name", OPT_AT, 1, 1, DNS_FORMERR},
		{"a record that is not OPT", OPT_AT + 2, 42, 1, DNS_FORMERR},
		{"EDNS version 1", OPT_AT + 6, 1, 1, DNS_BADVERS},
		{"EDNS version 255", OPT_AT + 6, 255, 1, DNS_BADVERS},
		{"unknown flags of EDNS", OPT_AT + 8, 255, 0, DNS_NOERROR},
		{"OPT too long", OPT_AT + 10, 13, 1, DNS_FORMERR},
		{"OPT too short", OPT_AT + 10, 11, 1, DNS_FORMERR},
		{"OPT without its options", OPT_AT + 10, 0, 1, DNS_FORMERR},
		{"an unknown option", OPT_AT + 12, 99, 0, DNS_NOERROR},
		{"an option too long", OPT_AT + 14, 9, 1, DNS_FORMERR},
		{"an option too short", OPT_AT + 14, 7, 1, DNS_FORMERR},
		{"an option behind an empty one too long", OPT_AT + 14, 0, 1, DNS_FORMERR},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct message m = copy_of(extended, sizeof extended);
		struct dns_question q = {.rcode = DNS_NOERROR};

		test_row("%s", rows[i].what);
		m.bytes[rows[i].at] = rows[i].value;
		check_int(read_it(&m, &q), rows[i].result);
		check_int(q.rcode, rows[i].rcode);
		if (rows[i].result)
			check_str(q.host, "");
	}
}

static void hosts(void)
{
	static const struct {
		const char *what, *wire;
		size_t len;
		int result, rcode;
		const char *host, *asked;
	} names[] = {
#define ROW(what, wire, ...) {what, wire, sizeof(wire), __VA_ARGS__}
		ROW("one label", "\3foo", 0, DNS_NOERROR, "foo", "foo"),
		ROW("upper case", "\3FOO\3Bar", 0, DNS_NOERROR, "foo.bar", "foo.bar"),
		ROW("underscores", "\4_dns\10resolver\4arpa", 0, DNS_NOERROR, "_dns.resolver.arpa",
			"_dns.resolver.arpa"),
		ROW("an address backwards", "\0013\0012\0011\0010\7in-addr\4arpa", 0, DNS_NOERROR,
			"3.2.1.0.in-addr.arpa", "3.2.1.0.in-addr.arpa"),
		ROW("the root", "", 1, DNS_NOERROR, "", "."),
		ROW("a dot within a label", "\7foo.bar", 1, DNS_NXDOMAIN, "", "foo?bar"),
		ROW("a dot at the end of a label", "\4foo.\3bar", 1, DNS_NXDOMAIN, "", "foo?.bar"),
		ROW("a label that is a dot", "\3foo\1.", 1, DNS_NXDOMAIN, "", "foo.?"),
		ROW("a NUL within a label", "\10foo\0evil\3com", 1, DNS_NXDOMAIN, "",
			"foo?evil.com"),
		ROW("a blank", "\7foo bar", 1, DNS_NXDOMAIN, "", "foo?bar"),
		ROW("a new line", "\4foo\n\3com", 1, DNS_NXDOMAIN, "", "foo?.com"),
		ROW("quotes and escapes", "\4\"\\\033'\3com", 1, DNS_NXDOMAIN, "", "????.com"),
		ROW("outside of ASCII", "\5m\xc3\xbcnx\3com", 1, DNS_NXDOMAIN, "", "m??nx.com"),
		ROW("a star", "\1*\3com", 1, DNS_NXDOMAIN, "", "?.com"),
		ROW("a hyphen in front", "\4-foo\3com", 1, DNS_NXDOMAIN, "", "-foo.com"),
		ROW("a hyphen behind", "\4foo-\3com", 1, DNS_NXDOMAIN, "", "foo-.com"),
		ROW("an address", "\003127\0010\0010\0011", 1, DNS_NXDOMAIN, "", "127.0.0.1"),
		ROW("a number", "\n2130706433", 1, DNS_NXDOMAIN, "", "2130706433"),
		ROW("a hexadecimal number", "\0040X7f", 1, DNS_NXDOMAIN, "", "0x7f"),
		ROW("something that ends in a number", "\3foo\0011", 1, DNS_NXDOMAIN, "", "foo.1"),
#undef ROW
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct message m = query(names[i].wire, names[i].len, DNS_TYPE_TXT, 1);
		struct dns_question q = {0};
		char asked[NET_HOST_MAX];

		test_row("%s", names[i].what);
		check_int(read_it(&m, &q), names[i].result);
		check_int(q.rcode, names[i].rcode);
		check_int(q.type, DNS_TYPE_TXT);
		check_str(q.host, names[i].host);
		dns_asked_name(&q, asked);
		check_str(asked, names[i].asked);
	}
}

/* Labels of 63 bytes and a last one, so that the name has that many bytes on the wire. */
static struct message long_query(size_t wire)
{
	struct message m = copy_of(plain, HEADER);
	size_t left = wire - 1;

	while (left > 0) {
		size_t label = left > 64 ? 63 : left - 1;

		m.bytes[m.len++] = (uint8_t)label;
		memset(m.bytes + m.len, 'a', label);
		m.len += label;
		left -= label + 1;
	}
	add(&m, "\0\0\1\0\1", 5);
	return m;
}

static void long_names(void)
{
	struct message m = long_query(255);
	struct dns_question q;
	uint8_t out[512];
	struct reply r;

	check_int(read_it(&m, &q), 0);
	check_int(strlen(q.host), 253);
	check_int(q.wire_len, DNS_QUESTION_MAX);
	parse(out, dns_write(&q, DNS_NXDOMAIN, NULL, 0, false, out, DNS_REPLY_MIN), &r);
	check_int(r.question_len, DNS_QUESTION_MAX);
	for (size_t wire = 256; wire < 600; wire++) {
		if ((wire - 1) % 64 == 1)
			continue; /* would need an empty label */
		test_row("%zu", wire);
		m = long_query(wire);
		check_int(read_it(&m, &q), 1);
		check_int(q.rcode, DNS_FORMERR);
	}
}

static void long_labels(void)
{
	char name[66] = {63};
	struct dns_question q;
	struct message m;

	memset(name + 1, 'a', 64);
	name[64] = '\0';
	m = query(name, 65, DNS_TYPE_A, 1);
	check_int(read_it(&m, &q), 0);
	check_int(strlen(q.host), 63);
	name[0] = 64;
	name[64] = 'a';
	m = query(name, 66, DNS_TYPE_A, 1);
	check_int(read_it(&m, &q), 1);
	check_int(q.rcode, DNS_FORMERR);
}

static void pointers_are_never_followed(void)
{
	static const char *const rows[] = {
		"\xc0\x0c", "\xc0\x0d", "\xc0\x00", "\xff\xff", "\3foo\xc0\x0c", "\3foo\xc0\x10"};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct message m = query(rows[i], strlen(rows[i]) + (i == 2), DNS_TYPE_A, 1);
		struct dns_answer a = answer("11.1.2.3", 60);
		struct dns_question q;
		uint8_t out[512];
		struct reply r;

		test_row("%zu", i);
		check_int(read_it(&m, &q), 1);
		check_int(q.rcode, DNS_FORMERR);
		/* Nor is there anything that a record's name could point to. */
		parse(out, dns_write(&q, q.rcode, &a, 1, false, out, sizeof out), &r);
		check_int(r.flags, 0x8181);
		check_int(r.questions, 0);
		check_int(r.records, 0);
	}
}

/* Whatever comes, an answer can be read, fits, and is the asker's. */
static void answer_is_sound(const struct message *m, int r, const struct dns_question *q)
{
	struct dns_answer a = answer("11.1.2.3", 60);
	uint8_t out[512];
	struct reply reply;

	if (!check(r == 0 || r == 1) || !check((r == 0) == (q->host[0] != '\0')))
		return;
	if (!parse(out, dns_write(q, q->rcode, &a, r == 0, false, out, sizeof out), &reply))
		return;
	check_int(reply.id, number(m->bytes, 2));
	check_int(reply.flags & 15, q->rcode & 15);
	check_int(reply.flags & 0x7fb0, (number(m->bytes + 2, 2) & 0x7910) | 0x80);
	check_int(reply.records, r == 0);
	check(reply.questions == 0 ||
		memcmp(reply.question, m->bytes + HEADER, reply.question_len) == 0);
}

static void every_length(void)
{
	for (size_t len = 0; len < sizeof extended; len++) {
		struct message m = copy_of(extended, len);
		struct dns_question q = {.type = 4711};
		int r = read_it(&m, &q);

		test_row("%zu bytes", len);
		if (len < HEADER) {
			check_int(r, -EBADMSG);
			check_int(q.type, 4711);
			continue;
		}
		check_int(r, 1);
		check_int(q.rcode, DNS_FORMERR);
		check(q.edns == (len >= OPT_AT + 11));
		answer_is_sound(&m, r, &q);
	}
	for (size_t more = 1; more < 40; more++) {
		struct message m = copy_of(extended, sizeof extended);
		struct dns_question q;

		test_row("%zu bytes too many", more);
		m.len += more;
		check_int(read_it(&m, &q), 1);
		check_int(q.rcode, DNS_FORMERR);
	}
}

static void every_byte(void)
{
	for (size_t at = 0; at < sizeof extended; at++) {
		for (unsigned value = 0; value < 256; value++) {
			struct message m = copy_of(extended, sizeof extended);
			struct dns_question q = {0};
			int r;

			test_row("byte %zu is %u", at, value);
			m.bytes[at] = (uint8_t)value;
			r = read_it(&m, &q);
			if (m.bytes[2] & 0x80)
				check_int(r, -EBADMSG);
			else
				answer_is_sound(&m, r, &q);
		}
	}
}

static void errors_carry_opt(void)
{
	struct message m = copy_of(extended, sizeof extended);
	struct dns_question q;
	struct reply r;
	uint8_t out[512];

	m.bytes[OPT_AT + 6] = 7;
	check_int(read_it(&m, &q), 1);
	parse(out, dns_write(&q, q.rcode, NULL, 0, false, out, sizeof out), &r);
	check_int(r.flags, 0x8180);
	check_int(r.opt_code, 1);
	check_int(r.opt_version, 0);
	m = copy_of(extended, sizeof extended);
	m.bytes[OPT_AT + 14] = 9;
	check_int(read_it(&m, &q), 1);
	parse(out, dns_write(&q, q.rcode, NULL, 0, false, out, sizeof out), &r);
	check_int(r.flags, 0x8181);
	check(r.opt && r.questions == 1);
}

static void large_codes_need_opt(void)
{
	struct message m = copy_of(plain, sizeof plain);
	struct dns_question q;
	struct reply r;
	uint8_t out[512];

	check_int(read_it(&m, &q), 0);
	parse(out, dns_write(&q, DNS_BADVERS, NULL, 0, false, out, sizeof out), &r);
	check_int(r.flags & 15, DNS_SERVFAIL);
}

static void empty_answers(void)
{
	static const enum dns_rcode rows[] = {
		DNS_NOERROR, DNS_SERVFAIL, DNS_NXDOMAIN, DNS_NOTIMP, DNS_REFUSED};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct message m = QUERY("\3www\7example\3com");
		struct dns_question q;
		struct reply r;
		uint8_t out[512];

		test_row("%d", (int)rows[i]);
		check_int(read_it(&m, &q), 0);
		parse(out, dns_write(&q, rows[i], NULL, 0, false, out, sizeof out), &r);
		check_int(r.flags, 0x8180 | rows[i]);
		check_int(r.records, 0);
		check_int(r.questions, 1);
	}
}

/* How many of 64 records of 28 bytes an answer has. */
static void cut_answers(void)
{
	static const struct {
		const char *what;
		bool edns, tcp;
		size_t room;
		int records;
	} rows[] = {
		{"a plain datagram", false, false, 4096, 17},
		{"a large one", true, false, 4096, 42},
		{"a large one in little room", true, false, 300, 9},
		{"a stream", false, true, 4096, 64},
		{"a stream with EDNS", true, true, 4096, 64},
		{"a stream in little room", false, true, 100, 2},
		{"exactly one", false, false, sizeof(plain) + 28, 1},
		{"one byte too little for one", false, false, sizeof(plain) + 27, 0},
		{"exactly all", true, true, sizeof(plain) + 11 + 64 * 28, 64},
		{"one byte too little", true, true, sizeof(plain) + 10 + 64 * 28, 63},
	};
	struct dns_answer a[64];

	for (size_t i = 0; i < ARRAY_LEN(a); i++)
		a[i] = answer("3ffe::1", 1);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct message m = rows[i].edns ? copy_of(extended, sizeof extended)
						: copy_of(plain, sizeof plain);
		struct dns_question q;
		struct reply r;
		uint8_t out[4096];
		size_t len;

		test_row("%s", rows[i].what);
		check_int(read_it(&m, &q), 0);
		len = dns_write(&q, DNS_NOERROR, a, 64, rows[i].tcp, out, rows[i].room);
		check(len <= rows[i].room);
		parse(out, len, &r);
		check_int(r.records, rows[i].records);
		check_int(!!(r.flags & 0x200), rows[i].records < 64);
		check(r.opt == rows[i].edns);
	}
}

static void no_room_no_answer(void)
{
	struct message m = copy_of(extended, sizeof extended);
	size_t least = sizeof(plain) + 11;
	struct dns_question q;
	uint8_t out[64];

	check_int(read_it(&m, &q), 0);
	for (size_t room = 0; room < sizeof out; room++) {
		memset(out, 0xaa, sizeof out);
		test_row("%zu", room);
		check_int(dns_write(&q, DNS_NOERROR, NULL, 0, false, out, room),
			room < least ? 0 : least);
		for (size_t i = room < least ? 0 : least; i < sizeof out; i++)
			check_int(out[i], 0xaa);
	}
}

static void type_names(void)
{
	check_str(dns_type_name(DNS_TYPE_A), "A");
	check_str(dns_type_name(DNS_TYPE_AAAA), "AAAA");
	check_str(dns_type_name(DNS_TYPE_HTTPS), "HTTPS");
	check_str(dns_type_name(DNS_TYPE_ANY), "ANY");
	check(!dns_type_name(0));
	check(!dns_type_name(65535));
}

static const struct test tests[] = {
	{"a plain question", a_plain_question},
	{"a plain answer", a_plain_answer},
	{"extensions and letter case", extensions_and_letter_case},
	{"what the asker takes", what_the_asker_takes},
	{"wrong headers", wrong_headers},
	{"hosts, and names that are none", hosts},
	{"long names", long_names},
	{"long labels", long_labels},
	{"pointers are never followed", pointers_are_never_followed},
	{"every length", every_length},
	{"every byte", every_byte},
	{"errors carry OPT", errors_carry_opt},
	{"large codes need OPT", large_codes_need_opt},
	{"empty answers", empty_answers},
	{"cut answers", cut_answers},
	{"no room, no answer", no_room_no_answer},
	{"type names", type_names},
};
TEST_MAIN(tests)
