/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The client's side of an HTTP connection on foreign bytes. The first byte says in what pieces they
 * come, and by its top bit what the server answers to upgrades. Held to: the same requests, the
 * same bytes passed on and the same refusal however the bytes are cut; never more passed on than
 * was given; no head passed on in parts; hosts are canonical, and stand in the head, which is one
 * for a second, plainer look as well.
 */

#include "guard/http.h"

#include "base/cleanup.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What became of a connection. */
struct outcome {
	size_t passed;
	uint64_t requests;
	bool refused;
	enum http_why why;
	enum http_state state;
	size_t heads[64];                /* where the first ones end */
	struct http_request targets[64]; /* and what they are */
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_target(const struct net_target *t)
{
	char again[NET_HOST_MAX];

	require(t->port == 80 && t->is_addr == !t->host[0]);
	if (!t->is_addr)
		require(net_host_canonical(t->host, again, NULL) == 0 &&
			strcmp(t->host, again) == 0);
}

/* One field of that name, in whatever case, and no line that does not end in CRLF. */
static void check_head(const uint8_t *head, size_t len)
{
	size_t hosts = 0;

	require(len >= 4 && memcmp(head + len - 4, "\r\n\r\n", 4) == 0);
	for (size_t i = 0; i < len; i++) {
		require(head[i] != '\0');
		require(head[i] != '\n' || (i > 0 && head[i - 1] == '\r'));
		require(head[i] != '\r' || (i + 1 < len && head[i + 1] == '\n'));
		if (head[i] == '\n' && len - i > 5 &&
			strncasecmp((const char *)head + i + 1, "host:", 5) == 0)
			hosts++;
	}
	require(hosts == 1);
}

static void note_request(
	struct outcome *o, const struct http_request *r, const uint8_t *head, size_t len)
{
	check_target(&r->target);
	check_head(head, len);
	require(r->method[0] && strlen(r->method) < HTTP_METHOD_MAX);
	require(!r->chunked || r->length == 0);
	if (o->requests < 64) {
		o->heads[o->requests] = o->passed + len;
		o->targets[o->requests] = *r;
	}
	require(r->number == ++o->requests);
}

/* Gives all that came and did not go on yet, as long as something goes on. */
static void pump(
	struct outcome *o, struct http_reader *r, const uint8_t *data, size_t come, bool switches)
{
	struct http_request request;
	enum http_answer answer;
	size_t n;

	while (!o->refused) {
		size_t len = come - o->passed;
		/* A block of exactly that size, so that one byte too far is seen. */
		auto_free uint8_t *kept = mem_alloc(len ? len : 1);

		memcpy(kept, data + o->passed, len);
		answer = http_feed(r, kept, len, &n, &request);
		require(n <= len);
		require((n > 0) == (answer == HTTP_PASS || answer == HTTP_REQUEST));
		o->refused = answer == HTTP_REFUSED;
		if (answer == HTTP_REQUEST)
			note_request(o, &request, kept, n);
		o->passed += n;
		if (r->state == HTTP_SWITCHING)
			http_switched(r, switches);
		else if (answer == HTTP_MORE)
			return;
	}
}

static struct outcome feed(const uint8_t *data, size_t size, size_t piece, bool switches)
{
	struct outcome o = {0};
	struct http_reader r;

	http_init(&r, 80);
	for (size_t come = 0; come < size;) {
		come += size - come < piece ? size - come : piece;
		pump(&o, &r, data, come, switches);
	}
	o.why = r.why;
	o.state = r.state;
	require(o.refused == (o.why != HTTP_WHY_FINE));
	require(o.refused == (o.state == HTTP_STOPPED));
	return o;
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
	require(a->passed == b->passed && a->requests == b->requests && a->why == b->why);
	require(a->state == b->state);
	for (size_t i = 0; i < 64 && i < a->requests; i++) {
		const struct http_request *x = &a->targets[i], *y = &b->targets[i];

		require(a->heads[i] == b->heads[i]);
		require(strcmp(x->method, y->method) == 0 && x->upgrade == y->upgrade);
		require(x->chunked == y->chunked && x->length == y->length);
		require(strcmp(x->target.host, y->target.host) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct outcome whole, slow, pieces;
	bool switches;

	if (size < 2 || size > 8192)
		return 0;
	switches = data[0] & 0x80;
	whole = feed(data + 1, size - 1, size - 1, switches);
	slow = feed(data + 1, size - 1, 1, switches);
	pieces = feed(data + 1, size - 1, (data[0] & 0x7fU) + 1, switches);
	check_same(&whole, &slow);
	check_same(&whole, &pieces);
	return 0;
}
