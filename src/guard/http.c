/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/http.h"

#include "base/macro.h"
#include "base/str.h"
#include "guard/http_head.h"

#include <stdio.h>
#include <string.h>

enum {
	SIZE_DIGITS = 15, /* of a chunk: far from overflow */
	EXTENSION_MAX = 256,
	REASON_MAX = 200,
};

static const char *const why_texts[] = {
	[HTTP_WHY_FINE] = "",
	[HTTP_WHY_BARE] = "a CR or LF that stands alone",
	[HTTP_WHY_CONTROL] = "a control character in a request",
	[HTTP_WHY_FOLD] = "a line that begins with a blank",
	[HTTP_WHY_LONG] = "a head that is too long",
	[HTTP_WHY_MANY] = "too many header fields",
	[HTTP_WHY_LEADING] = "empty lines in front of a request",
	[HTTP_WHY_LINE] = "no HTTP request",
	[HTTP_WHY_VERSION] = "an unknown version of HTTP",
	[HTTP_WHY_TWO] = "HTTP/2 without TLS",
	[HTTP_WHY_CONNECT] = "CONNECT, but this is no proxy",
	[HTTP_WHY_TARGET] = "a request for something that is no path",
	[HTTP_WHY_SCHEME] = "a URL that is not http",
	[HTTP_WHY_USER] = "a user in front of the host",
	[HTTP_WHY_FIELD] = "a header field that is none",
	[HTTP_WHY_BLANK] = "a blank between a field and its colon",
	[HTTP_WHY_NO_HOST] = "no Host field",
	[HTTP_WHY_TWO_HOSTS] = "two Host fields",
	[HTTP_WHY_HOST] = "a host that is none",
	[HTTP_WHY_OTHER_HOST] = "a URL and a Host field that differ",
	[HTTP_WHY_PORT] = "a host with a port that is not the connection's",
	[HTTP_WHY_LENGTH] = "a Content-Length that is none",
	[HTTP_WHY_TWO_LENGTHS] = "two Content-Length fields",
	[HTTP_WHY_CODING] = "a Transfer-Encoding that is not chunked",
	[HTTP_WHY_BOTH] = "Content-Length and Transfer-Encoding together",
	[HTTP_WHY_HOP] = "a Connection field that takes Host or the length away",
	[HTTP_WHY_BODY] = "a body with a method that has none",
	[HTTP_WHY_EXPECT] = "an expectation that is not 100-continue",
	[HTTP_WHY_UPGRADE] = "an upgrade that would hide requests",
	[HTTP_WHY_UPGRADE_BODY] = "an upgrade with a body",
	[HTTP_WHY_CHUNK] = "a malformed chunk",
	[HTTP_WHY_CHUNK_LONG] = "an extension of a chunk that is too long",
	[HTTP_WHY_TRAILER] = "a field that may not stand behind a body",
};
_Static_assert(ARRAY_LEN(why_texts) == HTTP_WHY_COUNT, "a text for each reason");
_Static_assert(sizeof(struct http_reader) < 400, "every connection has one");

const char *http_why_text(enum http_why why)
{
	return why_texts[why];
}

void http_init(struct http_reader *r, uint16_t port)
{
	*r = (struct http_reader){.port = port};
}

static enum http_answer stop(struct http_reader *r, enum http_why why)
{
	r->state = HTTP_STOPPED;
	r->why = why;
	return HTTP_REFUSED;
}

/* Into a state that begins with nothing seen. */
static void enter(struct http_reader *r, enum http_state state)
{
	*r = (struct http_reader){.state = state, .port = r->port, .number = r->number};
}

/* An empty line ends the lines; one in front of a request is what some clients put behind a body.
 */
static enum http_why end_line(struct http_reader *r)
{
	if (r->line > 0) {
		r->line = 0;
		return ++r->lines > HTTP_FIELDS_MAX + 1 ? HTTP_WHY_MANY : HTTP_WHY_FINE;
	}
	if (r->lines > 0 || r->state == HTTP_IN_TRAILER)
		r->complete = true;
	else if (r->blank)
		return HTTP_WHY_LEADING;
	r->blank = true;
	return HTTP_WHY_FINE;
}

static enum http_why see_byte(struct http_reader *r, uint8_t c)
{
	if (r->cr != (c == '\n'))
		return HTTP_WHY_BARE;
	r->cr = c == '\r';
	if (c == '\n')
		return end_line(r);
	if (c == '\r')
		return HTTP_WHY_FINE;
	if ((c < 0x20 && c != '\t') || c == 0x7f)
		return HTTP_WHY_CONTROL;
	if (r->line == 0 && (c == ' ' || c == '\t'))
		return HTTP_WHY_FOLD;
	r->line++;
	return HTTP_WHY_FINE;
}

/* The bytes that were not seen yet, up to an empty line; r->seen is then the length. */
static enum http_why see_lines(struct http_reader *r, const uint8_t *bytes, size_t len)
{
	while (r->seen < len && !r->complete) {
		enum http_why why =
			r->seen < HTTP_HEAD_MAX ? see_byte(r, bytes[r->seen]) : HTTP_WHY_LONG;

		if (why != HTTP_WHY_FINE)
			return why;
		r->seen++;
	}
	return HTTP_WHY_FINE;
}

static enum http_state state_behind(const struct http_request *request)
{
	if (request->upgrade)
		return HTTP_SWITCHING;
	if (request->chunked)
		return HTTP_IN_SIZE;
	return request->length > 0 ? HTTP_IN_BODY : HTTP_IN_HEAD;
}

static enum http_answer feed_head(struct http_reader *r, const uint8_t *bytes, size_t len,
	size_t *ret_pass, struct http_request *ret)
{
	struct http_request request = {0};
	enum http_why why = see_lines(r, bytes, len);
	size_t lead;

	if (why != HTTP_WHY_FINE)
		return stop(r, why);
	if (!r->complete)
		return HTTP_MORE;
	lead = bytes[0] == '\r' ? 2 : 0;
	why = http_head_read(bytes + lead, r->seen - lead, r->port, &request);
	if (why != HTTP_WHY_FINE)
		return stop(r, why);
	request.number = ++r->number;
	*ret_pass = r->seen;
	*ret = request;
	enter(r, state_behind(&request));
	r->left = request.length;
	return HTTP_REQUEST;
}

static enum http_answer feed_trailer(
	struct http_reader *r, const uint8_t *bytes, size_t len, size_t *ret_pass)
{
	enum http_why why = see_lines(r, bytes, len);

	if (why == HTTP_WHY_FINE && r->complete)
		why = http_head_trailer(bytes, r->seen);
	if (why != HTTP_WHY_FINE)
		return stop(r, why);
	if (!r->complete)
		return HTTP_MORE;
	*ret_pass = r->seen;
	enter(r, HTTP_IN_HEAD);
	return HTTP_PASS;
}

static enum http_why size_byte(struct http_reader *r, uint8_t c)
{
	int digit = str_hex_digit((char)c);

	if (digit >= 0 && r->count < SIZE_DIGITS) {
		r->left = r->left << 4 | (unsigned)digit;
		r->count++;
	} else if (digit >= 0 || r->count == 0) {
		return HTTP_WHY_CHUNK;
	} else if (c == '\r') {
		r->state = HTTP_IN_SIZE_END;
	} else if (c == ';') {
		r->state = HTTP_IN_EXTENSION;
		r->count = 0;
	} else {
		return HTTP_WHY_CHUNK;
	}
	return HTTP_WHY_FINE;
}

static enum http_why extension_byte(struct http_reader *r, uint8_t c)
{
	if (c == '\r')
		r->state = HTTP_IN_SIZE_END;
	else if (c == '\n')
		return HTTP_WHY_BARE;
	else if ((c < 0x20 && c != '\t') || c >= 0x7f)
		return HTTP_WHY_CHUNK;
	else if (r->count == EXTENSION_MAX)
		return HTTP_WHY_CHUNK_LONG;
	else
		r->count++;
	return HTTP_WHY_FINE;
}

/* A byte around the chunks. One that is refused changes nothing. */
static enum http_why frame_byte(struct http_reader *r, uint8_t c)
{
	uint64_t left = r->left;

	if (r->state == HTTP_IN_SIZE)
		return size_byte(r, c);
	if (r->state == HTTP_IN_EXTENSION)
		return extension_byte(r, c);
	if (r->state == HTTP_IN_CHUNK_CR) {
		if (c != '\r')
			return HTTP_WHY_CHUNK;
		r->state = HTTP_IN_CHUNK_LF;
		return HTTP_WHY_FINE;
	}
	if (c != '\n')
		return HTTP_WHY_BARE;
	if (r->state == HTTP_IN_CHUNK_LF)
		enter(r, HTTP_IN_SIZE);
	else
		enter(r, left > 0 ? HTTP_IN_CHUNK : HTTP_IN_TRAILER);
	r->left = left;
	return HTTP_WHY_FINE;
}

static size_t take_content(struct http_reader *r, size_t len)
{
	size_t n = len < r->left ? len : (size_t)r->left;

	r->left -= n;
	if (r->left == 0)
		enter(r, r->state == HTTP_IN_CHUNK ? HTTP_IN_CHUNK_CR : HTTP_IN_HEAD);
	return n;
}

static bool in_body(const struct http_reader *r)
{
	return r->state >= HTTP_IN_BODY && r->state <= HTTP_IN_CHUNK_LF;
}

/* What is good goes on before a bad byte behind it ends all, however the bytes come in pieces. */
static enum http_answer feed_body(
	struct http_reader *r, const uint8_t *bytes, size_t len, size_t *ret_pass)
{
	size_t n = 0;

	while (n < len && in_body(r)) {
		enum http_why why = HTTP_WHY_FINE;

		if (r->state == HTTP_IN_BODY || r->state == HTTP_IN_CHUNK)
			n += take_content(r, len - n);
		else if ((why = frame_byte(r, bytes[n])) == HTTP_WHY_FINE)
			n++;
		if (why != HTTP_WHY_FINE && n == 0)
			return stop(r, why);
		if (why != HTTP_WHY_FINE)
			break;
	}
	*ret_pass = n;
	return n > 0 ? HTTP_PASS : HTTP_MORE;
}

enum http_answer http_feed(struct http_reader *r, const uint8_t *bytes, size_t len,
	size_t *ret_pass, struct http_request *ret)
{
	*ret_pass = 0;
	switch (r->state) {
	case HTTP_IN_HEAD:
		return feed_head(r, bytes, len, ret_pass, ret);
	case HTTP_IN_BODY:
	case HTTP_IN_SIZE:
	case HTTP_IN_EXTENSION:
	case HTTP_IN_SIZE_END:
	case HTTP_IN_CHUNK:
	case HTTP_IN_CHUNK_CR:
	case HTTP_IN_CHUNK_LF:
		return feed_body(r, bytes, len, ret_pass);
	case HTTP_IN_TRAILER:
		return feed_trailer(r, bytes, len, ret_pass);
	case HTTP_SWITCHING:
		return HTTP_MORE;
	case HTTP_BLIND:
		*ret_pass = len;
		return len > 0 ? HTTP_PASS : HTTP_MORE;
	case HTTP_STOPPED:
		break;
	}
	return HTTP_REFUSED;
}

void http_switched(struct http_reader *r, bool yes)
{
	if (r->state == HTTP_SWITCHING)
		enter(r, yes ? HTTP_BLIND : HTTP_IN_HEAD);
}

/* Whatever the reason says, it cannot begin another line or another field. */
size_t http_refusal(char *out, size_t room, const char *why)
{
	char text[REASON_MAX + 1];
	size_t len = 0;
	int n;

	for (; why[len] && len < REASON_MAX; len++)
		text[len] = why[len] >= 0x20 && why[len] < 0x7f ? why[len] : '?';
	text[len] = '\0';
	n = snprintf(out, room,
		"HTTP/1.1 403 Forbidden\r\n"
		"Content-Type: text/plain\r\n"
		"Content-Length: %zu\r\n"
		"Connection: close\r\n"
		"\r\n"
		"%s\n",
		len + 1, text);
	return n > 0 && (size_t)n < room ? (size_t)n : 0;
}
