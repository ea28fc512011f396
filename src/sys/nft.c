/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/nft.h"

#include "base/macro.h"
#include "sys/netlink.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>
#include <sys/socket.h>

#define TABLE "ward"
#define CHAIN "in"
#define PRIORITY_MANGLE (-150)
#define DNS 53
#define VALUE_MAX 16

/* An expression of a rule; all of them work on one register. */
enum what { META, PAYLOAD, MASK, EQUAL, UNEQUAL, TPROXY, ACCEPT };

struct expression {
	enum what what;
	uint32_t key;         /* META: what of the packet; PAYLOAD: which header */
	uint32_t offset, len; /* PAYLOAD; len also of the value */
	uint8_t value[VALUE_MAX];
};

#define EXPRESSIONS 6

struct rule {
	struct expression row[EXPRESSIONS]; /* up to ACCEPT */
};

#define FAMILY(f)                               \
	{META, .key = NFT_META_NFPROTO},        \
	{                                       \
		EQUAL, .len = 1, .value = { f } \
	}
#define PROTOCOL(p)                             \
	{META, .key = NFT_META_L4PROTO},        \
	{                                       \
		EQUAL, .len = 1, .value = { p } \
	}
#define TO_IPV4                                                                    \
	{                                                                          \
		PAYLOAD, .key = NFT_PAYLOAD_NETWORK_HEADER, .offset = 16, .len = 4 \
	}
#define TO_IPV6                                                                     \
	{                                                                           \
		PAYLOAD, .key = NFT_PAYLOAD_NETWORK_HEADER, .offset = 24, .len = 16 \
	}
#define TO_PORT                                                                     \
	{                                                                           \
		PAYLOAD, .key = NFT_PAYLOAD_TRANSPORT_HEADER, .offset = 2, .len = 2 \
	}

enum { LOOPBACK4, OWN4, LOOPBACK6, OWN6, TCP, UDP, RULES };

/* What is not filled in here is by whoever asks: own addresses, and the port. */
static const struct rule rules[RULES] = {
	[LOOPBACK4] = {{FAMILY(NFPROTO_IPV4), TO_IPV4, {MASK, .len = 4, .value = {255}},
		{EQUAL, .len = 4, .value = {127}}, {.what = ACCEPT}}},
	[OWN4] = {{FAMILY(NFPROTO_IPV4), TO_IPV4, {EQUAL, .len = 4}, {.what = ACCEPT}}},
	[LOOPBACK6] = {{FAMILY(NFPROTO_IPV6), TO_IPV6, {EQUAL, .len = 16, .value = {[15] = 1}},
		{.what = ACCEPT}}},
	[OWN6] = {{FAMILY(NFPROTO_IPV6), TO_IPV6, {EQUAL, .len = 16}, {.what = ACCEPT}}},
	[TCP] = {{PROTOCOL(IPPROTO_TCP), {TPROXY, .len = 2}, {.what = ACCEPT}}},
	/* Questions for names are answered by a socket at their own port. */
	[UDP] = {{PROTOCOL(IPPROTO_UDP), TO_PORT, {UNEQUAL, .len = 2, .value = {0, DNS}},
		{TPROXY, .len = 2}, {.what = ACCEPT}}},
};

static void begin(struct netlink *b, int type, int flags, int family, int resource)
{
	struct nfgenmsg header = {.nfgen_family = (uint8_t)family,
		.version = NFNETLINK_V0,
		.res_id = htons((uint16_t)resource)};

	netlink_begin(b, type, flags, &header, sizeof header);
}

static void begin_new(struct netlink *b, int type, int flags)
{
	begin(b, NFNL_SUBSYS_NFTABLES << 8 | type, NLM_F_CREATE | flags, NFPROTO_INET, 0);
}

/* The kernel takes all of it or nothing. */
static void begin_batch(struct netlink *b)
{
	begin(b, NFNL_MSG_BATCH_BEGIN, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	netlink_end(b);
}

static int end_batch(struct netlink *b)
{
	begin(b, NFNL_MSG_BATCH_END, 0, AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	netlink_end(b);
	return netlink_carry_out(b, NETLINK_NETFILTER);
}

static void add_chain(struct netlink *b)
{
	size_t hook;

	begin_new(b, NFT_MSG_NEWTABLE, 0);
	netlink_put_text(b, NFTA_TABLE_NAME, TABLE);
	netlink_end(b);
	begin_new(b, NFT_MSG_NEWCHAIN, NLM_F_ACK);
	netlink_put_text(b, NFTA_CHAIN_TABLE, TABLE);
	netlink_put_text(b, NFTA_CHAIN_NAME, CHAIN);
	hook = netlink_open(b, NFTA_CHAIN_HOOK);
	netlink_put_be32(b, NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
	netlink_put_be32(b, NFTA_HOOK_PRIORITY, (uint32_t)PRIORITY_MANGLE);
	netlink_close(b, hook);
	netlink_put_text(b, NFTA_CHAIN_TYPE, "filter");
	netlink_end(b);
}

static void put_value(struct netlink *b, int type, const void *value, size_t len)
{
	size_t nest = netlink_open(b, type);

	netlink_put(b, NFTA_DATA_VALUE, value, len);
	netlink_close(b, nest);
}

static void put_meta(struct netlink *b, const struct expression *x)
{
	netlink_put_be32(b, NFTA_META_KEY, x->key);
	netlink_put_be32(b, NFTA_META_DREG, NFT_REG_1);
}

static void put_payload(struct netlink *b, const struct expression *x)
{
	netlink_put_be32(b, NFTA_PAYLOAD_DREG, NFT_REG_1);
	netlink_put_be32(b, NFTA_PAYLOAD_BASE, x->key);
	netlink_put_be32(b, NFTA_PAYLOAD_OFFSET, x->offset);
	netlink_put_be32(b, NFTA_PAYLOAD_LEN, x->len);
}

static void put_mask(struct netlink *b, const struct expression *x)
{
	static const uint8_t none[VALUE_MAX];

	netlink_put_be32(b, NFTA_BITWISE_SREG, NFT_REG_1);
	netlink_put_be32(b, NFTA_BITWISE_DREG, NFT_REG_1);
	netlink_put_be32(b, NFTA_BITWISE_LEN, x->len);
	put_value(b, NFTA_BITWISE_MASK, x->value, x->len);
	put_value(b, NFTA_BITWISE_XOR, none, x->len);
}

static void put_compare(struct netlink *b, const struct expression *x)
{
	netlink_put_be32(b, NFTA_CMP_SREG, NFT_REG_1);
	netlink_put_be32(b, NFTA_CMP_OP, x->what == EQUAL ? NFT_CMP_EQ : NFT_CMP_NEQ);
	put_value(b, NFTA_CMP_DATA, x->value, x->len);
}

static void put_port(struct netlink *b, const struct expression *x)
{
	netlink_put_be32(b, NFTA_IMMEDIATE_DREG, NFT_REG_1);
	put_value(b, NFTA_IMMEDIATE_DATA, x->value, x->len);
}

static void put_tproxy(struct netlink *b, const struct expression *x)
{
	(void)x;
	netlink_put_be32(b, NFTA_TPROXY_FAMILY, NFPROTO_UNSPEC);
	netlink_put_be32(b, NFTA_TPROXY_REG_PORT, NFT_REG_1);
}

static void put_accept(struct netlink *b, const struct expression *x)
{
	size_t data, verdict;

	(void)x;
	netlink_put_be32(b, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	data = netlink_open(b, NFTA_IMMEDIATE_DATA);
	verdict = netlink_open(b, NFTA_DATA_VERDICT);
	netlink_put_be32(b, NFTA_VERDICT_CODE, NF_ACCEPT);
	netlink_close(b, verdict);
	netlink_close(b, data);
}

static const struct {
	const char *name;
	void (*put)(struct netlink *b, const struct expression *x);
} kinds[] = {
	[META] = {"meta", put_meta},
	[PAYLOAD] = {"payload", put_payload},
	[MASK] = {"bitwise", put_mask},
	[EQUAL] = {"cmp", put_compare},
	[UNEQUAL] = {"cmp", put_compare},
	[TPROXY] = {"tproxy", put_tproxy},
	[ACCEPT] = {"immediate", put_accept},
};

static void put_expression(struct netlink *b, const char *name,
	void (*fill)(struct netlink *b, const struct expression *x), const struct expression *x)
{
	size_t element = netlink_open(b, NFTA_LIST_ELEM), data;

	netlink_put_text(b, NFTA_EXPR_NAME, name);
	data = netlink_open(b, NFTA_EXPR_DATA);
	fill(b, x);
	netlink_close(b, data);
	netlink_close(b, element);
}

static void add_rule(struct netlink *b, const struct rule *r, bool last)
{
	const struct expression *x = r->row;
	size_t expressions;

	begin_new(b, NFT_MSG_NEWRULE, NLM_F_APPEND | (last ? NLM_F_ACK : 0));
	netlink_put_text(b, NFTA_RULE_TABLE, TABLE);
	netlink_put_text(b, NFTA_RULE_CHAIN, CHAIN);
	expressions = netlink_open(b, NFTA_RULE_EXPRESSIONS);
	do {
		if (x->what == TPROXY) /* reads the port from the register */
			put_expression(b, "immediate", put_port, x);
		put_expression(b, kinds[x->what].name, kinds[x->what].put, x);
	} while (x++->what != ACCEPT);
	netlink_close(b, expressions);
	netlink_end(b);
}

/* Where the value of a rule is that whoever asks fills in. */
static uint8_t *open_value(struct rule *r)
{
	struct expression *x = r->row;

	while (x[1].what != ACCEPT)
		x++;
	return x->value;
}

int nft_try(void)
{
	struct netlink b = {.len = 0};

	begin_batch(&b);
	add_chain(&b);
	return end_batch(&b);
}

int nft_catch(uint16_t port, const uint8_t own4[4], const uint8_t own6[16])
{
	struct netlink b = {.len = 0};
	struct rule own[RULES];

	memcpy(own, rules, sizeof own);
	memcpy(open_value(&own[OWN4]), own4, 4);
	memcpy(open_value(&own[OWN6]), own6, 16);
	port = htons(port);
	memcpy(open_value(&own[TCP]), &port, sizeof port);
	memcpy(open_value(&own[UDP]), &port, sizeof port);
	begin_batch(&b);
	add_chain(&b);
	for (size_t i = 0; i < RULES; i++)
		add_rule(&b, &own[i], i == RULES - 1);
	return end_batch(&b);
}

int nft_try_tproxy(void)
{
	static const uint8_t own4[4] = {10}, own6[16] = {0xfd};

	return nft_catch(1, own4, own6);
}
