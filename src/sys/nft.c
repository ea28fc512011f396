/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/nft.h"

#include "base/cleanup.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#define TABLE "ward"
#define CHAIN "in"
#define PRIORITY_MANGLE (-150)
#define PORT 1 /* any: no packet ever passes here */

/* A batch of messages; all of them are small and of known size. */
struct batch {
	_Alignas(NLMSG_ALIGNTO) char data[1024];
	size_t len;
	size_t message; /* where the one being written starts */
	uint32_t sequence;
	bool full;
};

static void *grow(struct batch *b, size_t size)
{
	void *p = b->data + b->len;

	if (size > sizeof(b->data) - b->len) {
		b->full = true; /* the batch is not sent; what is written meanwhile goes to its
				   start */
		return b->data;
	}
	b->len += NLMSG_ALIGN(size);
	return p;
}

static void begin(struct batch *b, int type, int flags, int family, int resource)
{
	struct nlmsghdr *header;
	struct nfgenmsg *body;

	b->message = b->len;
	header = grow(b, sizeof(*header));
	header->nlmsg_type = (uint16_t)type;
	header->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	header->nlmsg_seq = ++b->sequence;
	body = grow(b, sizeof(*body));
	body->nfgen_family = (uint8_t)family;
	body->version = NFNETLINK_V0;
	body->res_id = htons((uint16_t)resource);
}

static void end(struct batch *b)
{
	struct nlmsghdr *header = (struct nlmsghdr *)(void *)(b->data + b->message);

	header->nlmsg_len = (uint32_t)(b->len - b->message);
}

static void put(struct batch *b, int type, const void *data, size_t size)
{
	struct nlattr *a = grow(b, NLA_HDRLEN + size);

	a->nla_type = (uint16_t)type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + size);
	memcpy((char *)a + NLA_HDRLEN, data, size);
}

static void put_text(struct batch *b, int type, const char *text)
{
	put(b, type, text, strlen(text) + 1);
}

static void put_u32(struct batch *b, int type, uint32_t value)
{
	value = htonl(value);
	put(b, type, &value, sizeof(value));
}

/* An attribute that holds attributes: open returns its place, which close needs. */
static size_t open_nest(struct batch *b, int type)
{
	size_t at = b->len;
	struct nlattr *a = grow(b, NLA_HDRLEN);

	a->nla_type = (uint16_t)(type | NLA_F_NESTED);
	return at;
}

static void close_nest(struct batch *b, size_t at)
{
	struct nlattr *a = (struct nlattr *)(void *)(b->data + at);

	a->nla_len = (uint16_t)(b->len - at);
}

static void put_value(struct batch *b, int type, const void *data, size_t size)
{
	size_t nest = open_nest(b, type);

	put(b, NFTA_DATA_VALUE, data, size);
	close_nest(b, nest);
}

static void add_table(struct batch *b)
{
	begin(b, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_ACK,
		NFPROTO_INET, 0);
	put_text(b, NFTA_TABLE_NAME, TABLE);
	end(b);
}

static void add_chain(struct batch *b)
{
	size_t hook;

	begin(b, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_ACK,
		NFPROTO_INET, 0);
	put_text(b, NFTA_CHAIN_TABLE, TABLE);
	put_text(b, NFTA_CHAIN_NAME, CHAIN);
	hook = open_nest(b, NFTA_CHAIN_HOOK);
	put_u32(b, NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
	put_u32(b, NFTA_HOOK_PRIORITY, (uint32_t)PRIORITY_MANGLE);
	close_nest(b, hook);
	put_text(b, NFTA_CHAIN_TYPE, "filter");
	end(b);
}

/* An expression of a rule: its name, then what fill writes. */
static void add_expression(struct batch *b, const char *name, void (*fill)(struct batch *b))
{
	size_t element = open_nest(b, NFTA_LIST_ELEM), data;

	put_text(b, NFTA_EXPR_NAME, name);
	data = open_nest(b, NFTA_EXPR_DATA);
	fill(b);
	close_nest(b, data);
	close_nest(b, element);
}

static void fill_meta(struct batch *b)
{
	put_u32(b, NFTA_META_KEY, NFT_META_L4PROTO);
	put_u32(b, NFTA_META_DREG, NFT_REG_1);
}

static void fill_compare(struct batch *b)
{
	uint8_t protocol = IPPROTO_TCP;

	put_u32(b, NFTA_CMP_SREG, NFT_REG_1);
	put_u32(b, NFTA_CMP_OP, NFT_CMP_EQ);
	put_value(b, NFTA_CMP_DATA, &protocol, sizeof(protocol));
}

static void fill_port(struct batch *b)
{
	uint16_t port = htons(PORT);

	put_u32(b, NFTA_IMMEDIATE_DREG, NFT_REG_1);
	put_value(b, NFTA_IMMEDIATE_DATA, &port, sizeof(port));
}

static void fill_tproxy(struct batch *b)
{
	put_u32(b, NFTA_TPROXY_FAMILY, NFPROTO_IPV4);
	put_u32(b, NFTA_TPROXY_REG_PORT, NFT_REG_1);
}

static void add_rule(struct batch *b)
{
	size_t expressions;

	begin(b, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWRULE,
		NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK, NFPROTO_INET, 0);
	put_text(b, NFTA_RULE_TABLE, TABLE);
	put_text(b, NFTA_RULE_CHAIN, CHAIN);
	expressions = open_nest(b, NFTA_RULE_EXPRESSIONS);
	add_expression(b, "meta", fill_meta);
	add_expression(b, "cmp", fill_compare);
	add_expression(b, "immediate", fill_port);
	add_expression(b, "tproxy", fill_tproxy);
	close_nest(b, expressions);
	end(b);
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
		memcpy(&error, data + at + NLMSG_HDRLEN, sizeof(error));
		if (header->nlmsg_type != NLMSG_ERROR)
			return -EBADMSG;
		if (error)
			return error;
		count++;
		at += NLMSG_ALIGN(header->nlmsg_len);
	}
	return count;
}

/* Sends the batch and waits for that many acknowledgements. */
static int carry_out(const struct batch *b, int wanted)
{
	auto_fd int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	_Alignas(NLMSG_ALIGNTO) char answers[4096];
	ssize_t n;
	int r;

	if (fd < 0)
		return -errno;
	if (b->full)
		return -ENOBUFS;
	if (sendto(fd, b->data, b->len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	while (wanted > 0) {
		n = recv(fd, answers, sizeof(answers), 0);
		if (n < 0)
			return -errno;
		r = count_answers(answers, (size_t)n);
		if (r <= 0)
			return r < 0 ? r : -EBADMSG;
		wanted -= r;
	}
	return 0;
}

static int try_batch(bool tproxy)
{
	struct batch b = {.len = 0};

	begin(&b, NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	end(&b);
	add_table(&b);
	add_chain(&b);
	if (tproxy)
		add_rule(&b);
	begin(&b, NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	end(&b);
	return carry_out(&b, tproxy ? 3 : 2);
}

int nft_try(void)
{
	return try_batch(false);
}

int nft_try_tproxy(void)
{
	return try_batch(true);
}
