/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/hello.h"

#include "base/macro.h"

#include <string.h>

/*
 * Two machines, one upon the other. Records are five bytes of header and a content; the contents
 * together are the message, however it is cut. The message is a row of parts, each with a number of
 * bytes that is known when it begins, so each part is held against what is left of the message
 * before its first byte is taken: nothing can reach beyond its end.
 */
enum {
	RECORD_HANDSHAKE = 22,
	RECORD_MAX = 1 << 14,
	EMPTY_MAX = 8, /* records without content, which no client needs */
	CLIENT_HELLO = 1,
	MESSAGE_HEADER = 4,
	RANDOM_LEN = 32,
	EXTENSION_HEADER = 4,
	EXTENSION_NAME = 0,
	EXTENSION_ECH = 0xfe0d,
	NAME_HEADER = 5, /* length of the list, kind of the name, length of the name */
	NAME_HOST = 0,
};

enum part {
	PART_BEGIN,
	PART_MESSAGE,
	PART_VERSION,
	PART_RANDOM,
	PART_VECTOR_LEN,
	PART_VECTOR,
	PART_EXTENSIONS_LEN,
	PART_EXTENSION,
	PART_CONTENT,
	PART_NAME_HEADER,
	PART_NAME,
};

/* What stands between the random bytes and the extensions: session, cipher suites, compression. */
static const struct vector {
	uint8_t len_size;
	uint16_t min, max;
	uint16_t unit;
} vectors[] = {
	{.len_size = 1, .min = 0, .max = 32, .unit = 1},
	{.len_size = 2, .min = 2, .max = 65534, .unit = 2},
	{.len_size = 1, .min = 1, .max = 255, .unit = 1},
};

static const char *const why_texts[] = {
	[HELLO_WHY_FINE] = "",
	[HELLO_WHY_NO_TLS] = "no TLS",
	[HELLO_WHY_SSL2] = "a hello of SSL 2",
	[HELLO_WHY_VERSION] = "an unknown version of TLS",
	[HELLO_WHY_NO_HELLO] = "TLS that does not begin with a hello",
	[HELLO_WHY_RECORD] = "a TLS record that is too long",
	[HELLO_WHY_EMPTY] = "too many empty TLS records",
	[HELLO_WHY_TYPE] = "another TLS record in the middle of the hello",
	[HELLO_WHY_LONG] = "a TLS hello that is too long",
	[HELLO_WHY_MALFORMED] = "a malformed TLS hello",
	[HELLO_WHY_BEHIND] = "something behind the TLS hello in its record",
	[HELLO_WHY_NO_NAME] = "no server name",
	[HELLO_WHY_TWO_NAMES] = "two server names",
	[HELLO_WHY_KIND] = "a server name of an unknown kind",
	[HELLO_WHY_ADDRESS] = "an address as server name",
	[HELLO_WHY_NAME] = "a server name that is none",
};
_Static_assert(ARRAY_LEN(why_texts) == HELLO_WHY_COUNT, "a text for each reason");
_Static_assert(sizeof(struct hello) < 400, "every connection has one");

/* Type alert, version 3.3, two bytes, fatal. */
const uint8_t hello_alert_denied[HELLO_ALERT_LEN] = {21, 3, 3, 0, 2, 2, 49};
const uint8_t hello_alert_unnamed[HELLO_ALERT_LEN] = {21, 3, 3, 0, 2, 2, 112};

const char *hello_why_text(enum hello_why why)
{
	return why_texts[why];
}

static void refuse(struct hello *h, enum hello_why why)
{
	h->state = HELLO_REFUSED;
	h->why = why;
	h->host[0] = '\0';
}

static void begin(struct hello *h, enum part part, uint32_t need)
{
	h->part = (uint8_t)part;
	h->need = need;
	h->value = 0;
	if (need > h->left)
		refuse(h, HELLO_WHY_MALFORMED);
}

static void end(struct hello *h)
{
	if (h->record_left > 0) {
		refuse(h, HELLO_WHY_BEHIND);
	} else if (h->name_seen) {
		h->state = HELLO_NAMED;
	} else {
		h->state = HELLO_NAMELESS;
		h->why = HELLO_WHY_NO_NAME;
	}
}

static void next_extension(struct hello *h)
{
	if (h->left == 0)
		end(h);
	else
		begin(h, PART_EXTENSION, EXTENSION_HEADER);
}

/* Without extensions the message ends here: older than they are, but well formed. */
static void next_vector(struct hello *h, unsigned vector)
{
	h->vector = (uint8_t)vector;
	if (vector < ARRAY_LEN(vectors))
		begin(h, PART_VECTOR_LEN, vectors[vector].len_size);
	else if (h->left == 0)
		end(h);
	else
		begin(h, PART_EXTENSIONS_LEN, 2);
}

static void message_done(struct hello *h)
{
	uint32_t len = h->value & 0xffffff;

	if (h->value >> 24 != CLIENT_HELLO) {
		refuse(h, HELLO_WHY_NO_HELLO);
	} else if (len > HELLO_MAX) {
		refuse(h, HELLO_WHY_LONG);
	} else {
		h->left = len;
		begin(h, PART_VERSION, 2);
	}
}

static void version_done(struct hello *h)
{
	if (h->value >= 0x0301 && h->value <= 0x0304)
		begin(h, PART_RANDOM, RANDOM_LEN);
	else
		refuse(h, HELLO_WHY_VERSION);
}

static void vector_len_done(struct hello *h)
{
	const struct vector *v = &vectors[h->vector];
	uint32_t len = (uint32_t)h->value;

	if (len < v->min || len > v->max || len % v->unit)
		refuse(h, HELLO_WHY_MALFORMED);
	else if (len == 0)
		next_vector(h, h->vector + 1U);
	else
		begin(h, PART_VECTOR, len);
}

static void extension_done(struct hello *h)
{
	uint32_t type = (uint32_t)h->value >> 16, len = h->value & 0xffff;

	h->extension_len = (uint16_t)len;
	if (type == EXTENSION_ECH)
		h->ech = true;
	if (type == EXTENSION_NAME && h->name_seen)
		refuse(h, HELLO_WHY_TWO_NAMES);
	else if (type == EXTENSION_NAME && len < NAME_HEADER)
		refuse(h, HELLO_WHY_MALFORMED);
	else if (len > h->left)
		refuse(h, HELLO_WHY_MALFORMED);
	else if (type == EXTENSION_NAME)
		begin(h, PART_NAME_HEADER, NAME_HEADER);
	else if (len == 0)
		next_extension(h);
	else
		begin(h, PART_CONTENT, len);
}

/* The list holds exactly one name, and the extension exactly the list. */
static void name_header_done(struct hello *h)
{
	uint32_t list = (uint32_t)(h->value >> 24), kind = h->value >> 16 & 0xff;
	uint32_t len = h->value & 0xffff;

	h->name_len = (uint16_t)len;
	if (list + 2 != h->extension_len || len + 3 > list)
		refuse(h, HELLO_WHY_MALFORMED);
	else if (kind != NAME_HOST)
		refuse(h, HELLO_WHY_KIND);
	else if (len + 3 < list)
		refuse(h, HELLO_WHY_TWO_NAMES);
	else if (len == 0 || len >= sizeof(h->host))
		refuse(h, HELLO_WHY_NAME);
	else
		begin(h, PART_NAME, len);
}

static void name_done(struct hello *h)
{
	char name[sizeof(h->host)];
	struct netaddr addr;

	memcpy(name, h->host, h->name_len);
	name[h->name_len] = '\0';
	h->name_seen = true;
	if (strlen(name) != h->name_len)
		refuse(h, HELLO_WHY_NAME);
	else if (netaddr_parse(name, &addr, NULL) == 0)
		refuse(h, HELLO_WHY_ADDRESS);
	else if (net_host_canonical(name, h->host, NULL) < 0)
		refuse(h, HELLO_WHY_NAME);
	else
		next_extension(h);
}

static void part_done(struct hello *h)
{
	switch ((enum part)h->part) {
	case PART_BEGIN:
		break;
	case PART_MESSAGE:
		message_done(h);
		break;
	case PART_VERSION:
		version_done(h);
		break;
	case PART_RANDOM:
		next_vector(h, 0);
		break;
	case PART_VECTOR_LEN:
		vector_len_done(h);
		break;
	case PART_VECTOR:
		next_vector(h, h->vector + 1U);
		break;
	case PART_EXTENSIONS_LEN:
		if (h->value == h->left)
			next_extension(h);
		else
			refuse(h, HELLO_WHY_MALFORMED);
		break;
	case PART_EXTENSION:
		extension_done(h);
		break;
	case PART_CONTENT:
		next_extension(h);
		break;
	case PART_NAME_HEADER:
		name_header_done(h);
		break;
	case PART_NAME:
		name_done(h);
		break;
	}
}

/* An SSL 2 hello has two bytes of length, the first with its top bit set, and then its type. */
static void take_type(struct hello *h, uint8_t byte)
{
	if (byte == RECORD_HANDSHAKE)
		return;
	if (h->used > 0)
		refuse(h, HELLO_WHY_TYPE);
	else if (byte & 0x80)
		h->ssl2 = true;
	else
		refuse(h, HELLO_WHY_NO_TLS);
}

static void take_len(struct hello *h)
{
	h->header = 0;
	if (h->record_left > RECORD_MAX)
		refuse(h, HELLO_WHY_RECORD);
	else if (h->record_left == 0 && ++h->empty > EMPTY_MAX)
		refuse(h, HELLO_WHY_EMPTY);
}

static void take_header(struct hello *h, uint8_t byte)
{
	switch (h->header++) {
	case 0:
		take_type(h, byte);
		break;
	case 1:
		if (!h->ssl2 && byte != 3)
			refuse(h, HELLO_WHY_NO_TLS);
		break;
	case 2:
		if (h->ssl2)
			refuse(h, byte == CLIENT_HELLO ? HELLO_WHY_SSL2 : HELLO_WHY_NO_TLS);
		else if (byte < 1 || byte > 4)
			refuse(h, HELLO_WHY_VERSION);
		break;
	case 3:
		h->record_left = (uint16_t)(byte << 8);
		break;
	default:
		h->record_left |= byte;
		take_len(h);
	}
	h->used++;
}

/* Takes what belongs to the present part and lies in the present record; returns how much. */
static size_t take_content(struct hello *h, const uint8_t *bytes, size_t len)
{
	size_t n = len < h->record_left ? len : h->record_left;

	if (n > h->need)
		n = h->need;
	if (h->part == PART_NAME)
		memcpy(h->host + (h->name_len - h->need), bytes, n);
	else
		for (size_t i = 0; i < n; i++)
			h->value = h->value << 8 | bytes[i];
	h->used += (uint32_t)n;
	h->record_left -= (uint16_t)n;
	h->left -= (uint32_t)n;
	h->need -= (uint32_t)n;
	if (h->need == 0)
		part_done(h);
	return n;
}

enum hello_state hello_feed(struct hello *h, const uint8_t *bytes, size_t len)
{
	size_t at = 0;

	if (h->part == PART_BEGIN) {
		h->left = MESSAGE_HEADER;
		begin(h, PART_MESSAGE, MESSAGE_HEADER);
	}
	while (h->state == HELLO_MORE && at < len) {
		size_t room = HELLO_MAX - h->used;

		if (room == 0)
			refuse(h, HELLO_WHY_LONG);
		else if (h->record_left == 0 || h->header > 0)
			take_header(h, bytes[at++]);
		else
			at += take_content(h, bytes + at, len - at < room ? len - at : room);
	}
	return h->state;
}
