/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/sockdiag.h"

#include "base/cleanup.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define STATE_LISTEN 10
#define ALL_STATES UINT32_MAX
#define ANSWER 8192   /* what the kernel sends at a time */
#define ANSWERS 64    /* that are read of one question */
#define MAPPED_AT 10u /* ::ffff:1.2.3.4 */

struct question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 ask;
};

/* Who is told of each socket; false: no more. */
struct found {
	bool (*see)(struct found *f, const struct inet_diag_msg *m);
	const struct sockdiag_ends *ends;
	uint32_t *inodes;
	size_t count, room;
	bool many;
};

int sockdiag_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);

	return fd < 0 ? -errno : fd;
}

static size_t address_size(const struct sockdiag_ends *ends)
{
	return ends->v4 ? 4 : 16;
}

static struct question question_of(const struct sockdiag_ends *ends, uint8_t protocol, int flags)
{
	struct question q = {.head = {.nlmsg_len = sizeof q,
				     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
				     .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags)},
		.ask = {.sdiag_family = ends->v4 ? AF_INET : AF_INET6,
			.sdiag_protocol = protocol,
			.idiag_states = ALL_STATES,
			.id = {.idiag_sport = htons(ends->local_port),
				.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}}};

	return q;
}

/* What an earlier question has left behind is no answer to this one. */
static int put_question(int fd, struct question *q)
{
	static uint32_t last;
	char unused[64];

	while (recv(fd, unused, sizeof unused, MSG_DONTWAIT) > 0)
		;
	q->head.nlmsg_seq = ++last;
	return send(fd, q, sizeof *q, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof *q ? 0 : -EIO;
}

/* 1: more may follow; 0: that was all. */
static int take_answer(const char *data, size_t size, uint32_t sequence, struct found *f)
{
	struct inet_diag_msg m;
	int error;

	for (size_t at = 0; size - at >= NLMSG_LENGTH(sizeof error);) {
		const struct nlmsghdr *h = (const void *)(data + at);

		if (h->nlmsg_len < NLMSG_HDRLEN || h->nlmsg_len > size - at)
			return -EPROTO;
		at += NLMSG_ALIGN(h->nlmsg_len) < size - at ? NLMSG_ALIGN(h->nlmsg_len) : size - at;
		if (h->nlmsg_seq != sequence)
			continue;
		if (h->nlmsg_type == NLMSG_DONE)
			return 0;
		if (h->nlmsg_type == NLMSG_ERROR) {
			memcpy(&error, NLMSG_DATA(h), sizeof error);
			return error < 0 ? error : -EPROTO;
		}
		if (h->nlmsg_len < NLMSG_LENGTH(sizeof m))
			return -EPROTO;
		memcpy(&m, NLMSG_DATA(h), sizeof m);
		if (!f->see(f, &m))
			return 0;
	}
	return 1;
}

static int ask(int fd, struct question *q, struct found *f)
{
	_Alignas(NLMSG_ALIGNTO) char data[ANSWER];
	int r = put_question(fd, q);

	for (int i = 0; i < ANSWERS && r == 0; i++) {
		ssize_t n = recv(fd, data, sizeof data, MSG_DONTWAIT);

		if (n <= 0)
			return n < 0 ? -errno : -EPROTO;
		r = take_answer(data, (size_t)n, q->head.nlmsg_seq, f);
		if (r <= 0)
			return r;
		r = 0;
	}
	return r < 0 ? r : -E2BIG;
}

static bool see_connection(struct found *f, const struct inet_diag_msg *m)
{
	if (m->idiag_state != STATE_LISTEN && m->id.idiag_dport == htons(f->ends->remote_port))
		f->inodes[f->count++] = m->idiag_inode;
	return false;
}

static bool see_listener(struct found *f, const struct inet_diag_msg *m)
{
	if (m->idiag_state == STATE_LISTEN)
		f->inodes[f->count++] = m->idiag_inode;
	return false;
}

static int ask_tcp(int fd, const struct sockdiag_ends *ends, bool remote, uint32_t *ret_inode)
{
	struct question q = question_of(ends, IPPROTO_TCP, 0);
	uint32_t inode = 0;
	struct found f = {remote ? see_connection : see_listener, ends, &inode, 0, 1, false};
	int r;

	memcpy(q.ask.id.idiag_src, ends->local, address_size(ends));
	if (remote) {
		memcpy(q.ask.id.idiag_dst, ends->remote, address_size(ends));
		q.ask.id.idiag_dport = htons(ends->remote_port);
	}
	r = ask(fd, &q, &f);
	if (r < 0 || inode == 0)
		return r < 0 ? r : -ENOENT;
	*ret_inode = inode;
	return 0;
}

int sockdiag_tcp(int fd, const struct sockdiag_ends *ends, uint32_t *ret_inode)
{
	return ask_tcp(fd, ends, true, ret_inode);
}

int sockdiag_listener(int fd, const struct sockdiag_ends *ends, uint32_t *ret_inode)
{
	return ask_tcp(fd, ends, false, ret_inode);
}

/* Its own address, or any. Sockets of the sixth family have those of the fourth too. */
static bool is_at(const struct sockdiag_ends *ends, const struct inet_diag_msg *m)
{
	uint8_t at[16], own[16] = {0};
	static const uint8_t any[16];

	memcpy(at, m->id.idiag_src, sizeof at);
	if (m->idiag_family == AF_INET && !ends->v4)
		return false;
	if (memcmp(at, any, m->idiag_family == AF_INET ? 4 : 16) == 0)
		return true;
	if (m->idiag_family == AF_INET || !ends->v4)
		return memcmp(at, ends->local, address_size(ends)) == 0;
	own[MAPPED_AT] = own[MAPPED_AT + 1] = 0xff;
	memcpy(own + MAPPED_AT + 2, ends->local, 4);
	return memcmp(at, own, sizeof own) == 0;
}

static bool see_datagrams(struct found *f, const struct inet_diag_msg *m)
{
	if (m->id.idiag_sport != htons(f->ends->local_port) || m->idiag_inode == 0 ||
		!is_at(f->ends, m))
		return true;
	f->many = f->count == f->room;
	if (!f->many)
		f->inodes[f->count++] = m->idiag_inode;
	return !f->many;
}

/* By its port, since one that is asked for by its ends hides others that share them. */
int sockdiag_udp(int fd, const struct sockdiag_ends *ends, uint32_t *ret, size_t room)
{
	struct found f = {see_datagrams, ends, ret, 0, room, false};
	int r = 0;

	for (int family = 0; family < 2 && r == 0; family++) {
		struct question q = question_of(ends, IPPROTO_UDP, NLM_F_DUMP);

		q.ask.sdiag_family = family ? AF_INET6 : AF_INET;
		if (family || ends->v4)
			r = ask(fd, &q, &f);
	}
	if (r < 0 || f.many)
		return r < 0 ? r : -E2BIG;
	return f.count > 0 ? (int)f.count : -ENOENT;
}

static bool see_any(struct found *f, const struct inet_diag_msg *m)
{
	f->inodes[f->count++] = m->idiag_inode;
	return false;
}

/* Of datagrams the kernel has the two ends the other way around. */
int sockdiag_udp_one(int fd, const struct sockdiag_ends *ends, uint32_t *ret_inode)
{
	struct question q = question_of(ends, IPPROTO_UDP, 0);
	uint32_t inode = 0;
	struct found f = {see_any, ends, &inode, 0, 1, false};
	int r;

	q.ask.id.idiag_sport = htons(ends->remote_port);
	q.ask.id.idiag_dport = htons(ends->local_port);
	memcpy(q.ask.id.idiag_src, ends->remote, address_size(ends));
	memcpy(q.ask.id.idiag_dst, ends->local, address_size(ends));
	r = ask(fd, &q, &f);
	if (r < 0 || inode == 0)
		return r < 0 ? r : -ENOENT;
	*ret_inode = inode;
	return 0;
}
