/* SPDX-License-Identifier: Apache-2.0 */
#include "model/netaddr.h"

#include "base/macro.h"
#include "base/str.h"
#include "model/refuse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define V4(a, b, c, d, n)                                               \
	{                                                               \
		.net = {.bytes = {a, b, c, d}, .v4 = true}, .bits = (n) \
	}
#define V6(n, ...)                                           \
	{                                                    \
		.net = {.bytes = {__VA_ARGS__}}, .bits = (n) \
	}

/*
 * Special ranges; the longest that fits decides, and what fits none is public. The ranges are those
 * of the IANA special-purpose registries, plus the fixed addresses under which clouds hand out
 * credentials.
 */
static const struct special {
	enum netaddr_class class;
	struct netcidr range;
} specials[] = {
	{NETADDR_UNSPECIFIED, V4(0, 0, 0, 0, 8)},
	{NETADDR_PRIVATE, V4(10, 0, 0, 0, 8)},
	{NETADDR_CGNAT, V4(100, 64, 0, 0, 10)},
	{NETADDR_METADATA, V4(100, 100, 100, 200, 32)}, /* Alibaba */
	{NETADDR_LOOPBACK, V4(127, 0, 0, 0, 8)},
	{NETADDR_METADATA, V4(168, 63, 129, 16, 32)}, /* Azure */
	{NETADDR_LINK_LOCAL, V4(169, 254, 0, 0, 16)},
	{NETADDR_METADATA, V4(169, 254, 42, 42, 32)},   /* Scaleway */
	{NETADDR_METADATA, V4(169, 254, 169, 254, 32)}, /* nearly all clouds */
	{NETADDR_METADATA, V4(169, 254, 170, 2, 32)},   /* ECS tasks */
	{NETADDR_METADATA, V4(169, 254, 170, 23, 32)},  /* EKS pods */
	{NETADDR_PRIVATE, V4(172, 16, 0, 0, 12)},
	{NETADDR_RESERVED, V4(192, 0, 0, 0, 24)},
	{NETADDR_METADATA, V4(192, 0, 0, 192, 32)}, /* Oracle */
	{NETADDR_DOCUMENTATION, V4(192, 0, 2, 0, 24)},
	{NETADDR_RESERVED, V4(192, 88, 99, 0, 24)}, /* 6to4 relays, withdrawn */
	{NETADDR_PRIVATE, V4(192, 168, 0, 0, 16)},
	{NETADDR_RESERVED, V4(198, 18, 0, 0, 15)}, /* benchmarks */
	{NETADDR_DOCUMENTATION, V4(198, 51, 100, 0, 24)},
	{NETADDR_DOCUMENTATION, V4(203, 0, 113, 0, 24)},
	{NETADDR_MULTICAST, V4(224, 0, 0, 0, 4)},
	{NETADDR_RESERVED, V4(240, 0, 0, 0, 4)},
	{NETADDR_BROADCAST, V4(255, 255, 255, 255, 32)},
	/* Only 2000::/3 is given out, so the rest is reserved: ::/3, 4000::/2, 8000::/1. */
	{NETADDR_RESERVED, V6(3, 0)},
	{NETADDR_RESERVED, V6(2, 0x40)},
	{NETADDR_RESERVED, V6(1, 0x80)},
	{NETADDR_EMBEDDED, V6(96, 0)}, /* IPv4-compatible */
	{NETADDR_UNSPECIFIED, V6(128, 0)},
	{NETADDR_LOOPBACK, V6(128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)},
	{NETADDR_EMBEDDED, V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)}, /* mapped */
	{NETADDR_EMBEDDED, V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)},       /* translated */
	{NETADDR_EMBEDDED, V6(96, 0, 0x64, 0xff, 0x9b)},                      /* NAT64 */
	{NETADDR_EMBEDDED, V6(48, 0, 0x64, 0xff, 0x9b, 0, 1)},                /* NAT64, local */
	{NETADDR_RESERVED, V6(23, 0x20, 0x01)}, /* protocol assignments */
	{NETADDR_EMBEDDED, V6(32, 0x20, 0x01)}, /* Teredo */
	{NETADDR_DOCUMENTATION, V6(32, 0x20, 0x01, 0x0d, 0xb8)},
	{NETADDR_EMBEDDED, V6(16, 0x20, 0x02)}, /* 6to4 */
	{NETADDR_DOCUMENTATION, V6(20, 0x3f, 0xff)},
	{NETADDR_PRIVATE, V6(7, 0xfc)},
	{NETADDR_METADATA, V6(128, 0xfd, 0, 0x0e, 0xc2, [15] = 0x23)},       /* EKS pods */
	{NETADDR_METADATA, V6(128, 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x54)}, /* AWS */
	{NETADDR_METADATA, V6(128, 0xfd, 0, 0, 0x42, [15] = 0x42)},          /* Scaleway */
	{NETADDR_METADATA, V6(128, 0xfd, 0x20, 0, 0xce, [14] = 0x02, 0x54)}, /* Google */
	{NETADDR_LINK_LOCAL, V6(10, 0xfe, 0x80)},
	{NETADDR_PRIVATE, V6(10, 0xfe, 0xc0)}, /* site-local, withdrawn */
	{NETADDR_MULTICAST, V6(8, 0xff)},
};

/* Where an IPv6 range keeps an IPv4 address. */
static const struct carrier {
	struct netcidr range;
	uint8_t at[4];
	uint8_t mask;      /* Teredo writes the client's address inverted */
	bool zero_is_none; /* the range has several layouts: 0.0.0.0 means that this one is not used
			    */
} carriers[] = {
	{V6(96, 0), {12, 13, 14, 15}, 0, false},
	{V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), {12, 13, 14, 15}, 0, false},
	{V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff), {12, 13, 14, 15}, 0, false},
	{V6(96, 0, 0x64, 0xff, 0x9b), {12, 13, 14, 15}, 0, false},
	{V6(48, 0, 0x64, 0xff, 0x9b, 0, 1), {6, 7, 9, 10}, 0, true},
	{V6(48, 0, 0x64, 0xff, 0x9b, 0, 1), {12, 13, 14, 15}, 0, true},
	{V6(16, 0x20, 0x02), {2, 3, 4, 5}, 0, false},
	{V6(32, 0x20, 0x01), {4, 5, 6, 7}, 0, false},
	{V6(32, 0x20, 0x01), {12, 13, 14, 15}, 0xff, false},
};

static const char *const class_names[] = {
	[NETADDR_PUBLIC] = "public",
	[NETADDR_EMBEDDED] = "IPv4 inside IPv6",
	[NETADDR_DOCUMENTATION] = "documentation",
	[NETADDR_RESERVED] = "reserved",
	[NETADDR_CGNAT] = "carrier-grade NAT",
	[NETADDR_PRIVATE] = "private",
	[NETADDR_LINK_LOCAL] = "link-local",
	[NETADDR_MULTICAST] = "multicast",
	[NETADDR_BROADCAST] = "broadcast",
	[NETADDR_METADATA] = "cloud metadata",
	[NETADDR_UNSPECIFIED] = "unspecified",
	[NETADDR_LOOPBACK] = "loopback",
};
_Static_assert(ARRAY_LEN(class_names) == NETADDR_CLASSES, "a name for each class");

const char *netaddr_class_name(enum netaddr_class class)
{
	return class_names[class];
}

/* Decimal digits at *io_p, at most max, no leading zero; false: there is no such number. */
static bool take_decimal(const char **io_p, unsigned max, unsigned *ret)
{
	const char *p = *io_p;
	unsigned value = 0;

	if (*p < '0' || *p > '9' || (p[0] == '0' && p[1] >= '0' && p[1] <= '9'))
		return false;
	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (unsigned)(*p - '0');
		if (value > max)
			return false;
	}
	*io_p = p;
	*ret = value;
	return true;
}

static bool parse_v4(const char *p, uint8_t out[4])
{
	for (int i = 0; i < 4; i++) {
		unsigned part;

		if (i > 0 && *p++ != '.')
			return false;
		if (!take_decimal(&p, 255, &part))
			return false;
		out[i] = (uint8_t)part;
	}
	return *p == '\0';
}

/* One to four hex digits. */
static bool take_group(const char **io_p, uint8_t out[2])
{
	const char *p = *io_p;
	unsigned value = 0;
	int digits = 0;

	for (; str_hex_digit(*p) >= 0; p++, digits++) {
		if (digits == 4)
			return false;
		value = value << 4 | (unsigned)str_hex_digit(*p);
	}
	out[0] = (uint8_t)(value >> 8);
	out[1] = (uint8_t)value;
	*io_p = p;
	return digits > 0;
}

/* Moves what stands behind the :: to the end and fills the gap with zeros. */
static bool close_gap(uint8_t bytes[16], int used, int gap)
{
	if (gap < 0)
		return used == 16;
	if (used > 14)
		return false;
	memmove(bytes + 16 - (used - gap), bytes + gap, (size_t)(used - gap));
	memset(bytes + gap, 0, (size_t)(16 - used));
	return true;
}

static bool parse_v6(const char *p, uint8_t out[16])
{
	int used = 0, gap = -1;

	if (p[0] == ':' && p[1] == ':') {
		gap = 0;
		p += 2;
	}
	while (*p) {
		/* A dotted quad can only be the last 32 bits. */
		if (used <= 12 && !strchr(p, ':') && parse_v4(p, out + used)) {
			used += 4;
			break;
		}
		if (used == 16 || !take_group(&p, out + used))
			return false;
		used += 2;
		if (*p == '\0')
			break;
		if (*p++ != ':' || *p == '\0')
			return false;
		if (*p == ':') {
			if (gap >= 0)
				return false;
			gap = used;
			p++;
		}
	}
	return close_gap(out, used, gap);
}

int netaddr_parse(const char *text, struct netaddr *ret, struct err *e)
{
	struct netaddr a = {.v4 = !strchr(text, ':')};

	if (a.v4 ? parse_v4(text, a.bytes) : parse_v6(text, a.bytes)) {
		*ret = a;
		return 0;
	}
	if (strchr(text, '%'))
		return refuse_text(e, text, "an address with a zone ('%%') means one host only");
	if (a.v4)
		return refuse_text(e, text,
			"not an IPv4 address: four decimal parts from 0 to 255 without leading "
			"zeros, such as 198.51.100.7");
	return refuse_text(e, text, "not an IPv6 address, such as 2001:db8::7");
}

bool netaddr_port(const char *text, uint16_t *ret)
{
	unsigned port;

	if (!take_decimal(&text, 65535, &port) || *text || port == 0)
		return false;
	*ret = (uint16_t)port;
	return true;
}

static unsigned group(const struct netaddr *a, int i)
{
	return (unsigned)a->bytes[2 * i] << 8 | a->bytes[2 * i + 1];
}

/* The longest run of at least two zero groups, the first one if there are several. */
static void zero_run(const struct netaddr *a, int *ret_start, int *ret_len)
{
	int best = -1, best_len = 1;

	for (int i = 0; i < 8; i++) {
		int len = 0;

		while (i + len < 8 && group(a, i + len) == 0)
			len++;
		if (len > best_len) {
			best = i;
			best_len = len;
		}
		i += len;
	}
	*ret_start = best;
	*ret_len = best_len;
}

static bool is_mapped(const struct netaddr *a)
{
	static const struct netcidr mapped = V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

	return netcidr_has(&mapped, a);
}

void netaddr_text(const struct netaddr *a, char out[NETADDR_TEXT])
{
	const uint8_t *b = is_mapped(a) ? a->bytes + 12 : a->bytes;
	int start, len, used = 0;

	if (a->v4 || is_mapped(a)) {
		snprintf(out, NETADDR_TEXT, "%s%d.%d.%d.%d", a->v4 ? "" : "::ffff:", b[0], b[1],
			b[2], b[3]);
		return;
	}
	zero_run(a, &start, &len);
	for (int i = 0; i < 8; i++) {
		if (i == start) {
			used += snprintf(out + used, (size_t)(NETADDR_TEXT - used), "::");
			i += len - 1;
			continue;
		}
		used += snprintf(out + used, (size_t)(NETADDR_TEXT - used), "%s%x",
			i > 0 && i != start + len ? ":" : "", group(a, i));
	}
}

struct netaddr netaddr_unmap(const struct netaddr *a)
{
	struct netaddr plain = {.v4 = true};

	if (!is_mapped(a))
		return *a;
	memcpy(plain.bytes, a->bytes + 12, 4);
	return plain;
}

size_t netaddr_carried(const struct netaddr *a, struct netaddr ret[NETADDR_CARRIED])
{
	static const uint8_t none[4];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_LEN(carriers) && count < NETADDR_CARRIED; i++) {
		const struct carrier *row = &carriers[i];
		struct netaddr inner = {.v4 = true};

		if (!netcidr_has(&row->range, a))
			continue;
		for (int k = 0; k < 4; k++)
			inner.bytes[k] = a->bytes[row->at[k]] ^ row->mask;
		if (!row->zero_is_none || memcmp(inner.bytes, none, 4) != 0)
			ret[count++] = inner;
	}
	return count;
}

enum netaddr_class netaddr_class_of(const struct netaddr *a)
{
	struct netcidr single = netcidr_single(a);
	uint8_t bits;

	return netcidr_class_of(&single, &bits);
}

/* Keeps the first `bits` bits. */
static struct netaddr cut(const struct netaddr *a, unsigned bits)
{
	struct netaddr net = {.v4 = a->v4};

	memcpy(net.bytes, a->bytes, bits / 8);
	if (bits % 8)
		net.bytes[bits / 8] = (uint8_t)(a->bytes[bits / 8] & 0xff << (8 - bits % 8));
	return net;
}

static bool same(const struct netaddr *a, const struct netaddr *b)
{
	return a->v4 == b->v4 && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

int netcidr_make(const struct netaddr *a, unsigned bits, struct netcidr *ret, struct err *e)
{
	struct netcidr c = {.bits = (uint8_t)bits};
	char wrong[NETADDR_TEXT], right[NETADDR_TEXT];

	if (bits > (a->v4 ? 32 : 128))
		return err_set(e, EINVAL, "'/%u': an %s range has at most %d bits", bits,
			a->v4 ? "IPv4" : "IPv6", a->v4 ? 32 : 128);
	c.net = cut(a, bits);
	if (!same(a, &c.net)) {
		netaddr_text(a, wrong);
		netaddr_text(&c.net, right);
		return err_set(e, EINVAL, "'%s/%u': has bits set behind the prefix; write %s/%u",
			wrong, bits, right, bits);
	}
	*ret = c;
	return 0;
}

int netcidr_parse(const char *text, struct netcidr *ret, struct err *e)
{
	const char *slash = strchr(text, '/');
	char host[NETADDR_TEXT];
	struct netaddr a;
	unsigned bits;
	int r;

	if (!slash || (size_t)(slash - text) >= sizeof(host))
		return refuse_text(e, text, "not a range of addresses, such as 10.0.0.0/8");
	memcpy(host, text, (size_t)(slash - text));
	host[slash - text] = '\0';
	r = netaddr_parse(host, &a, e);
	if (r < 0)
		return r;
	slash++;
	if (!take_decimal(&slash, 128, &bits) || *slash)
		return refuse_text(e, text, "behind '/' stands the number of bits, such as /24");
	return netcidr_make(&a, bits, ret, e);
}

struct netcidr netcidr_single(const struct netaddr *a)
{
	return (struct netcidr){.net = *a, .bits = a->v4 ? 32 : 128};
}

void netcidr_text(const struct netcidr *c, char out[NETCIDR_TEXT])
{
	char host[NETADDR_TEXT];

	netaddr_text(&c->net, host);
	snprintf(out, NETCIDR_TEXT, "%s/%d", host, c->bits);
}

bool netcidr_has(const struct netcidr *c, const struct netaddr *a)
{
	struct netaddr net;

	if (c->net.v4 != a->v4)
		return false;
	net = cut(a, c->bits);
	return same(&net, &c->net);
}

bool netcidr_covers(const struct netcidr *outer, const struct netcidr *inner)
{
	return outer->bits <= inner->bits && netcidr_has(outer, &inner->net);
}

/* What an IPv6 address leads to counts when it is worse than the address itself. */
static enum netaddr_class worst_carried(const struct netaddr *a, enum netaddr_class class)
{
	struct netaddr inner[NETADDR_CARRIED];
	size_t count = netaddr_carried(a, inner);

	for (size_t i = 0; i < count; i++) {
		enum netaddr_class other = netaddr_class_of(&inner[i]);

		if (other > class)
			class = other;
	}
	return class;
}

enum netaddr_class netcidr_class_of(const struct netcidr *c, uint8_t *ret_bits)
{
	const struct special *best = NULL;
	enum netaddr_class carried;

	for (size_t i = 0; i < ARRAY_LEN(specials); i++)
		if (netcidr_covers(&specials[i].range, c) &&
			(!best || specials[i].range.bits > best->range.bits))
			best = &specials[i];
	*ret_bits = best ? best->range.bits : 0;
	if (!best || best->class != NETADDR_EMBEDDED || c->bits < 128)
		return best ? best->class : NETADDR_PUBLIC;
	carried = worst_carried(&c->net, best->class);
	if (carried != best->class)
		*ret_bits = 128;
	return carried;
}
