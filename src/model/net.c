/* SPDX-License-Identifier: Apache-2.0 */
#include "model/net.h"

#include "base/str.h"
#include "model/refuse.h"

#include <string.h>

#define LABEL_MAX 63

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Some readers take such a name for an address: 2130706433, 0177.0.0.1, 127.1, 0x7f.1. */
static bool looks_like_number(const char *label)
{
	if (label[0] == '0' && label[1] == 'x')
		return strspn(label + 2, "0123456789abcdef") == strlen(label + 2);
	return strspn(label, "0123456789") == strlen(label);
}

static int check_host_char(const char *text, char c, struct err *e)
{
	if (is_host_char(lower(c)) || c == '.')
		return 0;
	if ((unsigned char)c >= 0x80)
		return refuse_text(e, text, "a name outside ASCII; write its xn-- form");
	if ((unsigned char)c <= 0x20 || c == 0x7f)
		return refuse_text(e, text, "a blank or control character in a name");
	return refuse_text(
		e, text, "'%c' cannot stand in a name; write a host such as example.com", c);
}

static int check_labels(const char *text, const char *host, struct err *e)
{
	for (;;) {
		size_t len = strcspn(host, ".");

		if (len == 0)
			return refuse_text(e, text,
				"a name with an empty part; write one such as example.com");
		if (len > LABEL_MAX)
			return refuse_text(e, text,
				"a part of the name is longer than %d characters", LABEL_MAX);
		if (host[0] == '-' || host[len - 1] == '-')
			return refuse_text(e, text, "a part of the name starts or ends with '-'");
		if (!host[len])
			break;
		host += len + 1;
	}
	if (looks_like_number(host))
		return refuse_text(e, text,
			"a name does not end in a number, and an address is four decimal parts "
			"without "
			"leading zeros");
	return 0;
}

int net_host_canonical(const char *text, char out[NET_HOST_MAX], struct err *e)
{
	char host[NET_HOST_MAX];
	size_t len = strlen(text);
	int r;

	for (size_t i = 0; i < len; i++) {
		r = check_host_char(text, text[i], e);
		if (r < 0)
			return r;
	}
	/* One dot at the end says that the name is complete; a second one is an empty label. */
	if (len > 0 && text[len - 1] == '.')
		len--;
	if (len >= sizeof(host))
		return refuse_text(e, text, "a name has at most %d characters", NET_HOST_MAX - 1);
	for (size_t i = 0; i < len; i++)
		host[i] = lower(text[i]);
	host[len] = '\0';
	r = check_labels(text, host, e);
	if (r < 0)
		return r;
	memcpy(out, host, len + 1);
	return 0;
}

bool net_is_localhost(const char *host)
{
	static const char *const names[] = {"localhost", "localhost.localdomain", "localhost4",
		"localhost6", "ip6-localhost", "ip6-loopback", "host.docker.internal",
		"gateway.docker.internal", "host.containers.internal", NULL};

	return str_in(host, names) || str_ends(host, ".localhost");
}

bool net_is_metadata(const char *host)
{
	static const char *const names[] = {"metadata", "metadata.google.internal", "metadata.goog",
		"metadata.azure.internal", "instance-data", "instance-data.ec2.internal", NULL};

	return str_in(host, names);
}

/* Decimal bits of a range up to the end or a colon. */
static int take_bits(const char **io_p, int *ret, const char *text, struct err *e)
{
	const char *p = *io_p;
	size_t len = strspn(p, "0123456789");
	int bits = 0;

	if (len == 0 || len > 3 || (len > 1 && p[0] == '0') || (p[len] && p[len] != ':'))
		return refuse_text(e, text,
			"behind '/' stands the number of bits of a range of addresses, such as "
			"10.0.0.0/8");
	for (size_t i = 0; i < len; i++)
		bits = bits * 10 + (p[i] - '0');
	*io_p = p + len;
	*ret = bits;
	return 0;
}

/* Copies a part of a text; false: it does not fit, and so cannot be what was expected. */
static bool copy_part(char *out, size_t size, const char *start, const char *end)
{
	size_t len = (size_t)(end - start);

	if (len >= size)
		return false;
	memcpy(out, start, len);
	out[len] = '\0';
	return true;
}

/* The host in front: up to ']' when it has brackets, else to the '/' of a range or the ':' of a
 * port. */
static int take_host(const char **io_p, struct net_parts *parts, struct err *e)
{
	const char *text = *io_p, *start = text, *end;

	parts->bracketed = text[0] == '[';
	if (parts->bracketed) {
		start++;
		end = strchr(start, ']');
		if (!end)
			return refuse_text(e, text, "']' is missing");
	} else {
		end = strchr(text, '/');
		if (!end)
			end = text + strcspn(text, ":");
	}
	if (!copy_part(parts->host, sizeof(parts->host), start, end))
		return refuse_text(e, text, "a name has at most %d characters", NET_HOST_MAX - 1);
	*io_p = end + parts->bracketed;
	return 0;
}

int net_split(const char *text, struct net_parts *ret, struct err *e)
{
	struct net_parts parts = {.bits = -1};
	const char *p = text;
	int r;

	if (strstr(text, "//"))
		return refuse_text(
			e, text, "a URL; write only host or host:port, such as example.com:443");
	r = take_host(&p, &parts, e);
	if (r < 0)
		return r;
	if (*p == '/') {
		p++;
		r = take_bits(&p, &parts.bits, text, e);
		if (r < 0)
			return r;
	}
	if (*p == ':') {
		if (parts.bits < 0 && !parts.bracketed && strchr(p + 1, ':'))
			return refuse_text(e, text,
				"more than one ':'; an IPv6 address stands in brackets, as in "
				"[2001:db8::1]:443");
		if (!netaddr_port(p + 1, &parts.port))
			return refuse_text(e, text,
				"behind ':' stands a port from 1 to 65535 without leading zeros");
	} else if (*p) {
		return refuse_text(
			e, text, "behind ']' stands nothing, a port (:443) or a range (/64)");
	}
	*ret = parts;
	return 0;
}

int net_target_parse(const char *text, struct net_target *ret, struct err *e)
{
	struct net_target target = {0};
	struct net_parts parts;
	int r = net_split(text, &parts, e);

	if (r < 0)
		return r;
	if (parts.bits >= 0)
		return refuse_text(e, text, "a range of addresses; write one host");
	target.port = parts.port;
	if (parts.bracketed) {
		r = netaddr_parse(parts.host, &target.addr, e);
		if (r == 0 && target.addr.v4)
			r = refuse_text(e, text, "brackets are for IPv6 addresses only");
		target.is_addr = true;
	} else if (netaddr_parse(parts.host, &target.addr, NULL) == 0) {
		target.is_addr = true;
	} else {
		r = net_host_canonical(parts.host, target.host, e);
	}
	if (r == 0)
		*ret = target;
	return r;
}

/* The address in front of the two ports. */
static int publish_addr(const char *start, const char *end, struct netaddr *ret, struct err *e)
{
	char text[NETADDR_TEXT + 2];
	struct net_target target;
	int r;

	if (!copy_part(text, sizeof(text), start, end))
		return refuse_text(e, start, "not [address:]port:port; the address is too long");
	r = net_target_parse(text, &target, e);
	if (r < 0)
		return r;
	if (!target.is_addr || target.port)
		return refuse_text(
			e, text, "not an address, as in 127.0.0.1:8080:80 or [::1]:8080:80");
	*ret = target.addr;
	return 0;
}

int net_publish_parse(const char *text, struct net_publish *ret, struct err *e)
{
	struct net_publish p = {.addr = {.bytes = {127, 0, 0, 1}, .v4 = true}};
	const char *inside = strrchr(text, ':');
	const char *outside = inside;
	char port[sizeof("65535")];
	int r = 0;

	if (!inside || !netaddr_port(inside + 1, &p.inside_port))
		return refuse_text(e, text,
			"not [address:]port:port with ports from 1 to 65535, such as 8080:80");
	while (outside > text && outside[-1] != ':')
		outside--;
	if (!copy_part(port, sizeof(port), outside, inside) || !netaddr_port(port, &p.host_port))
		return refuse_text(e, text,
			"the port of the host is not a number from 1 to 65535, as in 8080:80");
	if (outside > text)
		r = publish_addr(text, outside - 1, &p.addr, e);
	if (r == 0)
		*ret = p;
	return r;
}

int net_check_publish(const char *text, struct err *e)
{
	struct net_publish p;

	return net_publish_parse(text, &p, e);
}

int net_made_up_parse(const char *text, struct netcidr *ret, struct err *e)
{
	uint8_t bits;
	int r = netcidr_parse(text, ret, e);

	if (r < 0)
		return r;
	if (ret->bits < 8 || ret->bits > (ret->net.v4 ? 24 : 96))
		return refuse_text(e, text,
			"as wide as /8 to /24 for IPv4, /8 to /96 for IPv6, such as 11.0.0.0/8");
	switch (netcidr_class_of(ret, &bits)) {
	case NETADDR_PUBLIC:
	case NETADDR_DOCUMENTATION:
	case NETADDR_RESERVED:
	case NETADDR_CGNAT:
		if (ret->net.v4 || ret->net.bytes[0] != 0) /* ::1 and its neighbours */
			return 0;
		break;
	case NETADDR_EMBEDDED:
	case NETADDR_PRIVATE:
	case NETADDR_LINK_LOCAL:
	case NETADDR_METADATA:
	case NETADDR_MULTICAST:
	case NETADDR_BROADCAST:
	case NETADDR_UNSPECIFIED:
	case NETADDR_LOOPBACK:
	case NETADDR_CLASSES:
		break;
	}
	return refuse_text(e, text,
		"these addresses have a meaning of their own; write a block such as 11.0.0.0/8");
}

int net_check_made_up(const char *text, struct err *e)
{
	struct netcidr c;

	return net_made_up_parse(text, &c, e);
}

int net_check_hosts_name(const char *text, struct err *e)
{
	char host[NET_HOST_MAX];

	return net_host_canonical(text, host, e);
}

/* Any address: whether it can be reached is decided when it is dialled, as for every other. */
int net_check_hosts_value(const char *text, struct err *e)
{
	struct netaddr addr;

	return netaddr_parse(text, &addr, e);
}

int net_check_dns(const char *text, struct err *e)
{
	struct netaddr addr;
	int r = netaddr_parse(text, &addr, e);

	if (r < 0)
		return r;
	addr = netaddr_unmap(&addr);
	switch (netaddr_class_of(&addr)) {
	case NETADDR_MULTICAST:
	case NETADDR_BROADCAST:
	case NETADDR_UNSPECIFIED:
		return refuse_text(
			e, text, "no resolver can have this address; write one such as 9.9.9.9");
	case NETADDR_PUBLIC:
	case NETADDR_EMBEDDED:
	case NETADDR_DOCUMENTATION:
	case NETADDR_RESERVED:
	case NETADDR_CGNAT:
	case NETADDR_PRIVATE:
	case NETADDR_LINK_LOCAL:
	case NETADDR_METADATA:
	case NETADDR_LOOPBACK: /* a resolver on the host, asked from outside the sandbox */
	case NETADDR_CLASSES:
		break;
	}
	return 0;
}
