/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/hello.h"

#include "base/macro.h"
#include "test.h"

#define L9 "abcdefgh."
#define L63 L9 L9 L9 L9 L9 L9 L9

struct bytes {
	size_t len;
	uint8_t data[512 * 1024];
};

/* A text of bytes with its length. */
#define B(text) text, sizeof(text) - 1

static void put(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put_number(struct bytes *b, size_t size, size_t value)
{
	while (size-- > 0)
		b->data[b->len++] = (uint8_t)(value >> 8 * size);
}

static void put_extension(struct bytes *b, unsigned type, const void *data, size_t len)
{
	put_number(b, 2, type);
	put_number(b, 2, len);
	put(b, data, len);
}

static void put_name(struct bytes *b, const void *name, size_t len)
{
	put_number(b, 2, 0);
	put_number(b, 2, len + 5);
	put_number(b, 2, len + 3);
	put_number(b, 1, 0);
	put_number(b, 2, len);
	put(b, name, len);
}

/* What real clients send around the name, values without meaning included. */
static void put_others(struct bytes *b)
{
	static const uint8_t ticket[100];

	put_extension(b, 0x2a2a, "", 0);
	put_extension(b, 0x0017, "", 0);
	put_extension(b, 0x002b, B("\x06\x7a\x7a\x03\x04\x03\x03"));
	put_extension(b, 0x0023, ticket, sizeof(ticket));
	put_extension(b, 0x0010, B("\0\x0c\x02h2\x08http/1.1"));
	put_extension(b, 0x002a, "", 0);
	put_extension(b, 0xbaba, "\0", 1);
}

/* The message: session of 32 bytes, 3 cipher suites, 1 compression; NULL: without extensions. */
enum { AT_VERSION = 4, AT_SESSION = 38, AT_SUITES = 71, AT_METHODS = 79, AT_EXTENSIONS = 81 };
static void put_message(struct bytes *b, const struct bytes *extensions)
{
	static const uint8_t fill[32] = {1, 2, 3};

	put_number(b, 1, 1);
	put_number(b, 3, AT_EXTENSIONS - 4 + (extensions ? 2 + extensions->len : 0));
	put_number(b, 2, 0x0303);
	put(b, fill, sizeof(fill));
	put_number(b, 1, 32);
	put(b, fill, sizeof(fill));
	put_number(b, 2, 6);
	put(b, B("\x8a\x8a\x13\x01\xc0\x2f"));
	put(b, B("\x01\0"));
	if (!extensions)
		return;
	put_number(b, 2, extensions->len);
	put(b, extensions->data, extensions->len);
}

static void put_record(struct bytes *b, unsigned type, const void *data, size_t len)
{
	put_number(b, 1, type);
	put_number(b, 2, 0x0301);
	put_number(b, 2, len);
	put(b, data, len);
}

/* In records of so many bytes. */
static void put_records(struct bytes *b, const struct bytes *message, size_t size)
{
	for (size_t at = 0; at < message->len; at += size)
		put_record(b, 22, message->data + at,
			message->len - at < size ? message->len - at : size);
}

static struct bytes extensions, message, wire;

static void clear(void)
{
	extensions.len = message.len = wire.len = 0;
}

static void make_hello(const void *name, size_t len, size_t record)
{
	clear();
	put_others(&extensions);
	put_name(&extensions, name, len);
	put_extension(&extensions, 0x0015, "\0\0\0", 3);
	put_message(&message, &extensions);
	put_records(&wire, &message, record);
}

static struct hello feed(const struct bytes *b, size_t piece)
{
	struct hello h = {0};

	for (size_t at = 0; at < b->len; at += piece)
		hello_feed(&h, b->data + at, b->len - at < piece ? b->len - at : piece);
	return h;
}

static bool same(const struct hello *a, const struct hello *b)
{
	return a->state == b->state && a->why == b->why && a->used == b->used && a->ech == b->ech &&
	       (a->state != HELLO_NAMED || strcmp(a->host, b->host) == 0);
}

static void check_refused(enum hello_why why)
{
	struct hello h = feed(&wire, wire.len), slow = feed(&wire, 1);

	check_int(h.state, HELLO_REFUSED);
	check_str(hello_why_text(h.why), hello_why_text(why));
	check_str(h.host, "");
	check(same(&h, &slow));
}

static void check_named(const char *host, size_t used)
{
	struct hello h = feed(&wire, wire.len), slow = feed(&wire, 1);

	check_int(h.state, HELLO_NAMED);
	check_str(hello_why_text(h.why), "");
	check_str(h.host, host);
	check_u64(h.used, used);
	check(same(&h, &slow));
}

static void names_are_found_in_one_form(void)
{
	static const struct {
		const char *name, *host;
	} rows[] = {
		{"example.com", "example.com"},
		{"WWW.Example.COM", "www.example.com"},
		{"example.com.", "example.com"},
		{"_a.b_c.example", "_a.b_c.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},
		{"localhost", "localhost"},
		{"127.0.0.1.nip.io", "127.0.0.1.nip.io"},
		{L63 L63 L63 L63 "a", L63 L63 L63 L63 "a"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%s", rows[i].name);
		make_hello(rows[i].name, strlen(rows[i].name), 16384);
		check_named(rows[i].host, wire.len);
	}
}

static void names_that_are_none_are_refused(void)
{
	static const struct {
		const char *name;
		size_t len;
		enum hello_why why;
	} rows[] = {
		{B(""), HELLO_WHY_NAME},
		{B("."), HELLO_WHY_NAME},
		{B("a..b"), HELLO_WHY_NAME},
		{B("example.com\0"), HELLO_WHY_NAME},
		{B("good.test\0.evil.test"), HELLO_WHY_NAME},
		{B("\0"), HELLO_WHY_NAME},
		{B("ex ample.com"), HELLO_WHY_NAME},
		{B("example.com:443"), HELLO_WHY_NAME},
		{B("b\xc3\xbc.example"), HELLO_WHY_NAME},
		{B("*.example.com"), HELLO_WHY_NAME},
		{B("a/b"), HELLO_WHY_NAME},
		{B("2130706433"), HELLO_WHY_NAME},
		{B("0x7f.1"), HELLO_WHY_NAME},
		{B("127.0.0.1."), HELLO_WHY_NAME},
		{B("[::1]"), HELLO_WHY_NAME},
		{B("127.0.0.1"), HELLO_WHY_ADDRESS},
		{B("::1"), HELLO_WHY_ADDRESS},
		{B("2001:db8::1"), HELLO_WHY_ADDRESS},
		{B("::ffff:192.0.2.1"), HELLO_WHY_ADDRESS},
		{B(L63 L63 L63 L63 "ab"), HELLO_WHY_NAME},
		{B(L63 L63 L63 L63 L63), HELLO_WHY_NAME},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%zu: %s", i, rows[i].name);
		make_hello(rows[i].name, rows[i].len, 16384);
		check_refused(rows[i].why);
	}
}

/* Only the name extension's bytes differ; they are the last of the message. */
static void odd_name_extensions_are_refused(void)
{
	static const struct {
		const char *data;
		size_t len;
		enum hello_why why;
	} rows[] = {
		{B(""), HELLO_WHY_MALFORMED},
		{B("\0\0"), HELLO_WHY_MALFORMED},
		{B("\0\4\0\0\1"), HELLO_WHY_MALFORMED},
		{B("\0\3\0\0\0"), HELLO_WHY_NAME},
		{B("\0\4\0\0\2a"), HELLO_WHY_MALFORMED},
		{B("\0\4\0\0\1ab"), HELLO_WHY_MALFORMED},
		{B("\0\5\0\0\1a"), HELLO_WHY_MALFORMED},
		{B("\0\3\0\0\1a"), HELLO_WHY_MALFORMED},
		{B("\0\4\1\0\1a"), HELLO_WHY_KIND},
		{B("\0\4\xff\0\1a"), HELLO_WHY_KIND},
		{B("\0\x08\0\0\1a\0\0\1b"), HELLO_WHY_TWO_NAMES},
		{B("\0\x08\0\0\1a\1\0\1b"), HELLO_WHY_TWO_NAMES},
		{B("\0\x08\1\0\1a\0\0\1b"), HELLO_WHY_KIND},
		{B("\0\5\0\0\1a\0"), HELLO_WHY_TWO_NAMES},
		{B("\0\4\0\xff\xff"
		   "a"),
			HELLO_WHY_MALFORMED},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("%zu", i);
		clear();
		put_others(&extensions);
		put_extension(&extensions, 0, rows[i].data, rows[i].len);
		put_message(&message, &extensions);
		put_records(&wire, &message, 16384);
		check_refused(rows[i].why);
	}
}

static void a_second_name_is_refused(void)
{
	clear();
	put_name(&extensions, B("good.test"));
	put_others(&extensions);
	put_name(&extensions, B("good.test"));
	put_message(&message, &extensions);
	put_records(&wire, &message, 16384);
	check_refused(HELLO_WHY_TWO_NAMES);
}

/* One byte of a good hello in one record is changed. */
static void malformed_hellos_are_refused(void)
{
	enum { M = 5, FIRST = M + AT_EXTENSIONS + 2 };
	static const struct {
		size_t at;
		uint8_t value;
		enum hello_why why;
	} rows[] = {
		{0, 'G', HELLO_WHY_NO_TLS},
		{0, 0, HELLO_WHY_NO_TLS},
		{0, 20, HELLO_WHY_NO_TLS},
		{0, 21, HELLO_WHY_NO_TLS},
		{0, 23, HELLO_WHY_NO_TLS},
		{0, 0x80, HELLO_WHY_SSL2},
		{1, 2, HELLO_WHY_NO_TLS},
		{1, 4, HELLO_WHY_NO_TLS},
		{2, 0, HELLO_WHY_VERSION},
		{2, 5, HELLO_WHY_VERSION},
		{3, 0x41, HELLO_WHY_RECORD},
		{3, 0xff, HELLO_WHY_RECORD},
		{M, 0, HELLO_WHY_NO_HELLO},
		{M, 2, HELLO_WHY_NO_HELLO},
		{M + 1, 0xff, HELLO_WHY_LONG},
		{M + 1, 1, HELLO_WHY_LONG},
		{M + 2, 0, HELLO_WHY_MALFORMED},
		{M + AT_VERSION, 2, HELLO_WHY_VERSION},
		{M + AT_VERSION + 1, 0, HELLO_WHY_VERSION},
		{M + AT_SESSION, 33, HELLO_WHY_MALFORMED},
		{M + AT_SESSION, 255, HELLO_WHY_MALFORMED},
		{M + AT_SUITES, 0xff, HELLO_WHY_MALFORMED},
		{M + AT_SUITES + 1, 0, HELLO_WHY_MALFORMED},
		{M + AT_SUITES + 1, 5, HELLO_WHY_MALFORMED},
		{M + AT_METHODS, 0, HELLO_WHY_MALFORMED},
		{M + AT_METHODS, 255, HELLO_WHY_MALFORMED},
		{M + AT_EXTENSIONS, 0xff, HELLO_WHY_MALFORMED},
		{M + AT_EXTENSIONS + 1, 0, HELLO_WHY_MALFORMED},
		{FIRST + 2, 0xff, HELLO_WHY_MALFORMED},
		{FIRST + 3, 1, HELLO_WHY_MALFORMED},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		test_row("byte %zu = %u", rows[i].at, rows[i].value);
		make_hello(B("example.com"), 16384);
		check(wire.data[rows[i].at] != rows[i].value);
		wire.data[rows[i].at] = rows[i].value;
		if (rows[i].value == 0x80)
			wire.data[2] = 1;
		check_refused(rows[i].why);
	}
}

static void versions_of_records_and_hello(void)
{
	for (uint8_t v = 1; v <= 4; v++) {
		make_hello(B("example.com"), 16384);
		wire.data[2] = wire.data[5 + AT_VERSION + 1] = v;
		check_named("example.com", wire.len);
	}
}

static void a_hello_without_a_name(void)
{
	for (int with = 0; with < 3; with++) {
		struct hello h;

		test_row("%d", with);
		clear();
		if (with == 2)
			put_others(&extensions);
		put_message(&message, with ? &extensions : NULL);
		put_records(&wire, &message, 16384);
		h = feed(&wire, wire.len);
		check_int(h.state, HELLO_NAMELESS);
		check_int(h.why, HELLO_WHY_NO_NAME);
		check_u64(h.used, wire.len);
		check(!h.ech);
		check_str(h.host, "");
	}
}

static void encrypted_hellos_are_reported(void)
{
	clear();
	put_extension(&extensions, 0xfe0d, B("\0\0\1\0\1\x2a\0\0\0\0"));
	put_name(&extensions, B("outer.test"));
	put_message(&message, &extensions);
	put_records(&wire, &message, 16384);
	check_named("outer.test", wire.len);
	check(feed(&wire, 7).ech);
	make_hello(B("example.com"), 16384);
	check(!feed(&wire, 7).ech);
}

static void records_may_cut_anywhere(void)
{
	make_hello(B("example.com"), 16384);
	for (size_t size = 1, whole = message.len; size <= whole; size++) {
		test_row("records of %zu", size);
		make_hello(B("example.com"), size);
		check_named("example.com", wire.len);
	}
}

static void pieces_may_cut_anywhere(void)
{
	make_hello(B("example.com"), 100);
	put(&wire, B("early data, which is not looked at"));
	for (size_t cut = 0; cut <= wire.len; cut++) {
		struct hello h = {0}, whole = feed(&wire, wire.len);

		test_row("cut at %zu", cut);
		hello_feed(&h, wire.data, cut);
		hello_feed(&h, wire.data + cut, wire.len - cut);
		check_int(h.state, HELLO_NAMED);
		check(same(&h, &whole));
	}
}

static void no_beginning_has_an_answer(void)
{
	make_hello(B("example.com"), 50);
	for (size_t len = 0; len < wire.len; len++) {
		struct hello h = {0};

		test_row("%zu bytes", len);
		check_int(hello_feed(&h, wire.data, len), HELLO_MORE);
		check_u64(h.used, len);
	}
}

static void what_follows_does_not_belong_to_it(void)
{
	size_t used;

	make_hello(B("example.com"), 16384);
	used = wire.len;
	put_record(&wire, 20, "\1", 1);
	put_record(&wire, 23, "secret", 6);
	check_named("example.com", used);

	/* Another message in the same record is no part of a hello. */
	make_hello(B("example.com"), 16384);
	put(&message, "\0", 1);
	wire.len = 0;
	put_records(&wire, &message, 16384);
	check_refused(HELLO_WHY_BEHIND);
}

static void other_records_in_the_middle_are_refused(void)
{
	for (unsigned type = 0; type < 256; type++) {
		test_row("type %u", type);
		make_hello(B("example.com"), 16384);
		wire.len = 0;
		put_record(&wire, 22, message.data, 20);
		put_record(&wire, type, message.data + 20, message.len - 20);
		if (type == 22)
			check_named("example.com", wire.len);
		else
			check_refused(HELLO_WHY_TYPE);
	}
}

static void few_empty_records_are_taken(void)
{
	for (size_t count = 0; count < 20; count++) {
		test_row("%zu", count);
		make_hello(B("example.com"), 16384);
		wire.len = 0;
		put_record(&wire, 22, message.data, 20);
		for (size_t i = 0; i < count; i++)
			put_record(&wire, 22, "", 0);
		put_record(&wire, 22, message.data + 20, message.len - 20);
		if (count <= 8)
			check_named("example.com", wire.len);
		else
			check_refused(HELLO_WHY_EMPTY);
	}
}

/* A hello whose records take so many bytes; ended by a name, so all of it has to be read. */
static void make_long(size_t len, size_t record)
{
	static const uint8_t fill[65536];
	size_t records = (len + record + 4) / (record + 5);
	size_t rest = 18; /* the name extension */

	clear();
	put_extension(&extensions, 0x0015, fill, len - records * 5 - AT_EXTENSIONS - 2 - 4 - rest);
	put_name(&extensions, B("last.test"));
	put_message(&message, &extensions);
	put_records(&wire, &message, record);
	check_u64(wire.len, len);
}

static void long_hellos_are_taken_up_to_the_limit(void)
{
	make_long(20000, 16384);
	check_named("last.test", wire.len);
	make_long(HELLO_MAX, 16384);
	check_named("last.test", wire.len);
	make_long(HELLO_MAX + 1, 16384);
	check_refused(HELLO_WHY_LONG);
	make_long(HELLO_MAX - HELLO_MAX % 6, 1);
	check_named("last.test", wire.len);
	make_long(HELLO_MAX - HELLO_MAX % 6 + 6, 1);
	check_refused(HELLO_WHY_LONG);
}

static void an_answer_stays(void)
{
	struct hello h;

	make_hello(B("example.com"), 16384);
	h = feed(&wire, wire.len);
	check_int(hello_feed(&h, wire.data, wire.len), HELLO_NAMED);
	check_u64(h.used, wire.len);
	h = (struct hello){0};
	check_int(hello_feed(&h, (const uint8_t *)"GET", 3), HELLO_REFUSED);
	check_int(hello_feed(&h, wire.data, wire.len), HELLO_REFUSED);
	check_int(h.why, HELLO_WHY_NO_TLS);
}

static void other_protocols_are_told_at_once(void)
{
	static const char *const texts[] = {
		"GET / HTTP/1.1\r\n", "SSH-2.0-x\r\n", "\n", "PRI * HTTP/2.0\r\n"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct hello h = {0};

		test_row("%s", texts[i]);
		check_int(hello_feed(&h, (const uint8_t *)texts[i], 1), HELLO_REFUSED);
		check_int(h.why, HELLO_WHY_NO_TLS);
	}
}

static void every_reason_has_its_own_text(void)
{
	for (int i = 0; i < HELLO_WHY_COUNT; i++)
		for (int k = 0; k < i; k++)
			check(strcmp(hello_why_text((enum hello_why)i),
				      hello_why_text((enum hello_why)k)) != 0);
}

static void alerts_are_whole_records(void)
{
	check(memcmp(hello_alert_denied, "\x15\3\3\0\2\2\x31", HELLO_ALERT_LEN) == 0);
	check(memcmp(hello_alert_unnamed, "\x15\3\3\0\2\2\x70", HELLO_ALERT_LEN) == 0);
}

static const struct test tests[] = {
	{"names are found, in one form", names_are_found_in_one_form},
	{"names that are none are refused", names_that_are_none_are_refused},
	{"odd name extensions are refused", odd_name_extensions_are_refused},
	{"a second name is refused", a_second_name_is_refused},
	{"malformed hellos are refused", malformed_hellos_are_refused},
	{"versions of records and hello", versions_of_records_and_hello},
	{"a hello without a name", a_hello_without_a_name},
	{"encrypted hellos are reported", encrypted_hellos_are_reported},
	{"records may cut anywhere", records_may_cut_anywhere},
	{"pieces may cut anywhere", pieces_may_cut_anywhere},
	{"no beginning has an answer", no_beginning_has_an_answer},
	{"what follows does not belong to it", what_follows_does_not_belong_to_it},
	{"other records in the middle are refused", other_records_in_the_middle_are_refused},
	{"few empty records are taken", few_empty_records_are_taken},
	{"long hellos are taken up to the limit", long_hellos_are_taken_up_to_the_limit},
	{"an answer stays", an_answer_stays},
	{"other protocols are told at once", other_protocols_are_told_at_once},
	{"every reason has its own text", every_reason_has_its_own_text},
	{"alerts are whole records", alerts_are_whole_records},
};
TEST_MAIN(tests)
