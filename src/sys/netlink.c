/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/netlink.h"

#include "base/cleanup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static void *grow(struct netlink *b, size_t size)
{
	void *p = b->data + b->len;

	/* The batch is not sent; what is written meanwhile goes to its start. */
	if (NLMSG_ALIGN(size) > sizeof(b->data) - b->len) {
		b->full = true;
		b->len = 0;
		return b->data;
	}
	b->len += NLMSG_ALIGN(size);
	return p;
}

void netlink_begin(struct netlink *b, int type, int flags, const void *header, size_t header_size)
{
	struct nlmsghdr *h;

	b->message = b->len;
	h = grow(b, sizeof *h);
	h->nlmsg_type = (uint16_t)type;
	h->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	h->nlmsg_seq = ++b->sequence;
	b->wanted += (flags & NLM_F_ACK) != 0;
	memcpy(grow(b, header_size), header, header_size);
}

void netlink_end(struct netlink *b)
{
	struct nlmsghdr *h = (struct nlmsghdr *)(void *)(b->data + b->message);

	h->nlmsg_len = (uint32_t)(b->len - b->message);
}

void netlink_put(struct netlink *b, int type, const void *data, size_t size)
{
	struct nlattr *a = grow(b, NLA_HDRLEN + size);

	a->nla_type = (uint16_t)type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + size);
	memcpy((char *)a + NLA_HDRLEN, data, size);
}

void netlink_put_text(struct netlink *b, int type, const char *text)
{
	netlink_put(b, type, text, strlen(text) + 1);
}

void netlink_put_be32(struct netlink *b, int type, uint32_t value)
{
	value = htonl(value);
	netlink_put(b, type, &value, sizeof value);
}

size_t netlink_open(struct netlink *b, int type)
{
	struct nlattr *a = grow(b, NLA_HDRLEN);

	a->nla_type = (uint16_t)(type | NLA_F_NESTED);
	return b->len - NLA_HDRLEN;
}

void netlink_close(struct netlink *b, size_t at)
{
	struct nlattr *a = (struct nlattr *)(void *)(b->data + at);

	a->nla_len = (uint16_t)(b->len - at);
}

/* One datagram of answers: how many messages it acknowledged, or the first error. */
static int count_answers(const char *data, size_t len)
{
	int count = 0;

	for (size_t at = 0; at + NLMSG_LENGTH(sizeof(int)) <= len;) {
		const struct nlmsghdr *header = (const struct nlmsghdr *)(const void *)(data + at);
		int error;

		if (header->nlmsg_len < NLMSG_LENGTH(sizeof(int)) || header->nlmsg_len > len - at)
			return -EBADMSG;
		memcpy(&error, data + at + NLMSG_HDRLEN, sizeof error);
		if (header->nlmsg_type != NLMSG_ERROR)
			return -EBADMSG;
		if (error)
			return error;
		count++;
		at += NLMSG_ALIGN(header->nlmsg_len);
	}
	return count;
}

int netlink_carry_out(const struct netlink *b, int protocol)
{
	auto_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	_Alignas(NLMSG_ALIGNTO) char answers[4096];

	if (fd < 0)
		return -errno;
	if (b->full)
		return -ENOBUFS;
	if (sendto(fd, b->data, b->len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
		return -errno;
	for (int left = b->wanted; left > 0;) {
		ssize_t n = recv(fd, answers, sizeof answers, 0);
		int r = n < 0 ? -errno : count_answers(answers, (size_t)n);

		if (r <= 0)
			return r < 0 ? r : -EBADMSG;
		left -= r;
	}
	return 0;
}
