/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Hellos of TLS clients on foreign bytes. The first byte says in what pieces they come; with its
 * top bit set the rest is the message alone, and is put into records of that size. Held to: the
 * same answer however the bytes are cut; nothing is used that was not given; a name is canonical
 * and the one that a plain reader of the whole message finds.
 */

#include "guard/hello.h"

#include "base/cleanup.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static struct hello feed(const uint8_t *data, size_t size, size_t piece)
{
	struct hello h = {0};

	for (size_t at = 0; at < size; at += piece)
		hello_feed(&h, data + at, size - at < piece ? size - at : piece);
	return h;
}

static void check_same(const struct hello *a, const struct hello *b)
{
	require(a->state == b->state && a->why == b->why && a->used == b->used);
	require(a->ech == b->ech);
	if (a->state == HELLO_NAMED)
		require(strcmp(a->host, b->host) == 0);
}

static size_t number(const uint8_t *p, size_t size)
{
	size_t value = 0;

	while (size-- > 0)
		value = value << 8 | *p++;
	return value;
}

/* The contents of the records, which are known to be well formed; returns their length. */
static size_t join(const uint8_t *data, size_t used, uint8_t *out)
{
	size_t len = 0;

	for (size_t at = 0, n; at < used; at += 5 + n) {
		n = number(data + at + 3, 2);
		require(data[at] == 22 && at + 5 + n <= used);
		memcpy(out + len, data + at + 5, n);
		len += n;
	}
	return len;
}

/* The name in a message that is known to be well formed, NULL when there is none. */
static const uint8_t *find_name(const uint8_t *m, size_t len, size_t *ret_len)
{
	size_t at = 4 + 2 + 32, end;

	require(len == 4 + number(m + 1, 3));
	at += 1 + number(m + at, 1);
	at += 2 + number(m + at, 2);
	at += 1 + number(m + at, 1);
	if (at == len)
		return NULL;
	end = at + 2 + number(m + at, 2);
	require(end == len);
	for (at += 2; at < end; at += 4 + number(m + at + 2, 2)) {
		require(at + 4 + number(m + at + 2, 2) <= end);
		if (number(m + at, 2) == 0) {
			*ret_len = number(m + at + 7, 2);
			return m + at + 9;
		}
	}
	return NULL;
}

static void check_answer(const struct hello *h, const uint8_t *data)
{
	auto_free uint8_t *message = mem_alloc(h->used + 1);
	char again[NET_HOST_MAX];
	size_t name_len = 0;
	const uint8_t *name = find_name(message, join(data, h->used, message), &name_len);

	require(!name == (h->state == HELLO_NAMELESS));
	if (!name)
		return;
	require(net_host_canonical(h->host, again, NULL) == 0 && strcmp(h->host, again) == 0);
	require(netaddr_parse(h->host, &(struct netaddr){0}, NULL) < 0);
	require(name_len - strlen(h->host) <= 1);
	for (size_t i = 0; h->host[i]; i++)
		require(h->host[i] == (name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]));
}

static void check_bytes(const uint8_t *data, size_t size, size_t piece)
{
	struct hello whole = feed(data, size, size), slow = feed(data, size, 1);
	struct hello pieces = feed(data, size, piece);

	check_same(&whole, &slow);
	check_same(&whole, &pieces);
	require(whole.used <= size && whole.used <= HELLO_MAX);
	require((whole.why == HELLO_WHY_FINE) ==
		(whole.state == HELLO_MORE || whole.state == HELLO_NAMED));
	if (whole.state == HELLO_MORE)
		require(whole.used == size);
	if (whole.state == HELLO_NAMED || whole.state == HELLO_NAMELESS)
		check_answer(&whole, data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free uint8_t *wire = NULL;
	size_t piece, len = 0;

	if (size < 2 || size > 80000)
		return 0;
	piece = (data[0] & 0x7fU) + 1;
	if (!(data[0] & 0x80)) {
		check_bytes(data + 1, size - 1, piece);
		return 0;
	}
	wire = mem_alloc(size * 6);
	for (size_t at = 1, n; at < size; at += n) {
		n = size - at < piece ? size - at : piece;
		memcpy(wire + len, (uint8_t[]){22, 3, 1, 0, (uint8_t)n}, 5);
		memcpy(wire + len + 5, data + at, n);
		len += 5 + n;
	}
	check_bytes(wire, len, piece);
	return 0;
}
