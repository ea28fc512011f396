/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/dns.h"

#include "base/macro.h"

#include <errno.h>
#include <string.h>

#define HEADER 12
#define NAME_MAX_WIRE 255
#define LABEL_MAX_WIRE 63 /* above it: pointers and withdrawn kinds of labels */
#define OPT_SIZE 11       /* an OPT record without options */
#define RECORD_HEAD 12    /* of an answer, up to its address */
#define UDP_PLAIN 512     /* what everybody takes */
#define CLASS_IN 1
#define TYPE_OPT 41
#define NAME_OF_QUESTION 0xc00c /* points behind the header */

/* Of the header's second word. */
#define FLAG_QR 0x8000
#define FLAGS_OPCODE 0x7800
#define FLAG_TC 0x0200
#define FLAG_RD 0x0100
#define FLAG_RA 0x0080
#define FLAG_CD 0x0010
#define FLAG_DO 0x8000 /* of OPT */

_Static_assert(DNS_QUESTION_MAX == NAME_MAX_WIRE + 4, "name, type and class");
_Static_assert(DNS_REPLY_MIN == HEADER + DNS_QUESTION_MAX + OPT_SIZE, "all but records");
_Static_assert(DNS_REPLY_MIN <= UDP_PLAIN, "every datagram has room for it");
_Static_assert(NET_HOST_MAX == NAME_MAX_WIRE - 1, "every name of the wire fits as text");

struct cursor {
	const uint8_t *p;
	size_t left;
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint8_t *put16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
	return p + 2;
}

/* The next bytes; NULL: there are not so many. */
static const uint8_t *take(struct cursor *c, size_t len)
{
	const uint8_t *p = c->p;

	if (c->left < len)
		return NULL;
	c->p += len;
	c->left -= len;
	return p;
}

/*
 * How long the name at the cursor is, its end included; 0: it is none. A question stands in front
 * of everything that a pointer could mean, so pointers are refused and nothing is ever followed.
 */
static size_t name_length(const struct cursor *c)
{
	size_t at = 0;

	while (at < c->left && at < NAME_MAX_WIRE) {
		uint8_t label = c->p[at++];

		if (label == 0)
			return at;
		if (label > LABEL_MAX_WIRE)
			return 0;
		at += label;
	}
	return 0;
}

static char shown(uint8_t byte)
{
	if (byte >= 'A' && byte <= 'Z')
		return (char)(byte - 'A' + 'a');
	if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' ||
		byte == '_')
		return (char)byte;
	return '?';
}

/* '?' cannot stand in a host's name: a label that holds a dot or a NUL does not become one. */
void dns_asked_name(const struct dns_question *q, char out[NET_HOST_MAX])
{
	const uint8_t *p = q->wire;
	size_t len = 0;

	if (q->wire_len > 0 && *p == 0)
		out[len++] = '.';
	while (q->wire_len > 0 && *p > 0) {
		if (len > 0)
			out[len++] = '.';
		for (uint8_t left = *p++; left > 0; left--)
			out[len++] = shown(*p++);
	}
	out[len] = '\0';
}

static bool read_question(struct cursor *c, struct dns_question *q, uint16_t *ret_class)
{
	size_t len = name_length(c);
	const uint8_t *p = len ? take(c, len + 4) : NULL;

	if (!p)
		return false;
	memcpy(q->wire, p, len + 4);
	q->wire_len = (uint16_t)(len + 4);
	q->type = get16(p + len);
	*ret_class = get16(p + len + 2);
	return true;
}

/* Options mean nothing here, but they fill their record exactly. */
static bool options_fit(const uint8_t *p, size_t len)
{
	struct cursor c = {p, len};

	while (c.left > 0) {
		const uint8_t *head = take(&c, 4);

		if (!head || !take(&c, get16(head + 2)))
			return false;
	}
	return true;
}

/*
 * The only record that a query for addresses carries is OPT. Once it was seen the answer has one
 * too, errors about it included: by that the asker knows that EDNS as such is understood.
 */
static enum dns_rcode read_opt(struct cursor *c, struct dns_question *q)
{
	const uint8_t *p = take(c, OPT_SIZE), *options;
	uint16_t size;

	if (!p || p[0] != 0 || get16(p + 1) != TYPE_OPT)
		return DNS_FORMERR;
	size = get16(p + 3);
	q->edns = true;
	q->edns_do = get16(p + 7) & FLAG_DO;
	q->limit = size < UDP_PLAIN ? UDP_PLAIN : size > DNS_UDP_MAX ? DNS_UDP_MAX : size;
	options = take(c, get16(p + 9));
	if (!options)
		return DNS_FORMERR;
	if (p[6] != 0)
		return DNS_BADVERS;
	return options_fit(options, get16(p + 9)) ? DNS_NOERROR : DNS_FORMERR;
}

/* m holds at least a header; DNS_NOERROR: all of it was read, and is a query. */
static enum dns_rcode read_sections(
	const uint8_t *m, size_t len, struct dns_question *q, uint16_t *ret_class)
{
	struct cursor c = {m + HEADER, len - HEADER};
	uint16_t more = get16(m + 10);
	enum dns_rcode rcode = DNS_NOERROR;

	if (q->flags & FLAGS_OPCODE)
		return DNS_NOTIMP;
	if (get16(m + 4) != 1 || !read_question(&c, q, ret_class))
		return DNS_FORMERR;
	if (get16(m + 6) || get16(m + 8))
		return DNS_FORMERR;
	if (more > 0)
		rcode = read_opt(&c, q);
	if (rcode == DNS_NOERROR && (more > 1 || c.left > 0))
		return DNS_FORMERR;
	return rcode;
}

/*
 * What the guard has no choice about. Other classes exist to ask a server about itself: an empty
 * answer ends that at once, while a refusal would be waited out or taken to the next server. The
 * root exists, other names that are no host do not.
 */
static bool settle(struct dns_question *q, uint16_t class)
{
	char name[NET_HOST_MAX];

	if (class != CLASS_IN || q->wire[0] == 0)
		return true;
	dns_asked_name(q, name);
	if (net_host_canonical(name, q->host, NULL) == 0)
		return false;
	q->rcode = DNS_NXDOMAIN;
	return true;
}

int dns_read(const uint8_t *m, size_t len, struct dns_question *ret)
{
	struct dns_question q = {.limit = UDP_PLAIN};
	uint16_t class = 0;
	bool settled = true;

	if (len < HEADER || get16(m + 2) & FLAG_QR)
		return -EBADMSG;
	q.id = get16(m);
	q.flags = get16(m + 2);
	q.rcode = read_sections(m, len, &q, &class);
	if (q.rcode == DNS_NOERROR)
		settled = settle(&q, class);
	*ret = q;
	return settled;
}

static uint8_t *put_record(uint8_t *p, const struct dns_answer *a)
{
	uint16_t size = a->addr.v4 ? 4 : 16;

	p = put16(p, NAME_OF_QUESTION);
	p = put16(p, a->addr.v4 ? DNS_TYPE_A : DNS_TYPE_AAAA);
	p = put16(p, CLASS_IN);
	p = put16(p, (uint16_t)(a->ttl >> 16));
	p = put16(p, (uint16_t)a->ttl);
	p = put16(p, size);
	memcpy(p, a->addr.bytes, size);
	return p + size;
}

static uint8_t *put_opt(uint8_t *p, const struct dns_question *q, unsigned rcode)
{
	*p++ = 0;
	p = put16(p, TYPE_OPT);
	p = put16(p, DNS_UDP_MAX);
	p = put16(p, (uint16_t)(rcode >> 4 << 8)); /* the upper bits of the code, version 0 */
	p = put16(p, q->edns_do ? FLAG_DO : 0);
	return put16(p, 0);
}

/*
 * AA stays clear and RA is set: glibc and Go take an empty answer with neither for a referral and
 * ask the next server. With RA they need no SOA record; nor does musl, and systemd merely does not
 * keep such an answer.
 */
static void put_header(
	uint8_t *p, const struct dns_question *q, unsigned rcode, bool cut, uint16_t records)
{
	uint16_t copied = q->flags & (FLAGS_OPCODE | FLAG_RD | FLAG_CD);

	p = put16(p, q->id);
	p = put16(p, (uint16_t)(FLAG_QR | FLAG_RA | copied | (cut ? FLAG_TC : 0) | (rcode & 15)));
	p = put16(p, q->wire_len > 0);
	p = put16(p, records);
	p = put16(p, 0);
	put16(p, q->edns);
}

size_t dns_write(const struct dns_question *q, enum dns_rcode rcode,
	const struct dns_answer *answers, size_t count, bool tcp, uint8_t *out, size_t room)
{
	size_t most = tcp ? UINT16_MAX : q->limit;
	size_t opt = q->edns ? OPT_SIZE : 0;
	uint8_t *p = out + HEADER;
	size_t wanted = q->wire_len > 0 ? count : 0, records = 0;

	if (room > most)
		room = most;
	if (room < HEADER + (size_t)q->wire_len + opt)
		return 0;
	/* Only OPT has room for the large codes. */
	if (rcode > 15 && !q->edns)
		rcode = DNS_SERVFAIL;
	memcpy(p, q->wire, q->wire_len);
	p += q->wire_len;
	for (; records < wanted; records++) {
		size_t size = RECORD_HEAD + (answers[records].addr.v4 ? 4 : 16);

		if ((size_t)(p - out) + size + opt > room)
			break;
		p = put_record(p, &answers[records]);
	}
	put_header(out, q, rcode, records < wanted, (uint16_t)records);
	if (q->edns)
		p = put_opt(p, q, rcode);
	return (size_t)(p - out);
}

const char *dns_type_name(uint16_t type)
{
	static const struct {
		uint16_t type;
		const char *name;
	} rows[] = {
		{DNS_TYPE_A, "A"},
		{2, "NS"},
		{5, "CNAME"},
		{6, "SOA"},
		{DNS_TYPE_PTR, "PTR"},
		{DNS_TYPE_MX, "MX"},
		{DNS_TYPE_TXT, "TXT"},
		{DNS_TYPE_AAAA, "AAAA"},
		{33, "SRV"},
		{DNS_TYPE_SVCB, "SVCB"},
		{DNS_TYPE_HTTPS, "HTTPS"},
		{DNS_TYPE_ANY, "ANY"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].type == type)
			return rows[i].name;
	return NULL;
}
