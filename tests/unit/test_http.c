/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/http.h"

#include "base/macro.h"
#include "test.h"

/* A text of bytes with its length. */
#define B(text) text, sizeof(text) - 1

#define GET(host) "GET / HTTP/1.1\r\nHost: " host "\r\n\r\n"
#define POST "POST / HTTP/1.1\r\nHost: a.test\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define LAST "0\r\n\r\n"
#define SOCKET \
	"GET /chat HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

/* What a relay does with a connection, and what became of it. */
struct relay {
	struct http_reader reader;
	bool switches; /* what the server answers to upgrades */
	uint8_t kept[2 * HTTP_HEAD_MAX];
	size_t len;
	size_t passed;
	bool refused;
	char requests[4096]; /* "GET a.test, POST b.test" */
};

static void start(struct relay *p, bool switches)
{
	http_init(&p->reader, 80);
	p->switches = switches;
	p->len = p->passed = 0;
	p->refused = false;
	p->requests[0] = '\0';
}

static void note_request(struct relay *p, const struct http_request *r)
{
	size_t len = strlen(p->requests);
	char addr[NETADDR_TEXT];

	check_int(r->target.port, 80);
	if (r->target.is_addr)
		netaddr_text(&r->target.addr, addr);
	snprintf(p->requests + len, sizeof(p->requests) - len, "%s%s %s%s", len ? ", " : "",
		r->method, r->target.is_addr ? addr : r->target.host, r->upgrade ? " upgrade" : "");
}

static void pass(struct relay *p, size_t n)
{
	check(n <= p->len);
	memmove(p->kept, p->kept + n, p->len - n);
	p->len -= n;
	p->passed += n;
}

static void come(struct relay *p, const void *bytes, size_t len)
{
	struct http_request request;
	enum http_answer answer;
	size_t n;

	memcpy(p->kept + p->len, bytes, len);
	p->len += len;
	while ((answer = http_feed(&p->reader, p->kept, p->len, &n, &request)) != HTTP_MORE) {
		if (answer == HTTP_REFUSED) {
			p->refused = true;
			check_u64(n, 0);
			return;
		}
		check(n > 0);
		if (answer == HTTP_REQUEST)
			note_request(p, &request);
		pass(p, n);
		if (p->reader.state == HTTP_SWITCHING) {
			check_int(http_feed(&p->reader, p->kept, p->len, &n, &request), HTTP_MORE);
			http_switched(&p->reader, p->switches);
		}
	}
	check_u64(n, 0);
}

static void check_same(const struct relay *a, const struct relay *b)
{
	check_str(a->requests, b->requests);
	check_u64(a->passed, b->passed);
	check_int(a->refused, b->refused);
	check_str(http_why_text(a->reader.why), http_why_text(b->reader.why));
}

/* In one piece, in single bytes, and in two pieces cut everywhere. */
static struct relay whole, cut;
static void run(const char *text, size_t len, bool switches)
{
	start(&whole, switches);
	come(&whole, text, len);
	start(&cut, switches);
	for (size_t i = 0; i < len; i++)
		come(&cut, text + i, 1);
	check_same(&whole, &cut);
	for (size_t at = 1; at < len; at++) {
		start(&cut, switches);
		come(&cut, text, at);
		/* What a beginning lets go the whole lets go as well. */
		check(cut.passed <= whole.passed);
		check(strncmp(cut.requests, whole.requests, strlen(cut.requests)) == 0);
		check(!cut.refused || whole.refused);
		come(&cut, text + at, len - at);
		check_same(&whole, &cut);
	}
}

static const struct good {
	const char *text;
	size_t len;
	const char *requests;
} good[] = {
	{B(""), ""},
	{B(GET("a.test")), "GET a.test"},
	{B(GET("A.Test.:80")), "GET a.test"},
	{B("\r\n" GET("a.test")), "GET a.test"},
	{B(GET("192.0.2.7")), "GET 192.0.2.7"},
	{B(GET("[2001:DB8::1]:80")), "GET 2001:db8::1"},
	{B("GET / HTTP/1.0\r\nhOST:\t a.test \t\r\n\r\n"), "GET a.test"},
	{B("GET / HTTP/1.1\r\nHost:a.test\r\n\r\n"), "GET a.test"},
	{B("GET http://a.test HTTP/1.1\r\nHost: a.test\r\n\r\n"), "GET a.test"},
	{B("GET HTTP://A.test:80/b?c=http://d/ HTTP/1.1\r\nHost: a.test\r\n\r\n"), "GET a.test"},
	{B("GET http://[::1]/ HTTP/1.1\r\nHost: [0:0::1]\r\n\r\n"), "GET ::1"},
	{B("OPTIONS * HTTP/1.1\r\nHost: a.test\r\n\r\n"), "OPTIONS a.test"},
	{B("GET //b.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"), "GET a.test"},
	{B("GET / HTTP/1.1\r\nX-Caf\xc3\xa9: 1\r\n"), ""}, /* not complete: not judged */
	{B("GET / HTTP/1.1\r\nHost: a.test\r\nX: caf\xc3\xa9\r\nY:\r\n\r\n"), "GET a.test"},
	{B("GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade-Insecure-Requests: 1\r\n\r\n"), "GET a.test"},
	{B("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: keep-alive, x-host\r\n\r\n"),
		"GET a.test"},
	/* One after the other. */
	{B(GET("a.test") GET("b.test") GET("c.test")), "GET a.test, GET b.test, GET c.test"},
	{B(GET("a.test") "\r\n" GET("b.test")), "GET a.test, GET b.test"},
	{B("HEAD / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 0\r\n\r\n" GET("b.test")),
		"HEAD a.test, GET b.test"},
	/* Bodies, with something like a head in them. */
	{B(POST "Content-Length: 5\r\n\r\nhello" GET("b.test")), "POST a.test, GET b.test"},
	{B(POST "Content-Length: 37\r\n\r\n" GET("evil.test") "12" GET("b.test")),
		"POST a.test, GET b.test"},
	{B(POST "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n\n" GET("b.test")),
		"POST a.test, GET b.test"},
	{B(CHUNKED LAST GET("b.test")), "POST a.test, GET b.test"},
	{B(CHUNKED "5\r\nhello\r\nA;x=\"y\"\r\n0123456789\r\n00" LAST GET("b.test")),
		"POST a.test, GET b.test"},
	{B(CHUNKED "23\r\n" GET("evil.test") "\r\n" LAST GET("b.test")), "POST a.test, GET b.test"},
	{B(CHUNKED "5\r\n0\r\n\r\n\r\n" LAST GET("b.test")), "POST a.test, GET b.test"},
	{B(CHUNKED "0\r\nX: 1\r\nChecksum: abc\r\n\r\n" GET("b.test")), "POST a.test, GET b.test"},
	{B(CHUNKED "1\r\na\r\n0;last\r\n\r\n\r\n" GET("b.test")), "POST a.test, GET b.test"},
};

static void good_requests_go_on(void)
{
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		test_row("%s", good[i].text);
		run(good[i].text, good[i].len, false);
		check(!whole.refused);
		check_str(whole.requests, good[i].requests);
		check_u64(whole.passed + whole.len, good[i].len);
		check(whole.len == 0 || good[i].requests[0] == '\0');
	}
}

/* Nothing of a head goes before its last byte has come. */
static void heads_wait_until_they_are_complete(void)
{
	static const char text[] = "\r\n" GET("a.test") GET("b.test");
	size_t first = sizeof("\r\n" GET("a.test")) - 1;

	for (size_t len = 0; len < sizeof(text); len++) {
		test_row("%zu", len);
		start(&whole, false);
		come(&whole, text, len);
		check(!whole.refused);
		check_u64(whole.passed, len == sizeof(text) - 1 ? len : len >= first ? first : 0);
	}
}

static void refused(const char *text, size_t len, const char *requests, enum http_why why)
{
	test_row("%s", text);
	run(text, len, false);
	check(whole.refused);
	check_str(http_why_text(whole.reader.why), http_why_text(why));
	check_str(whole.requests, requests);
}

struct bad {
	const char *text;
	size_t len;
	enum http_why why;
};

/* Each is refused alone, and behind another request. */
static void refused_all(const struct bad *rows, size_t count)
{
	static char text[4096];
	size_t front = strlen(GET("a.test"));

	for (size_t i = 0; i < count; i++) {
		refused(rows[i].text, rows[i].len, "", rows[i].why);
		check_u64(whole.passed, 0);
		memcpy(text, GET("a.test"), front);
		memcpy(text + front, rows[i].text, rows[i].len);
		text[front + rows[i].len] = '\0';
		refused(text, front + rows[i].len, "GET a.test", rows[i].why);
		check_u64(whole.passed, front);
	}
}

static void odd_lines_are_refused(void)
{
	static const struct bad rows[] = {
		{B("GET / HTTP/1.1\nHost: a.test\r\n\r\n"), HTTP_WHY_BARE},
		{B("GET / HTTP/1.1\r\nHost: a.test\n\r\n"), HTTP_WHY_BARE},
		{B("GET / HTTP/1.1\r\nHost: a.test\r\n\n"), HTTP_WHY_BARE},
		{B("GET / HTTP/1.1\rHost: a.test\r\n\r\n"), HTTP_WHY_BARE},
		{B("GET / HTTP/1.1\r\nX: a\rHost: b.test\r\n\r\n"), HTTP_WHY_BARE},
		{B("GET / HTTP/1.1\r\nHost: a.test\r\r\n\r\n"), HTTP_WHY_BARE},
		{B("\nGET / HTTP/1.1\r\n"), HTTP_WHY_BARE},
		{B("\r\n\r\n" GET("a.test")), HTTP_WHY_LEADING},
		{B("GET / HTTP/1.1\r\nHost:\r\n a.test\r\n\r\n"), HTTP_WHY_FOLD},
		{B("GET / HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n\tHost: b.test\r\n\r\n"),
			HTTP_WHY_FOLD},
		{B("GET / HTTP/1.1\r\n Host: a.test\r\n\r\n"), HTTP_WHY_FOLD},
		{B(" GET / HTTP/1.1\r\n"), HTTP_WHY_FOLD},
		{B("GET / HTTP/1.1\r\nHost: a.test\0\r\n\r\n"), HTTP_WHY_CONTROL},
		{B("GET /\0 HTTP/1.1\r\n"), HTTP_WHY_CONTROL},
		{B("GET / HTTP/1.1\r\nX: \x0b\r\n"), HTTP_WHY_CONTROL},
		{B("GET / HTTP/1.1\r\nX: \x7f\r\n"), HTTP_WHY_CONTROL},
		{B("\x16\x03\x01\x02"), HTTP_WHY_CONTROL},
	};

	refused_all(rows, ARRAY_LEN(rows));
}

#define FIRST(line) line "\r\nHost: a.test\r\n\r\n"
static void odd_request_lines_are_refused(void)
{
	static const struct bad rows[] = {
		{B(FIRST("GET")), HTTP_WHY_LINE},
		{B(FIRST("GET /")), HTTP_WHY_LINE},
		{B(FIRST("GET  / HTTP/1.1")), HTTP_WHY_LINE},
		{B(FIRST("GET /  HTTP/1.1")), HTTP_WHY_LINE},
		{B(FIRST("GET / b HTTP/1.1")), HTTP_WHY_LINE},
		{B(FIRST("GET\t/ HTTP/1.1")), HTTP_WHY_LINE},
		{B(FIRST("GET / HTTP/1.1 ")), HTTP_WHY_VERSION},
		{B(FIRST("GET / http/1.1")), HTTP_WHY_VERSION},
		{B(FIRST("GET / HTTP/1.2")), HTTP_WHY_VERSION},
		{B(FIRST("GET / HTTP/1.10")), HTTP_WHY_VERSION},
		{B(FIRST("GET / HTTP/0.9")), HTTP_WHY_VERSION},
		{B(FIRST("GET / HTTP/3")), HTTP_WHY_VERSION},
		{B("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), HTTP_WHY_TWO},
		{B(FIRST("GET / HTTP/2")), HTTP_WHY_TWO},
		{B(FIRST("G(T / HTTP/1.1")), HTTP_WHY_LINE},
		{B(FIRST("G\xc3\x89T / HTTP/1.1")), HTTP_WHY_LINE},
		{B(FIRST("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEF / HTTP/1.1")), HTTP_WHY_LINE},
		{B("SSH-2.0-OpenSSH_9.2\r\n\r\n"), HTTP_WHY_LINE},
		{B(FIRST("CONNECT a.test:443 HTTP/1.1")), HTTP_WHY_CONNECT},
		{B(FIRST("connect / HTTP/1.1")), HTTP_WHY_CONNECT},
		{B(FIRST("GET * HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET a.test HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET ?a HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET \\ HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET /\xff HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET /#a HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET /a\tb HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET https://a.test/ HTTP/1.1")), HTTP_WHY_SCHEME},
		{B(FIRST("GET ftp://a.test/ HTTP/1.1")), HTTP_WHY_SCHEME},
		{B(FIRST("GET a.test:80 HTTP/1.1")), HTTP_WHY_SCHEME},
		{B(FIRST("GET http:/a.test/ HTTP/1.1")), HTTP_WHY_SCHEME},
		{B(FIRST("GET http:///a.test/ HTTP/1.1")), HTTP_WHY_HOST},
		{B(FIRST("GET http://a.test?b HTTP/1.1")), HTTP_WHY_HOST},
		{B(FIRST("GET http://a.test\\b HTTP/1.1")), HTTP_WHY_HOST},
		{B(FIRST("GET http://%61.test/ HTTP/1.1")), HTTP_WHY_HOST},
		{B(FIRST("GET http://a.test#@b.test/ HTTP/1.1")), HTTP_WHY_TARGET},
		{B(FIRST("GET http://a.test?@b.test/ HTTP/1.1")), HTTP_WHY_USER},
		{B(FIRST("GET http://a.test@b.test/ HTTP/1.1")), HTTP_WHY_USER},
		{B(FIRST("GET http://user:word@a.test/ HTTP/1.1")), HTTP_WHY_USER},
		{B(FIRST("GET http://b.test/ HTTP/1.1")), HTTP_WHY_OTHER_HOST},
		{B(FIRST("GET http://127.0.0.1/ HTTP/1.1")), HTTP_WHY_OTHER_HOST},
		{B(FIRST("GET http://a.test:8080/ HTTP/1.1")), HTTP_WHY_PORT},
	};

	refused_all(rows, ARRAY_LEN(rows));
}

#define FIELDS(fields) "POST / HTTP/1.1\r\n" fields "\r\n\r\n"
static void odd_hosts_are_refused(void)
{
	static const struct bad rows[] = {
		{B("GET / HTTP/1.1\r\n\r\n"), HTTP_WHY_NO_HOST},
		{B("GET / HTTP/1.0\r\n\r\n"), HTTP_WHY_NO_HOST},
		{B("GET http://a.test/ HTTP/1.1\r\n\r\n"), HTTP_WHY_NO_HOST},
		{B(FIELDS("X-Host: a.test")), HTTP_WHY_NO_HOST},
		{B(FIELDS("Host: a.test\r\nHost: a.test")), HTTP_WHY_TWO_HOSTS},
		{B(FIELDS("Host: a.test\r\nhOsT: b.test")), HTTP_WHY_TWO_HOSTS},
		{B(FIELDS("Host : a.test")), HTTP_WHY_BLANK},
		{B(FIELDS("Host\t: a.test")), HTTP_WHY_BLANK},
		{B(FIELDS("Host: a.test\r\nHost : b.test")), HTTP_WHY_BLANK},
		{B(FIELDS("Host:")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a.test, b.test")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a.test b.test")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a.test/")), HTTP_WHY_HOST},
		{B(FIELDS("Host: http://a.test")), HTTP_WHY_HOST},
		{B(FIELDS("Host: *.test")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a..test")), HTTP_WHY_HOST},
		{B(FIELDS("Host: \xc3\xa1.test")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a%2etest")), HTTP_WHY_HOST},
		{B(FIELDS("Host: 2130706433")), HTTP_WHY_HOST},
		{B(FIELDS("Host: 0177.0.0.1")), HTTP_WHY_HOST},
		{B(FIELDS("Host: 0x7f.0.0.1")), HTTP_WHY_HOST},
		{B(FIELDS("Host: 127.1")), HTTP_WHY_HOST},
		{B(FIELDS("Host: ::1")), HTTP_WHY_HOST},
		{B(FIELDS("Host: [fe80::1%25lo]")), HTTP_WHY_HOST},
		{B(FIELDS("Host: 10.0.0.0/8")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a.test:")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a.test:080")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a.test:80:80")), HTTP_WHY_HOST},
		{B(FIELDS("Host: a.test:8080")), HTTP_WHY_PORT},
		{B(FIELDS("Host: a.test:443")), HTTP_WHY_PORT},
		{B(FIELDS("Host: a.test@b.test")), HTTP_WHY_USER},
		{B(FIELDS("Host: a.test:80@b.test")), HTTP_WHY_USER},
	};

	refused_all(rows, ARRAY_LEN(rows));
}

#define A_FIELDS(fields) FIELDS("Host: a.test\r\n" fields)
static void odd_fields_are_refused(void)
{
	static const struct bad rows[] = {
		{B(A_FIELDS("X")), HTTP_WHY_FIELD},
		{B(A_FIELDS(": x")), HTTP_WHY_FIELD},
		{B(A_FIELDS("X Y: x")), HTTP_WHY_FIELD},
		{B(A_FIELDS("X\xc3\xa1: x")), HTTP_WHY_FIELD},
		{B(A_FIELDS("\"Host\": x")), HTTP_WHY_FIELD},
		{B(A_FIELDS("Content_Length: 1")), HTTP_WHY_FIELD},
		{B(A_FIELDS("transfer_ENCODING: chunked")), HTTP_WHY_FIELD},
		{B(A_FIELDS("Expect: 200-ok")), HTTP_WHY_EXPECT},
		{B(A_FIELDS("Expect: y 100-continue")), HTTP_WHY_EXPECT},
		{B(A_FIELDS("Connection: close, Host")), HTTP_WHY_HOP},
		{B(A_FIELDS("Connection: Content-Length")), HTTP_WHY_HOP},
		{B(A_FIELDS("Connection: a ,\ttransfer-encoding\t, b")), HTTP_WHY_HOP},
		{B(A_FIELDS("Upgrade: h2c")), HTTP_WHY_UPGRADE},
		{B(A_FIELDS("Upgrade: websocket , H2C")), HTTP_WHY_UPGRADE},
		{B(A_FIELDS("Upgrade: HTTP/2.0")), HTTP_WHY_UPGRADE},
		{B(A_FIELDS("Upgrade: SPDY/3.1")), HTTP_WHY_UPGRADE},
		{B(A_FIELDS("Upgrade: TLS/1.0, HTTP/1.1")), HTTP_WHY_UPGRADE},
		{B(A_FIELDS("HTTP2-Settings: AAMAAABkAAQAAP__")), HTTP_WHY_UPGRADE},
		{B(A_FIELDS("Upgrade: websocket\r\nContent-Length: 1")), HTTP_WHY_UPGRADE_BODY},
		{B(A_FIELDS("Upgrade: websocket\r\nTransfer-Encoding: chunked")),
			HTTP_WHY_UPGRADE_BODY},
		{B("GET / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\n"), HTTP_WHY_BODY},
		{B("get / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\n"), HTTP_WHY_BODY},
		{B("Head / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"),
			HTTP_WHY_BODY},
	};

	refused_all(rows, ARRAY_LEN(rows));
}

#define CL "Content-Length: "
#define TE "Transfer-Encoding: "
static void lengths_with_two_meanings_are_refused(void)
{
	static const struct bad rows[] = {
		{B(A_FIELDS(CL)), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "-1")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "+1")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "0x1")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "1a")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "1 1")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "1, 1")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "01")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "1.0")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "1e3")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "1000000000000000000")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "18446744073709551617")), HTTP_WHY_LENGTH},
		{B(A_FIELDS(CL "1\r\n" CL "2")), HTTP_WHY_TWO_LENGTHS},
		{B(A_FIELDS(CL "1\r\ncontent-length: 1")), HTTP_WHY_TWO_LENGTHS},
		{B(A_FIELDS("Content-Length : 1")), HTTP_WHY_BLANK},
		{B(A_FIELDS(CL "5\r\n" TE "chunked")), HTTP_WHY_BOTH},
		{B(A_FIELDS(TE "chunked\r\n" CL "5")), HTTP_WHY_BOTH},
		{B(A_FIELDS(TE "chunked\r\n" CL "0")), HTTP_WHY_BOTH},
		{B(A_FIELDS(TE "Chunked")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE)), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "identity")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "gzip, chunked")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "chunked, identity")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "chunked;a=b")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "xchunked")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "\"chunked\"")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "chunked\r\n" TE "chunked")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "chunked\r\n" TE "x")), HTTP_WHY_CODING},
		{B(A_FIELDS(TE "x\r\n" TE "chunked")), HTTP_WHY_CODING},
		{B(A_FIELDS("Transfer-Encoding : chunked")), HTTP_WHY_BLANK},
		{B(A_FIELDS(TE "\x0b"
			       "chunked")),
			HTTP_WHY_CONTROL},
		{B(A_FIELDS("X: y\r\n " TE "chunked")), HTTP_WHY_FOLD},
		{B(A_FIELDS("X: y\n" TE "chunked")), HTTP_WHY_BARE},
		{B("POST / HTTP/1.0\r\nHost: a.test\r\n" TE "chunked\r\n\r\n"), HTTP_WHY_CODING},
	};

	refused_all(rows, ARRAY_LEN(rows));
}

/* The head went on already, and so much of the body as was well formed. */
static void malformed_chunks_end_the_connection(void)
{
	static const struct {
		const char *body;
		size_t len, good;
		enum http_why why;
	} rows[] = {
		{B("\r\n"), 0, HTTP_WHY_CHUNK},
		{B("x"), 0, HTTP_WHY_CHUNK},
		{B(" 1\r\n"), 0, HTTP_WHY_CHUNK},
		{B("-1\r\n"), 0, HTTP_WHY_CHUNK},
		{B("0x1\r\n"), 1, HTTP_WHY_CHUNK},
		{B("1 \r\n"), 1, HTTP_WHY_CHUNK},
		{B("1\n"), 1, HTTP_WHY_CHUNK},
		{B("1\rx"), 2, HTTP_WHY_BARE},
		{B(";a\r\n"), 0, HTTP_WHY_CHUNK},
		{B("1234567890123456\r\n"), 15, HTTP_WHY_CHUNK},
		{B("1;a\nb"), 3, HTTP_WHY_BARE},
		{B("1;a\rb"), 4, HTTP_WHY_BARE},
		{B("1;a\0b"), 3, HTTP_WHY_CHUNK},
		{B("1;\xff"), 2, HTTP_WHY_CHUNK},
		{B("1\r\nab"), 4, HTTP_WHY_CHUNK},
		{B("1\r\na\n"), 4, HTTP_WHY_CHUNK},
		{B("1\r\na\r1"), 5, HTTP_WHY_BARE},
		{B("1\r\na\r\n\r\n"), 6, HTTP_WHY_CHUNK},
		{B("0\r\n\n"), 3, HTTP_WHY_BARE},
		{B("0\r\nX\r\n\r\n"), 3, HTTP_WHY_FIELD},
		{B("0\r\n X: y\r\n\r\n"), 3, HTTP_WHY_FOLD},
		{B("0\r\nX: \0\r\n\r\n"), 3, HTTP_WHY_CONTROL},
		{B("0\r\nHost: b.test\r\n\r\n"), 3, HTTP_WHY_TRAILER},
		{B("0\r\nX: y\r\ncontent-length: 5\r\n\r\n"), 3, HTTP_WHY_TRAILER},
		{B("0\r\nTransfer-Encoding: chunked\r\n\r\n"), 3, HTTP_WHY_TRAILER},
		{B("0\r\n" GET("b.test")), 3, HTTP_WHY_FIELD},
		{B("0\r\n\r\n" GET("b.test\n")), 5, HTTP_WHY_BARE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		static char text[1024];
		size_t front = strlen(CHUNKED);

		memcpy(text, CHUNKED, front);
		memcpy(text + front, rows[i].body, rows[i].len + 1);
		refused(text, front + rows[i].len, "POST a.test", rows[i].why);
		check_u64(whole.passed, front + rows[i].good);
	}
}

/* Fills a text of that length with a repeated one. */
static const char *repeat(const char *text, size_t times)
{
	static char out[2 * HTTP_HEAD_MAX];
	size_t len = strlen(text);

	for (size_t i = 0; i < times; i++)
		memcpy(out + i * len, text, len);
	out[times * len] = '\0';
	return out;
}

static void come_text(struct relay *p, const char *text)
{
	come(p, text, strlen(text));
}

static void heads_have_limits(void)
{
	static const char head[] = "GET / HTTP/1.1\r\nHost: a.test\r\nX: ";
	size_t room = HTTP_HEAD_MAX - (sizeof(head) - 1) - 4;

	for (size_t more = 0; more < 2; more++) {
		start(&whole, false);
		come_text(&whole, head);
		come_text(&whole, repeat("x", room + more));
		come_text(&whole, "\r\n\r\n");
		check_int(whole.refused, more > 0);
		check_int(whole.reader.why, more ? HTTP_WHY_LONG : HTTP_WHY_FINE);
		check_u64(whole.passed, more ? 0 : HTTP_HEAD_MAX);
	}
	for (size_t more = 0; more < 2; more++) {
		start(&whole, false);
		come_text(&whole, "GET / HTTP/1.1\r\nHost: a.test\r\n");
		come_text(&whole, repeat("X: y\r\n", HTTP_FIELDS_MAX - 1 + more));
		come_text(&whole, "\r\n");
		check_int(whole.reader.why, more ? HTTP_WHY_MANY : HTTP_WHY_FINE);
		check_int(whole.refused, more > 0);
	}
}

static void bodies_have_limits_around_them(void)
{
	for (size_t more = 0; more < 2; more++) {
		start(&whole, false);
		come_text(&whole, CHUNKED "1;");
		come_text(&whole, repeat("x", 256 + more));
		come_text(&whole, "\r\n");
		check_int(whole.reader.why, more ? HTTP_WHY_CHUNK_LONG : HTTP_WHY_FINE);
	}
	start(&whole, false);
	come_text(&whole, CHUNKED "0\r\nX: ");
	come_text(&whole, repeat("x", HTTP_HEAD_MAX));
	check_int(whole.reader.why, HTTP_WHY_LONG);
}

static void large_bodies_go_on_without_being_kept(void)
{
	start(&whole, false);
	come_text(&whole, POST "Content-Length: 100000000\r\n\r\n");
	for (size_t i = 0; i < 1000; i++) {
		come_text(&whole, repeat("x", 100000));
		check_u64(whole.len, 0);
	}
	come_text(&whole, GET("b.test"));
	check_str(whole.requests, "POST a.test, GET b.test");
	start(&whole, false);
	come_text(&whole, CHUNKED "fffffffffffffff\r\n");
	come_text(&whole, repeat("x", 100000));
	check_u64(whole.len, 0);
}

static void requests_are_numbered_and_described(void)
{
	static const char text[] = GET("a.test") POST "Content-Length: 7\r\n\r\n";
	struct http_request r = {0};
	struct http_reader reader;
	size_t n, front = strlen(GET("a.test"));

	http_init(&reader, 80);
	check_int(
		http_feed(&reader, (const uint8_t *)text, sizeof(text) - 1, &n, &r), HTTP_REQUEST);
	check_u64(n, front);
	check_u64(r.number, 1);
	check_u64(r.length, 0);
	check_int(http_feed(&reader, (const uint8_t *)text + n, sizeof(text) - 1 - n, &n, &r),
		HTTP_REQUEST);
	check_u64(n, sizeof(text) - 1 - front);
	check_u64(r.number, 2);
	check_u64(r.length, 7);
	check_str(r.method, "POST");
	check(!r.chunked && !r.upgrade);
}

static void ports_other_than_80(void)
{
	static const struct {
		const char *text;
		enum http_answer answer;
	} rows[] = {
		{GET("a.test:8080"), HTTP_REQUEST},
		{GET("a.test"), HTTP_REQUEST},
		{GET("a.test:80"), HTTP_REFUSED},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct http_request r = {0};
		struct http_reader reader;
		size_t n;

		test_row("%s", rows[i].text);
		http_init(&reader, 8080);
		check_int(http_feed(&reader, (const uint8_t *)rows[i].text, strlen(rows[i].text),
				  &n, &r),
			rows[i].answer);
		if (rows[i].answer == HTTP_REQUEST)
			check_int(r.target.port, 8080);
	}
}

static void upgrades_wait_for_the_server(void)
{
	static const char after[] = "\x81\x05hello\r\n\0" GET("b.test");

	start(&whole, true);
	come_text(&whole, SOCKET);
	come(&whole, B(after));
	check_str(whole.requests, "GET a.test upgrade");
	check(!whole.refused);
	check_int(whole.reader.state, HTTP_BLIND);
	check_u64(whole.passed, strlen(SOCKET) + sizeof(after) - 1);

	run(SOCKET GET("b.test"), strlen(SOCKET GET("b.test")), false);
	check_str(whole.requests, "GET a.test upgrade, GET b.test");
	run(SOCKET GET("b.test"), strlen(SOCKET GET("b.test")), true);
	check_str(whole.requests, "GET a.test upgrade");
	check_u64(whole.passed, strlen(SOCKET GET("b.test")));
	refused(B(SOCKET "\x81\x05hello"), "GET a.test upgrade", HTTP_WHY_CONTROL);
}

static void only_an_upgrade_can_be_answered(void)
{
	start(&whole, true);
	http_switched(&whole.reader, true);
	check_int(whole.reader.state, HTTP_IN_HEAD);
	come_text(&whole, GET("a b"));
	http_switched(&whole.reader, true);
	check_int(whole.reader.state, HTTP_STOPPED);
	come_text(&whole, GET("a.test"));
	check_str(whole.requests, "");
	check_u64(whole.passed, 0);
}

static void refusals_are_whole_answers(void)
{
	char out[HTTP_REFUSAL_MAX], small[40];
	size_t len = http_refusal(out, sizeof(out), "no");

	check_str(out, "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\n"
		       "Content-Length: 3\r\nConnection: close\r\n\r\nno\n");
	check_u64(len, strlen(out));
	http_refusal(out, sizeof(out), "a\r\nSet-Cookie: b\x1b\xff");
	check_has(out, "\r\n\r\na??Set-Cookie: b??\n");
	check_u64(http_refusal(small, sizeof(small), "no"), 0);
	check(http_refusal(out, sizeof(out), repeat("x", 5000)) > 200);
}

static void every_reason_has_its_own_text(void)
{
	for (int i = 0; i < HTTP_WHY_COUNT; i++)
		for (int k = 0; k < i; k++)
			check(strcmp(http_why_text((enum http_why)i),
				      http_why_text((enum http_why)k)) != 0);
}

static const struct test tests[] = {
	{"good requests go on", good_requests_go_on},
	{"heads wait until they are complete", heads_wait_until_they_are_complete},
	{"odd lines are refused", odd_lines_are_refused},
	{"odd request lines are refused", odd_request_lines_are_refused},
	{"odd hosts are refused", odd_hosts_are_refused},
	{"odd fields are refused", odd_fields_are_refused},
	{"lengths with two meanings are refused", lengths_with_two_meanings_are_refused},
	{"malformed chunks end the connection", malformed_chunks_end_the_connection},
	{"heads have limits", heads_have_limits},
	{"bodies have limits around them", bodies_have_limits_around_them},
	{"large bodies go on without being kept", large_bodies_go_on_without_being_kept},
	{"requests are numbered and described", requests_are_numbered_and_described},
	{"ports other than 80", ports_other_than_80},
	{"upgrades wait for the server", upgrades_wait_for_the_server},
	{"only an upgrade can be answered", only_an_upgrade_can_be_answered},
	{"refusals are whole answers", refusals_are_whole_answers},
	{"every reason has its own text", every_reason_has_its_own_text},
};
TEST_MAIN(tests)
