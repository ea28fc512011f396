/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The client's side of HTTP/1.x on one connection: where each request goes, and where it ends. The
 * guard holds back the head of every request until it has judged the host in it, passes the body
 * on, and so meets the next head, for as long as the connection lives. Pure; the bytes are the
 * caller's, who keeps only those that may not go yet.
 *
 * Should: see every request that a server could see in the same bytes. Mustn't: let one byte of a
 * head go before the head is complete, nor guess; what servers are known to read in different ways
 * (bare line ends, folded lines, two lengths, odd codings) ends the connection.
 */

#include "model/net.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_HEAD_MAX 65536 /* upper bound of what has to be kept */
#define HTTP_FIELDS_MAX 128
#define HTTP_METHOD_MAX 32

enum http_why {
	HTTP_WHY_FINE,
	HTTP_WHY_BARE,
	HTTP_WHY_CONTROL,
	HTTP_WHY_FOLD,
	HTTP_WHY_LONG,
	HTTP_WHY_MANY,
	HTTP_WHY_LEADING,
	HTTP_WHY_LINE,
	HTTP_WHY_VERSION,
	HTTP_WHY_TWO,
	HTTP_WHY_CONNECT,
	HTTP_WHY_TARGET,
	HTTP_WHY_SCHEME,
	HTTP_WHY_USER,
	HTTP_WHY_FIELD,
	HTTP_WHY_BLANK,
	HTTP_WHY_NO_HOST,
	HTTP_WHY_TWO_HOSTS,
	HTTP_WHY_HOST,
	HTTP_WHY_OTHER_HOST,
	HTTP_WHY_PORT,
	HTTP_WHY_LENGTH,
	HTTP_WHY_TWO_LENGTHS,
	HTTP_WHY_CODING,
	HTTP_WHY_BOTH,
	HTTP_WHY_HOP,
	HTTP_WHY_EXPECT,
	HTTP_WHY_BODY,
	HTTP_WHY_UPGRADE,
	HTTP_WHY_UPGRADE_BODY,
	HTTP_WHY_CHUNK,
	HTTP_WHY_CHUNK_LONG,
	HTTP_WHY_TRAILER,
	HTTP_WHY_COUNT
};
const char *http_why_text(enum http_why why); /* "two Host fields", ... */

struct http_request {
	uint64_t number; /* of the request on its connection, from 1 */
	char method[HTTP_METHOD_MAX];
	struct net_target target; /* the port is always that of the connection */
	bool upgrade;             /* HTTP_SWITCHING follows */
	bool chunked;
	uint64_t length; /* of the body, unless it is chunked */
};

enum http_state {
	HTTP_IN_HEAD,
	HTTP_IN_BODY,
	HTTP_IN_SIZE, /* of a chunk */
	HTTP_IN_EXTENSION,
	HTTP_IN_SIZE_END,
	HTTP_IN_CHUNK,
	HTTP_IN_CHUNK_CR,
	HTTP_IN_CHUNK_LF,
	HTTP_IN_TRAILER,
	HTTP_SWITCHING, /* after a request to upgrade: nothing goes on before http_switched() */
	HTTP_BLIND,     /* another protocol: everything goes on */
	HTTP_STOPPED,   /* refused; nothing goes on any more */
};

struct http_reader {
	enum http_state state;
	enum http_why why; /* when refused */
	uint16_t port;
	uint16_t count; /* digits of a size, or bytes of an extension */
	uint32_t line;  /* bytes of the line so far */
	uint32_t lines; /* before it, not empty */
	bool cr, blank, complete;
	size_t seen; /* of the bytes that wait */
	uint64_t left;
	uint64_t number;
};

/* port: where the connection leads. */
void http_init(struct http_reader *r, uint16_t port);

enum http_answer {
	HTTP_MORE,    /* the bytes stay where they are until others follow */
	HTTP_PASS,    /* *ret_pass bytes may go on */
	HTTP_REQUEST, /* so many bytes are the head of *ret, and may go on if that may */
	HTTP_REFUSED, /* r->why */
};

/*
 * bytes: all that came from the client and did not go on yet, so those that stayed are given again,
 * with others behind them; what was seen is not read twice. What may go on is at the front, and
 * must be taken away before the next call. Call until the answer is HTTP_MORE.
 */
enum http_answer http_feed(struct http_reader *r, const uint8_t *bytes, size_t len,
	size_t *ret_pass, struct http_request *ret);

/*
 * The server's answer to the request to upgrade: true if it was 101. Answers to earlier requests
 * that were not waited for come before it; a request's number tells whether there are any.
 */
void http_switched(struct http_reader *r, bool yes);

/* A whole answer 403 that says why, in one line; returns its length, 0 if there is no room. */
#define HTTP_REFUSAL_MAX 512
size_t http_refusal(char *out, size_t room, const char *why);
