/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Messages for the kernel's netlink families, written one behind the other and sent in one piece.
 * All of them are small and of known size: what does not fit is an error of ours, and the batch is
 * not sent. Owns nothing.
 */

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct netlink {
	_Alignas(NLMSG_ALIGNTO) char data[4096];
	size_t len;
	size_t message; /* where the one being written starts */
	uint32_t sequence;
	int wanted; /* acknowledgements */
	bool full;
};

/* A message with its family's own header, of which there is always one. */
void netlink_begin(struct netlink *b, int type, int flags, const void *header, size_t header_size);
void netlink_end(struct netlink *b);
void netlink_put(struct netlink *b, int type, const void *data, size_t size);
void netlink_put_text(struct netlink *b, int type, const char *text);
void netlink_put_be32(struct netlink *b, int type, uint32_t value);
/* An attribute that holds attributes: open returns its place, which close needs. */
size_t netlink_open(struct netlink *b, int type);
void netlink_close(struct netlink *b, size_t at);
/* Sends the batch and waits for what was asked to be acknowledged; the first error. */
int netlink_carry_out(const struct netlink *b, int protocol);
