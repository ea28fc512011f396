/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/http_head.h"

#include "base/macro.h"

#include <string.h>

/* A part of the head. */
struct span {
	const char *at;
	size_t len;
};

struct reading {
	struct http_request *request;
	uint16_t port;
	bool old; /* HTTP/1.0 */
	bool absolute, host_seen, length_seen;
	struct net_target url; /* when absolute */
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Case does not count; the text is in lower case. */
static bool begins(struct span s, const char *text)
{
	size_t len = strlen(text);

	if (s.len < len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (lower(s.at[i]) != text[i])
			return false;
	return true;
}

static bool same(struct span s, const char *text)
{
	return s.len == strlen(text) && begins(s, text);
}

/* Exactly so. */
static bool equal(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

static bool has(struct span s, char c)
{
	return memchr(s.at, c, s.len);
}

static bool is_token(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = lower(s.at[i]);

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
			(!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return s.len > 0;
}

/* The part up to a character, which is taken away with it; all when there is none. */
static struct span cut(struct span *rest, char c)
{
	const char *end = memchr(rest->at, c, rest->len);
	struct span part = {rest->at, end ? (size_t)(end - rest->at) : rest->len};
	size_t gone = part.len + (end ? 1 : 0);

	rest->at += gone;
	rest->len -= gone;
	return part;
}

/* A line without its CRLF. */
static struct span cut_line(struct span *rest)
{
	struct span line = cut(rest, '\n');

	if (line.len > 0)
		line.len--;
	return line;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct span trim(struct span s)
{
	while (s.len > 0 && is_blank(s.at[0])) {
		s.at++;
		s.len--;
	}
	while (s.len > 0 && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

static enum http_why read_host(struct span s, uint16_t port, struct net_target *ret)
{
	char text[NET_HOST_MAX + sizeof(":65535")];

	if (has(s, '@'))
		return HTTP_WHY_USER;
	if (s.len >= sizeof(text) || has(s, '\0'))
		return HTTP_WHY_HOST;
	memcpy(text, s.at, s.len);
	text[s.len] = '\0';
	if (net_target_parse(text, ret, NULL) < 0)
		return HTTP_WHY_HOST;
	if (ret->port && ret->port != port)
		return HTTP_WHY_PORT;
	ret->port = port;
	return HTTP_WHY_FINE;
}

/*
 * Only a slash ends the host of a URL here: in front of '?', '#' or '\' some readers would see
 * another one.
 */
static enum http_why take_url(struct reading *r, struct span url)
{
	static const char scheme[] = "http://";

	if (!begins(url, scheme))
		return HTTP_WHY_SCHEME;
	url.at += strlen(scheme);
	url.len -= strlen(scheme);
	r->absolute = true;
	return read_host(cut(&url, '/'), r->port, &r->url);
}

static enum http_why take_target(struct reading *r, struct span target)
{
	for (size_t i = 0; i < target.len; i++)
		if (target.at[i] <= 0x20 || target.at[i] >= 0x7f || target.at[i] == '#')
			return HTTP_WHY_TARGET;
	if (target.len > 0 && target.at[0] == '/')
		return HTTP_WHY_FINE;
	if (equal(target, "*"))
		return strcmp(r->request->method, "OPTIONS") == 0 ? HTTP_WHY_FINE : HTTP_WHY_TARGET;
	return has(target, ':') ? take_url(r, target) : HTTP_WHY_TARGET;
}

static enum http_why take_version(struct reading *r, struct span version)
{
	r->old = equal(version, "HTTP/1.0");
	if (r->old || equal(version, "HTTP/1.1"))
		return HTTP_WHY_FINE;
	if (begins(version, "http/2"))
		return HTTP_WHY_TWO;
	return begins(version, "http/") ? HTTP_WHY_VERSION : HTTP_WHY_LINE;
}

static enum http_why take_first(struct reading *r, struct span line)
{
	struct span method = cut(&line, ' '), target = cut(&line, ' ');
	enum http_why why;

	if (!is_token(method) || method.len >= sizeof(r->request->method))
		return HTTP_WHY_LINE;
	memcpy(r->request->method, method.at, method.len);
	why = take_version(r, line);
	if (why != HTTP_WHY_FINE)
		return why;
	if (same(method, "connect"))
		return HTTP_WHY_CONNECT;
	return take_target(r, target);
}

static enum http_why take_host(struct reading *r, struct span value)
{
	if (r->host_seen)
		return HTTP_WHY_TWO_HOSTS;
	r->host_seen = true;
	return read_host(value, r->port, &r->request->target);
}

/* Plain decimal: a sign, a list or a zero in front is read differently here and there. */
static enum http_why take_length(struct reading *r, struct span value)
{
	enum { DIGITS = 18 };
	uint64_t length = 0;

	if (r->length_seen)
		return HTTP_WHY_TWO_LENGTHS;
	r->length_seen = true;
	if (value.len == 0 || value.len > DIGITS || (value.len > 1 && value.at[0] == '0'))
		return HTTP_WHY_LENGTH;
	for (size_t i = 0; i < value.len; i++) {
		if (value.at[i] < '0' || value.at[i] > '9')
			return HTTP_WHY_LENGTH;
		length = length * 10 + (uint64_t)(value.at[i] - '0');
	}
	r->request->length = length;
	return HTTP_WHY_FINE;
}

static enum http_why take_coding(struct reading *r, struct span value)
{
	if (r->request->chunked || r->old || !equal(value, "chunked"))
		return HTTP_WHY_CODING;
	r->request->chunked = true;
	return HTTP_WHY_FINE;
}

/* Protocols in which further requests could follow, unseen. */
static enum http_why take_upgrade(struct reading *r, struct span value)
{
	static const char *const hiding[] = {"h2", "http", "spdy", "tls"};

	r->request->upgrade = true;
	while (value.len > 0) {
		struct span item = trim(cut(&value, ','));

		for (size_t i = 0; i < ARRAY_LEN(hiding); i++)
			if (begins(item, hiding[i]))
				return HTTP_WHY_UPGRADE;
	}
	return HTTP_WHY_FINE;
}

static enum http_why take_settings(struct reading *r, struct span value)
{
	(void)r;
	(void)value;
	return HTTP_WHY_UPGRADE;
}

/* A relay on the way removes what is named here: the request behind it would be another. */
static enum http_why take_connection(struct reading *r, struct span value)
{
	(void)r;
	while (value.len > 0) {
		struct span item = trim(cut(&value, ','));

		if (same(item, "host") || same(item, "content-length") ||
			same(item, "transfer-encoding"))
			return HTTP_WHY_HOP;
	}
	return HTTP_WHY_FINE;
}

static enum http_why take_expect(struct reading *r, struct span value)
{
	(void)r;
	return same(value, "100-continue") ? HTTP_WHY_FINE : HTTP_WHY_EXPECT;
}

/* The fields that say where a request goes and where it ends. None may stand behind a body. */
static const struct known {
	const char *name;
	enum http_why (*take)(struct reading *r, struct span value);
} known[] = {
	{"host", take_host},
	{"content-length", take_length},
	{"transfer-encoding", take_coding},
	{"upgrade", take_upgrade},
	{"http2-settings", take_settings},
	{"connection", take_connection},
	{"expect", take_expect},
};

static const struct known *find(struct span name)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (same(name, known[i].name))
			return &known[i];
	return NULL;
}

/* Servers that hand fields on as variables take '_' for '-': Content_Length is one more length. */
static bool is_lookalike(struct span name)
{
	char plain[sizeof("transfer-encoding")];

	if (name.len >= sizeof(plain) || !has(name, '_'))
		return false;
	for (size_t i = 0; i < name.len; i++)
		plain[i] = name.at[i] == '_' ? '-' : name.at[i];
	return find((struct span){plain, name.len});
}

/* r is NULL behind a body. */
static enum http_why take_field(struct reading *r, struct span line)
{
	bool colon = has(line, ':');
	struct span name = cut(&line, ':');
	const struct known *field;

	if (!colon)
		return HTTP_WHY_FIELD;
	if (name.len > 0 && is_blank(name.at[name.len - 1]))
		return HTTP_WHY_BLANK;
	if (!is_token(name) || is_lookalike(name))
		return HTTP_WHY_FIELD;
	field = find(name);
	if (!field)
		return HTTP_WHY_FINE;
	return r ? field->take(r, trim(line)) : HTTP_WHY_TRAILER;
}

static enum http_why take_fields(struct reading *r, struct span rest)
{
	enum http_why why = HTTP_WHY_FINE;

	for (struct span line = cut_line(&rest); line.len > 0 && why == HTTP_WHY_FINE;
		line = cut_line(&rest))
		why = take_field(r, line);
	return why;
}

static bool same_place(const struct net_target *a, const struct net_target *b)
{
	if (a->is_addr || b->is_addr)
		return a->is_addr && b->is_addr && a->addr.v4 == b->addr.v4 &&
		       memcmp(a->addr.bytes, b->addr.bytes, sizeof(a->addr.bytes)) == 0;
	return strcmp(a->host, b->host) == 0;
}

/* Servers that do not expect one take it for the next request; to some, case does not count. */
static bool has_no_body(const char *method)
{
	static const char *const without[] = {"get", "head", "delete", "options", "trace"};

	for (size_t i = 0; i < ARRAY_LEN(without); i++)
		if (same((struct span){method, strlen(method)}, without[i]))
			return true;
	return false;
}

/* What the fields say together. */
static enum http_why judge(const struct reading *r)
{
	const struct http_request *request = r->request;

	if (!r->host_seen)
		return HTTP_WHY_NO_HOST;
	if (r->absolute && !same_place(&r->url, &request->target))
		return HTTP_WHY_OTHER_HOST;
	if (request->chunked && r->length_seen)
		return HTTP_WHY_BOTH;
	if (request->upgrade && (request->chunked || request->length > 0))
		return HTTP_WHY_UPGRADE_BODY;
	if (has_no_body(request->method) && (request->chunked || request->length > 0))
		return HTTP_WHY_BODY;
	return HTTP_WHY_FINE;
}

enum http_why http_head_read(
	const uint8_t *bytes, size_t len, uint16_t port, struct http_request *ret)
{
	struct http_request request = {0};
	struct reading r = {.request = &request, .port = port};
	struct span rest = {(const char *)bytes, len};
	enum http_why why = take_first(&r, cut_line(&rest));

	if (why == HTTP_WHY_FINE)
		why = take_fields(&r, rest);
	if (why == HTTP_WHY_FINE)
		why = judge(&r);
	if (why == HTTP_WHY_FINE)
		*ret = request;
	return why;
}

enum http_why http_head_trailer(const uint8_t *bytes, size_t len)
{
	return take_fields(NULL, (struct span){(const char *)bytes, len});
}
