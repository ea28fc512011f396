/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Questions of a sandbox, and their answers. Of the first two bytes one chooses the number of
 * records and whether it is a stream, the other how much room there is; the rest is the message.
 * Held to: a host is canonical and only there when the caller may decide; an answer is never longer
 * than its room or what the asker takes, is an answer to that question, and its question reads back
 * as the same name.
 */

#include "guard/dns.h"

#include "base/cleanup.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEADER 12
#define RECORDS_MAX 128

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void check_host(const struct dns_question *q, int r)
{
	char again[NET_HOST_MAX], asked[NET_HOST_MAX];

	require(r == 0 || r == 1);
	dns_asked_name(q, asked);
	require(strspn(asked, "abcdefghijklmnopqrstuvwxyz0123456789-_.?") == strlen(asked));
	if (r == 1) {
		require(!q->host[0]);
		return;
	}
	require(q->rcode == DNS_NOERROR);
	require(net_host_canonical(q->host, again, NULL) == 0 && strcmp(q->host, again) == 0);
	require(strcmp(q->host, asked) == 0);
}

/* The answer as a query: without its flag, its records and what is behind the question. */
static void check_again(const struct dns_question *q, uint8_t *out, int settled)
{
	struct dns_question again;
	int r;

	if (q->wire_len == 0)
		return;
	out[2] &= 0x7f;
	memset(out + 6, 0, 6);
	r = dns_read(out, HEADER + (size_t)q->wire_len, &again);
	require(r >= 0 && again.type == q->type && again.wire_len == q->wire_len);
	require(memcmp(again.wire, q->wire, q->wire_len) == 0);
	if (!settled)
		require(r == 0 && strcmp(again.host, q->host) == 0);
}

static void check_answer(const struct dns_question *q, int settled, uint8_t how, uint8_t size)
{
	struct dns_answer answers[RECORDS_MAX];
	size_t count = how >> 1, room = (size_t)size * 16, len;
	bool tcp = how & 1;
	auto_free uint8_t *out = mem_alloc(room);

	for (size_t i = 0; i < RECORDS_MAX; i++)
		answers[i] = (struct dns_answer){{{11, 1, 2, 3}, i % 3 == 0}, 60};
	len = dns_write(q, q->rcode, answers, count, tcp, out, room);
	require(len <= room && (tcp || len <= q->limit));
	require(len > 0 || room < DNS_REPLY_MIN);
	if (len == 0)
		return;
	require(len >= HEADER + (size_t)q->wire_len && q->id == (out[0] << 8 | out[1]));
	require(out[2] & 0x80 && (out[3] & 15) == (q->rcode & 15));
	require((size_t)(out[6] << 8 | out[7]) <= count);
	require(dns_read(out, len, &(struct dns_question){0}) == -EBADMSG);
	check_again(q, out, settled);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_question q;
	int r;

	if (size < 2)
		return 0;
	r = dns_read(data + 2, size - 2, &q);
	if (r < 0) {
		require(r == -EBADMSG && (size < 2 + HEADER || data[4] & 0x80));
		return 0;
	}
	check_host(&q, r);
	check_answer(&q, r, data[0], data[1]);
	return 0;
}
