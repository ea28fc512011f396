/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The first message of a TLS client, read for the server name in it. The guard feeds what a client
 * sends to a TLS port, piece by piece, keeps the same bytes, and forwards them only when the name
 * is known and allowed. Nothing is decrypted and nothing is changed. Pure; owns nothing.
 *
 * Should: find the one name that a server would take, however the message is cut into records and
 * pieces. Mustn't: name a host for a message that two readers could understand differently; what is
 * malformed, doubled or of an unknown kind is refused, not skipped.
 */

#include "model/net.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Upper bound of what has to be kept: the records of a hello, with their headers. */
#define HELLO_MAX 65536

enum hello_state {
	HELLO_MORE,     /* no answer yet: keep the bytes, feed the next */
	HELLO_NAMED,    /* a hello for `host` */
	HELLO_NAMELESS, /* a hello that names no server; why is HELLO_WHY_NO_NAME */
	HELLO_REFUSED,  /* `why` */
};

enum hello_why {
	HELLO_WHY_FINE,
	HELLO_WHY_NO_TLS,
	HELLO_WHY_SSL2,
	HELLO_WHY_VERSION,
	HELLO_WHY_NO_HELLO,
	HELLO_WHY_RECORD,
	HELLO_WHY_EMPTY,
	HELLO_WHY_TYPE,
	HELLO_WHY_LONG,
	HELLO_WHY_MALFORMED,
	HELLO_WHY_BEHIND,
	HELLO_WHY_NO_NAME,
	HELLO_WHY_TWO_NAMES,
	HELLO_WHY_KIND,
	HELLO_WHY_ADDRESS,
	HELLO_WHY_NAME,
	HELLO_WHY_COUNT
};
const char *hello_why_text(enum hello_why why); /* "no server name", ... */

/* Start from {0}. The members of the second part are the reader's own. */
struct hello {
	enum hello_state state;
	enum hello_why why;
	uint32_t used; /* bytes of the hello's records; later ones are not looked at */
	bool ech;      /* offers an encrypted hello, or pretends to; host is the outer name */
	char host[NET_HOST_MAX]; /* canonical; to be read only when HELLO_NAMED */

	bool ssl2, name_seen;
	uint8_t header, empty, part, vector;
	uint16_t record_left, extension_len, name_len;
	uint32_t need, left;
	uint64_t value;
};

/* The bytes that follow those that were fed before. Once there is an answer it stays. */
enum hello_state hello_feed(struct hello *h, const uint8_t *bytes, size_t len);

/* Whole records to answer with before the connection is closed. */
#define HELLO_ALERT_LEN 7
extern const uint8_t hello_alert_denied[HELLO_ALERT_LEN];  /* access_denied */
extern const uint8_t hello_alert_unnamed[HELLO_ALERT_LEN]; /* unrecognized_name */
